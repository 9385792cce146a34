/**
 * The body of a message, for each kind of chat. Texts with names of people are plain in all of them, so that a name is
 * neither a link nor calls everybody.
 */
import type { ChatKind } from '../../domain/notices.ts';
import { cutCodePoints } from '../../domain/text.ts';
import type { Texts } from '../../domain/texts/en.ts';
import { textsOf } from '../../domain/texts/languages.ts';
import type { NoticeObject } from './collect.ts';
import { titleOf } from './mail.ts';
import type { NoticeItem } from './noticeText.ts';

/** Slack takes 50 blocks, and 3,000 characters in each. Teams takes 28 KB. */
const SHOWN_MAX = 15;
const TEXT_MAX = 500;

export function chatMessage(kind: ChatKind, notice: NoticeObject): object {
  const shown = notice.items.slice(0, SHOWN_MAX);
  const more = notice.more + notice.items.length - shown.length;
  const texts = textsOf(notice.language).notices;
  return MESSAGES[kind]({ title: `[${notice.organization}] ${titleOf(notice)}`, items: shown, more, texts });
}

interface Message {
  readonly title: string;
  readonly items: readonly NoticeItem[];
  readonly more: number;
  readonly texts: Texts['notices'];
}

const MESSAGES: Readonly<Record<ChatKind, (message: Message) => object>> = {
  slack: ({ title, items, more, texts }) => ({
    // Notifications show it. Slack reads markup in it.
    text: slackText(title),
    blocks: [
      ...items.map((item) => ({
        type: 'section',
        text: { type: 'plain_text', text: linesOf(item), emoji: false },
        accessory: { type: 'button', text: { type: 'plain_text', text: texts.open }, url: item.url },
      })),
      ...(more > 0 ? [{ type: 'context', elements: [{ type: 'plain_text', text: texts.unlisted(more) }] }] : []),
    ],
  }),
  teams: ({ title, items, more, texts }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          fallbackText: title,
          body: [
            ...items.flatMap((item) => teamsItem(item, texts)),
            ...(more > 0 ? [teamsText(texts.unlisted(more))] : []),
          ],
        },
      },
    ],
  }),
  webhook: ({ title, items, more, texts }) => ({
    text: [
      ...(items.length + more > 1 ? [title] : []),
      ...items.map((item) => `${linesOf(item)}\n${item.url}`),
      ...(more > 0 ? [texts.unlisted(more)] : []),
    ].join('\n\n'),
  }),
};

const linesOf = ({ title, text }: NoticeItem) => cutCodePoints(`${title}\n${text}`.trim(), TEXT_MAX);

const slackText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A TextBlock would read Markdown. */
const teamsText = (text: string, more: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...more }],
});

const teamsItem = ({ title, text, url }: NoticeItem, { open }: Message['texts']) => [
  teamsText(cutCodePoints(title, TEXT_MAX), { weight: 'Bolder' }),
  ...cutCodePoints(text, TEXT_MAX)
    .split('\n')
    .map((line) => teamsText(line)),
  { type: 'ActionSet', actions: [{ type: 'Action.OpenUrl', title: open, url }] },
];
