/** The page on which a member chooses notices, the link that ends them, and the chats of an organization. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { readChoices, unsubscribeToken } from '../../../src/core/notices/choices.ts';
import { countPictures } from '../../../src/core/organizations/usage.ts';
import { createSignInLink } from '../../../src/core/people/signInLinks.ts';
import { createShareLink } from '../../../src/core/sharing/shareLinks.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { NOTICE_KINDS } from '../../../src/domain/notices.ts';
import type { Role } from '../../../src/domain/roles.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { WebBrowser } from '../../support/webBrowser.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

const lookup = async (name: string) => [
  { address: name === 'inside.example' ? '10.1.2.3' : '93.184.216.34', family: 4 },
];
const server = preparePages({ guard: createGuard({ allow: [], lookup }) });
const page = '/o/demo/notices';
const settings = '/o/demo/settings/notices';

beforeAll(() => server.store.db.updateTable('installation').set({ sends_mail: true }).execute());
beforeEach(() => server.store.db.deleteFrom('notices').execute());

async function signIn(name: string, role: Role = 'owner') {
  const { db } = server.store;
  const id = randomUUID();
  await db
    .insertInto('users')
    .values({ id, name, email: `${id}@acme.example` })
    .execute();
  const member = { organizationId: server.organizationId, userId: id };
  await db.insertInto('memberships').values({ organization_id: member.organizationId, user_id: id, role }).execute();
  const browser = new WebBrowser(server.url);
  const link = { userId: id, browser: undefined, next: '' };
  const token = await db.transaction().execute((tx) => createSignInLink(tx, link));
  await browser.post(`/sign-in/${token}`);
  return { member, browser };
}

const key = () => ({ authorization: `Bearer ${server.apiKey}` });
const timings = async (member: { organizationId: string; userId: string }) =>
  (await readChoices(server.store.db, member))?.timings;
const noticesOf = async ({ userId }: { userId: string }) => {
  const rows = server.store.db.selectFrom('notices').select(['kind', 'pictures']).where('user_id', '=', userId);
  return rows.orderBy('kind').execute();
};

describe('the choices of a person', () => {
  test('a viewer chooses when each kind comes, and a key has no such page', async () => {
    const { member, browser } = await signIn('Vera', 'viewer');
    const chosen = Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, 'day']));
    const { status } = await browser.submit(page, page, { ...chosen, set_failed: 'now', time_zone: 'Europe/Berlin' });
    expect(status).toBe(303);
    expect(await readChoices(server.store.db, member)).toMatchObject({
      timeZone: 'Europe/Berlin',
    });
    expect((await timings(member))?.get('set_failed')).toBe('now');
    const wrong = await browser.submit(page, page, { ...chosen, time_zone: "Mars/Base'; drop table users" });
    expect([wrong.status, wrong.text.includes('is not known')]).toEqual([422, true]);
    expect((await new WebBrowser(server.url).get(page, key())).status).toBe(403);
  });

  test('only POST with a link that is signed for this person ends the notices, and only of this person', async () => {
    const [{ member }, other] = [await signIn('Una'), await signIn('Otto')];
    const before = await timings(member);
    const token = unsubscribeToken(server.secret, member);
    const stranger = new WebBrowser(server.url);
    const shown = await stranger.get(`/unsubscribe/${token}`);
    expect([shown.status, shown.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    const forged = [
      token.replace(member.userId, other.member.userId),
      `${token.slice(0, -2)}AA`,
      unsubscribeToken(Buffer.alloc(32), member),
    ];
    for (const one of forged) expect((await stranger.post(`/unsubscribe/${one}`)).status).toBe(404);
    expect(await timings(member)).toEqual(before);
    const done = await stranger.post(`/unsubscribe/${token}`, { 'List-Unsubscribe': 'One-Click' });
    expect(done.status).toBe(200);
    expect(new Set((await timings(member))?.values())).toEqual(new Set(['none']));
    expect(await timings(other.member)).toEqual(before);
  });

  test('an address that the mail server refused is named, and the person can start again', async () => {
    const { member, browser } = await signIn('Rita');
    const { db } = server.store;
    const { email } = await db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', member.userId)
      .executeTakeFirstOrThrow();
    const refused = { refused_email: email, refusals: 3, refused_reason: '550 5.1.1 <b>unknown</b>' };
    await db
      .insertInto('notice_addresses')
      .values({ user_id: member.userId, ...refused })
      .execute();
    expect((await browser.get(page)).text).toContain('550 5.1.1 &lt;b&gt;unknown');
    await browser.submit(page, `${page}/resume`);
    expect((await browser.get(page)).text).not.toContain('5.1.1');
  });
});

describe('each source of a notice', () => {
  test('a link that is opened first, an answer, rejected pictures and the quota are noticed, but not to the person who did it', async () => {
    const { db } = server.store;
    const [{ browser, member }, other] = [await signIn('Rob'), await signIn('Olga')];
    const shots = [{ site: 'https://news.example/', device: 'desktop' }] as const;
    const { setId, shotIds } = await seedSet(server, { campaign: 'Spring', status: 'in_review', shots });
    const links = { organizationId: server.organizationId, setId };
    const choices = { label: 'Client', downloads: false, answers: true, expiresAt: new Date(Date.now() + 3_600_000) };
    const link = await db.transaction().execute((tx) => createShareLink(tx, { ...links, ...choices }, OPERATOR));
    const shared = `/s/${shareToken(server.secret, link.id)}`;
    const client = new WebBrowser(server.url);
    for (const _ of [1, 2]) await client.get(shared);
    await client.post(`${shared}/answers`, { answer: 'approved', name: 'Ms Client', email: 'ms@client.example' });
    const set = `/o/demo/screenshot_sets/${setId}`;
    await browser.submit(set, `${set}/reviews`, { decide: `rejected:${shotIds[0]}`, next: set });
    await db.updateTable('organizations').set({ pictures_per_day: 10 }).execute();
    for (const pictures of [7, 1, 1, 1])
      await db.transaction().execute((tx) => countPictures(tx, { ...links, pictures, defaultQuota: undefined }));
    const all = ['client_answered', 'picture_rejected', 'quota_near', 'share_opened'];
    expect((await noticesOf(other.member)).map(({ kind }) => kind)).toEqual(all);
    expect((await noticesOf(member)).map(({ kind }) => kind)).toEqual(
      all.filter((kind) => kind !== 'picture_rejected'),
    );
    const quota = await db.selectFrom('notices').select('times').where('kind', '=', 'quota_near').execute();
    expect(quota[0]?.times).toBe(2);
  });
});

describe('chats', () => {
  const chat = (address: string) => ({ name: 'Team', kind: 'slack', address, set_failed: 'yes' });

  test('an administrator adds, tests and removes a chat, and no page shows its address', async () => {
    const { browser } = await signIn('Ada');
    const added = await browser.submit(settings, settings, chat('https://hooks.example/services/T0/SECRETSECRET'));
    expect(added.status).toBe(303);
    const { text } = await browser.get(settings);
    expect(text).toContain('https://hooks.example/…');
    expect(text).not.toContain('SECRET');
    const [, path = ''] = /action="([^"]+)\/test"/.exec(text) ?? [];
    const tested = await browser.submit(settings, `${path}/test`);
    expect((await browser.get(tested.location)).text).toContain('Waiting to be sent');
    await browser.submit(settings, `${path}/remove`);
    expect((await browser.get(settings)).text).not.toContain('https://hooks.example/…');
    expect((await browser.get('/o/demo/settings/audit_log')).text).not.toContain('SECRET');
  });

  test.each([
    'https://inside.example/hook',
    'http://169.254.169.254/',
    'https://user:pass@hooks.example/',
    'file:///etc/passwd',
  ])('the address %s is rejected, and not shown again', async (address) => {
    const { browser } = await signIn('Ada');
    const { status, text } = await browser.submit(settings, settings, chat(address));
    expect(status).toBe(422);
    expect(text).not.toContain('10.1.2.3');
    expect(text).not.toContain(`value="${address}"`);
  });

  test('a manager sees and changes no chats', async () => {
    const { browser } = await signIn('Max', 'manager');
    expect((await browser.get(settings)).status).toBe(403);
    expect((await browser.submit(page, settings, chat('https://hooks.example/'))).status).toBe(403);
  });
});
