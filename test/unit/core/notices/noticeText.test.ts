import { marked } from 'marked';
import { expect, test } from 'vitest';
import { chatMessage } from '../../../../src/core/notices/chatMessage.ts';
import { noticeMail } from '../../../../src/core/notices/mail.ts';
import { type Happened, noticeItems } from '../../../../src/core/notices/noticeText.ts';
import { CHAT_KINDS, type NoticeKind } from '../../../../src/domain/notices.ts';

const PAGE = 'https://shots.example';

/** @returns the notice of an event in which people typed this name wherever they can. */
function noticeWith(name: string, kind: NoticeKind = 'client_answered', answers: Happened['answers'] = null) {
  const happened = { kind, facts: { by: name, label: name }, times: 1, pictures: 2, set_id: 'a', subject_id: null };
  const place = { publicUrl: PAGE, slug: 'acme', language: 'en' } as const;
  const items = noticeItems({ ...happened, set_name: name, answers, about: null, rejected: null }, place);
  return { type: 'notice', organization: 'acme', language: 'en', items, more: 0 } as const;
}

const urls = { choicesUrl: `${PAGE}/c`, unsubscribeUrl: `${PAGE}/u` };
const mailOf = (name: string) =>
  noticeMail({
    to: 'ann@corp.example',
    notice: noticeWith(name),
    deliveryId: 'd',
    setId: null,
    publicUrl: PAGE,
    look: { name: undefined, logo: undefined, pictures: new Map() },
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
  const change = { id: null, token: null, site_url: null, device: null, pictures: 1, text: name, by: name };
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
  expect(noticeWith(name, 'share_opened').items[0]?.title).toBe(`Opened by the client: ${expected}`);
});

test('the host of an endpoint is shown as it is', () => {
  expect(noticeWith('hooks.corp.example', 'endpoint_disabled').items[0]?.title).toContain(': hooks.corp.example');
});

test('each change that a client asks for is one line with person, words, picture and link, before what else was answered', () => {
  const place = { publicUrl: PAGE, slug: 'acme', language: 'en' } as const;
  const news = { id: 'b', site_url: 'news.example/a', device: 'desktop', token: 't' };
  const changes = [
    { ...news, pictures: 1, text: 'Logo too small', by: 'Anna' },
    { ...news, id: null, site_url: null, device: null, token: null, pictures: 3, text: null, by: 'Ben' },
  ];
  const answered = { times: 4, pictures: 9, set_id: 'a', subject_id: null, set_name: 'Spring', rejected: null };
  const about = { sites: ['https://news.example/a', 'news.example'], devices: ['desktop'], token: 'first' };
  const answers = { approved: 2, changed: 5, changes };
  const given = { kind: 'client_answered', facts: { by: 'Anna' }, ...answered, about, answers } as const;
  const page = `${PAGE}/o/acme/screenshot_sets/a`;
  expect(noticeItems(given, place)).toMatchObject([
    {
      title: 'Anna (client) asks for changes: “Logo too small” on news.example, Desktop',
      ...{ text: 'Spring', url: `${PAGE}/o/acme/screenshots/b`, picture: 't', asksForChanges: true },
    },
    { title: 'Ben (client) asks for changes to 3 pictures', text: 'Spring', url: page, picture: 'first' },
    { title: '1 more change, 2 pictures approved: Spring', text: '', url: page },
  ]);
  const only = { ...answers, approved: 0, changed: 4 };
  expect(noticeItems({ ...given, answers: only }, place)).toHaveLength(2);
  const long = { ...changes[0], text: 'Long '.repeat(40).trim() } as (typeof changes)[0];
  const [item] = noticeItems({ ...given, answers: { ...only, changes: [long] } }, place);
  expect(item?.title).toMatch(/…” on news.example, Desktop$/);
  expect(item?.text).toBe(`Spring\n${long.text}`);
});

test('a notice is in the language of its reader', () => {
  const place = { publicUrl: PAGE, slug: 'acme', language: 'de' } as const;
  const change = {
    id: 'b',
    site_url: 'news.example',
    device: 'mobile',
    token: null,
    text: 'Logo zu klein',
    by: 'Anna',
  };
  const answers = { approved: 1, changed: 3, changes: [{ ...change, pictures: 1 }] };
  const about = { sites: ['a.example', 'b.example', 'c.example', 'd.example'], devices: ['tablet'], token: null };
  const set = { times: 1, pictures: 1200, set_id: 'a', subject_id: null, set_name: 'Frühling', rejected: null, about };
  expect(noticeItems({ kind: 'client_answered', facts: {}, ...set, answers }, place).map(({ title }) => title)).toEqual(
    [
      'Änderungswunsch von Anna (Kunde): „Logo zu klein“ – news.example, Android-Smartphone',
      '2 weitere Änderungswünsche, 1 Bild freigegeben: Frühling',
    ],
  );
  const [item] = noticeItems({ kind: 'set_ready', facts: { inReview: true }, ...set, answers: null }, place);
  expect(item).toMatchObject({
    title: 'Bereit zur Prüfung: Frühling',
    text: '1.200 Bilder warten auf eine Entscheidung. a.example, b.example, c.example und 1 weitere · Android-Tablet',
  });
});

test('notices of sets with one name differ: each says its sites and devices', () => {
  const place = { publicUrl: PAGE, slug: 'acme', language: 'en' } as const;
  const titles = ['a.example', 'b.example'].map((site) => {
    const about = { sites: [site], devices: ['desktop', 'iphone'], token: null };
    const facts = { inReview: true };
    const ready = {
      times: 1,
      pictures: 4,
      set_id: 'a',
      subject_id: 'a',
      set_name: 'Spring',
      answers: null,
      rejected: null,
    };
    const [item] = noticeItems({ kind: 'set_ready', facts, ...ready, about }, place);
    return `${item?.title} ${item?.text}`;
  });
  expect(titles).toEqual([
    'Ready for review: Spring 4 pictures wait for a decision. a.example · Desktop, iPhone',
    'Ready for review: Spring 4 pictures wait for a decision. b.example · Desktop, iPhone',
  ]);
});
