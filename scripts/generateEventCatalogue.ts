import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { TOPIC_DESCRIPTIONS } from '../src/contract/events.ts';
import { DEFAULT_TOPICS, TEST_TOPIC, TOPICS, WEBHOOK_TOPICS, type WebhookTopic } from '../src/domain/topics.ts';
import { EXAMPLE_OBJECTS } from './events/exampleObjects.ts';

const PAGE = new URL('../docs/webhooks.md', import.meta.url);
const MARKER = '<!-- `make generate` writes the rest of this page from the topics and schemas of the code. -->\n';
const HEAD = `
## Events

A subscriber of a request gets only events of its own ads and sets. A [webhook endpoint](#webhook-endpoints) gets those
of the whole organization. Both choose topics. An event is the same text in each attempt and replay, with the same
\`id\`. New topics and fields may be added, so ignore those that you do not know. The order in which events arrive is not
guaranteed: compare \`created_at\`, or read the object again.

| topic | default | subscribers of requests | endpoints |
|---|---|---|---|
`;

/**
 * @returns docs/webhooks.md, with each topic, its meaning and an example behind the marker.
 * @throws if the marker is missing, or if an example does not fit its schema.
 */
export function generateEventCatalogue(): string {
  const [written = '', ...rest] = readFileSync(PAGE, 'utf8').split(MARKER);
  if (rest.length === 0) throw new Error(`docs/webhooks.md has no line ${MARKER}`);
  return written + MARKER + HEAD + WEBHOOK_TOPICS.map(row).join('') + WEBHOOK_TOPICS.map(section).join('');
}

const isIn = (list: readonly string[], topic: string) => (list.includes(topic) ? 'yes' : 'no');

function row(topic: WebhookTopic): string {
  const endpoints = topic === TEST_TOPIC ? 'on request' : 'yes';
  const link = `[\`${topic}\`](#${topic.replace('.', '')})`;
  return `| ${link} | ${isIn(DEFAULT_TOPICS, topic)} | ${isIn(TOPICS, topic)} | ${endpoints} |\n`;
}

function section(topic: WebhookTopic): string {
  const { when, event } = TOPIC_DESCRIPTIONS[topic];
  const example = {
    id: 'evt_1b4e28ba-2fa1-4d3b-9f0e-6c2b8a7d5e10',
    type: 'event',
    created_at: '2026-11-20T09:30:00.000+00:00',
    topic,
    data: { object: EXAMPLE_OBJECTS[topic] },
  };
  // Parsing drops fields that the schema does not have.
  deepStrictEqual(event.parse(example), example, `The example of ${topic} has fields that its schema does not have.`);
  return `\n### ${topic}\n\n${wrap(when)}\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`;
}

function wrap(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + word.length < 120) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}
