import { marked } from 'marked';
import { expect, test } from 'vitest';
import { chatMessage } from '../../../../src/core/notices/chatMessage.ts';
import { noticeMail } from '../../../../src/core/notices/mail.ts';
import { type Happened, noticeItem } from '../../../../src/core/notices/noticeText.ts';
import { CHAT_KINDS, type NoticeKind } from '../../../../src/domain/notices.ts';

const PAGE = 'https://shots.example';

/** @returns the notice of an event in which people typed this name wherever they can. */
function noticeWith(name: string, kind: NoticeKind = 'client_answered', answers: Happened['answers'] = null) {
  const happened = { kind, facts: { by: name, label: name }, times: 1, pictures: 2, set_id: 'a', subject_id: null };
  const item = noticeItem({ ...happened, set_name: name, answers }, { publicUrl: PAGE, slug: 'acme' });
  return { type: 'notice', organization: 'acme', items: [item], more: 0 } as const;
}

const urls = { choicesUrl: `${PAGE}/c`, unsubscribeUrl: `${PAGE}/u` };
const mailOf = (name: string) =>
  noticeMail({
    to: 'ann@corp.example',
    notice: noticeWith(name),
    deliveryId: 'd',
    setId: null,
    publicUrl: PAGE,
    ...urls,
  });

const HOSTILE = [
  'evil.example',
  'www.evil.example/login',
  'https://evil.example/a',
  'HTTP://192.0.2.1/a',
  'https:\\\\evil.example',
  '\\\\evil\\share',
  'evil。example',
  'evil．example',
  'bücher.example',
  'bank@evil.example',
  'mailto:bank@evil.example',
  'mailto:bank',
  'tel:+4912345',
  '[Sign in](https://evil.example)',
  '[Sign in](//evil.example)',
  '![x](https://evil.example/x.png)',
  '<https://evil.example|Sign in>',
  '<a href="https://evil.example">x</a>',
  '@all',
  '@channel @here',
  '<!channel>',
  '<@U012AB3CD>',
  '<users/all>',
  'Ann​.evil.example',
];

test.each(HOSTILE)('a name is neither a link nor a mention in mails and chats: %s', async (name) => {
  const change = { site_url: null, device: null, pictures: 1, text: name, by: name };
  const asked = noticeWith(name, 'client_answered', { approved: 0, changed: 1, changes: [change] });
  const kinds = ['client_answered', 'share_opened', 'schedule_paused', 'set_ready'] as const;
  for (const notice of [asked, ...kinds.map((kind) => noticeWith(name, kind))]) {
    const texts = notice.items.map(({ title, text }) => `${title}\n${text}`).join('\n');
    expect(await marked.parse(texts, { gfm: true })).not.toMatch(/<(a|img) /);
    expect(texts).not.toMatch(/[@<>\\]|:\/|\/\/|\p{L}:\S|\S\.\p{L}/u);
  }
  for (const kind of CHAT_KINDS) {
    const message = JSON.stringify(chatMessage(kind, noticeWith(name)));
    expect(message).not.toContain(JSON.stringify(name).slice(1, -1));
  }
  const { subject, text } = mailOf(name);
  expect(`${subject}\n${text}`).not.toContain(name);
});

test.each([
  ['Dr. Anna Müller-Lüdenscheidt', 'Dr. Anna Müller-Lüdenscheidt'],
  ['Spring 2.0, 10:30 [final] (v2)', 'Spring 2.0, 10:30 [final] (v2)'],
  ['banner.png', 'banner. png'],
  ['Anna @ Agency', 'Anna (at) Agency'],
  ['A < B', 'A ‹ B'],
])('a name stays readable: %s', (name, expected) => {
  expect(noticeWith(name).items[0].title).toBe(`The client answered: ${expected}`);
});

test('the host of an endpoint is shown as it is', () => {
  expect(noticeWith('hooks.corp.example', 'endpoint_disabled').items[0].title).toContain(': hooks.corp.example');
});
