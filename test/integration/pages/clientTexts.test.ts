/** All words of the pages of clients come from the catalogue, in the language and the time zone of the organization. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { setDisabled } from '../../../src/core/organizations/operator.ts';
import { createShareLink, revokeLink } from '../../../src/core/sharing/shareLinks.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { textsOf } from '../../../src/domain/texts/languages.ts';
import { marked, markedTexts, unmarkedTexts } from '../../support/markedTexts.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { seedRetake } from './seedRetake.ts';

const server = preparePages({ mailer: { send: async () => undefined, verify: async () => undefined } });
const NEWS = 'https://news.example/sport';
const ANNA = { name: marked('Anna'), email: 'anna@client.example' };

const [german, before] = [textsOf('de'), { ...textsOf('de') }];

beforeAll(async () => {
  // In these tests, the German catalogue is the English one with marks. Other files share the module.
  Object.assign(german, markedTexts(textsOf('en')));
  await server.store.db.updateTable('organizations').set({ language: 'de', time_zone: 'Europe/Berlin' }).execute();
});

afterAll(() => {
  Object.assign(german, before);
});

interface Choices {
  readonly password?: string;
  readonly expiresAt?: Date;
  readonly status?: 'capturing' | 'approved';
}

async function sharedSet({ status = 'approved', ...more }: Choices = {}) {
  const ad = marked('Summer');
  const { setId, shotIds } = await seedSet(server, {
    ...{ campaign: marked(`Okapi ${randomUUID()}`), status },
    shots: [
      { site: NEWS, device: 'desktop', ad },
      { site: NEWS, device: 'mobile', ad, markerMs: 1_000 },
      { site: NEWS, device: 'mobile', ad, markerMs: null },
    ],
  });
  const rows = await server.store.db
    .selectFrom('screenshots')
    .select('image_token')
    .where('set_id', '=', setId)
    .orderBy('seq')
    .execute();
  const tokens = rows.map(({ image_token }) => String(image_token));
  const path = await linkTo(setId, more);
  return { setId, shotIds, tokens, path, id: linkIdOf(path) };
}

const linkIds = new Map<string, string>();
const linkIdOf = (path: string) => linkIds.get(path) ?? '';

async function linkTo(setId: string, given: Omit<Choices, 'status'> = {}): Promise<string> {
  const { organizationId } = server;
  const wanted = { organizationId, setId, label: '', expiresAt: new Date(Date.now() + 3_600_000), ...given };
  const { id } = await server.store.db
    .transaction()
    .execute((tx) => createShareLink(tx, { ...wanted, downloads: true, answers: true }, OPERATOR));
  const path = `/s/${shareToken(server.secret, id)}`;
  linkIds.set(path, id);
  return path;
}

interface Sent extends RequestInit {
  readonly status?: number;
}

/** @returns the page, all of whose words have marks. */
async function page(path: string, { status = 200, headers = {}, ...init }: Sent = {}): Promise<string> {
  const response = await fetch(server.url + path, {
    ...init,
    headers: { 'accept-language': 'de', 'sec-fetch-site': 'same-origin', ...headers },
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  expect([response.status, unmarkedTexts(text)]).toEqual([status, []]);
  expect(text).toMatch(/<html lang="de">/);
  return text;
}

const post = (path: string, fields: Record<string, string>, given: Sent = {}) =>
  page(path, { method: 'POST', body: new URLSearchParams(fields), ...given });

const write = (path: string, fields: Record<string, string>, given: Sent = {}) =>
  post(`${path}/answers`, { ...ANNA, body: '', ...fields }, given);

describe('pages of a share link have no words of their own', () => {
  test('its pictures, with answers, comments, a new version and the boxes', async () => {
    const { setId, shotIds, tokens, path } = await sharedSet();
    const [first = '', second = '', third = ''] = tokens;
    await page(path);
    await write(path, { picture: first, answer: 'changes_requested', body: marked('Logo'), pin: '0.5,0.5' });
    await write(path, { picture: second, answer: 'approved' });
    await write(path, { body: marked('For all'), follow: 'yes' });
    await sql`update comments set resolved_at = now() where set_id = ${setId} and pin_x is null`.execute(
      server.store.db,
    );
    const pictured = await page(`${path}/pictures/${first}`);
    expect(pictured).toMatch(/<time datetime="2026-11-21T09:30:05.000Z">21\. Nov\. 2026, 10:30 MEZ<\/time>/);
    expect(pictured).not.toContain('times.js');
    await seedRetake(server, setId, shotIds[0] ?? '', 'approved');
    const { rows } = await sql<{ image_token: string }>`select image_token from screenshots
      where retake_of = ${shotIds[0]}`.execute(server.store.db);
    const retaken = `${path}/pictures/${rows[0]?.image_token}`;
    await page(retaken);
    await page(`${retaken}?with=${first}`);
    await page(`${path}/pictures/${second}?with=${third}`);
    expect(await page(path)).toMatch(/>21\. Nov\. 2026<\/time> – <time [^>]*>22\. Nov\. 2026</);
    await write(path, { picture: first, body: marked('Late') }, { status: 410 });
  });

  test('a picture that moves, or has left the link', async () => {
    const { tokens, shotIds, path } = await sharedSet();
    const file = { token: 'a', width: 300, height: 250, bytes: 1_200_000, sha256: '' };
    const animation = JSON.stringify({ webp: file, gif: file });
    const { db } = server.store;
    const shot = db.updateTable('screenshots').where('id', '=', shotIds[0] ?? '');
    await shot.set({ animation }).execute();
    expect(await page(`${path}/pictures/${tokens[0]}`)).toContain('1,2 MB');
    await shot.set({ decision: 'rejected' }).execute();
    await page(`${path}/pictures/${tokens[0]}`, { status: 410 });
  });

  test('a link with many pictures, with few that are ready, and with none', async () => {
    const many = await sharedSet();
    await sql`insert into screenshots select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'seq', i))).*
      from screenshots s, generate_series(10, 255) i where s.id = ${many.shotIds[0]}::uuid`.execute(server.store.db);
    await page(many.path);
    await page(`${many.path}?page=2`);
    const live = await sharedSet({ status: 'capturing' });
    await page(live.path);
    const own = server.store.db.updateTable('screenshots').where('set_id', '=', live.setId);
    await own.set({ decision: 'rejected' }).execute();
    await page(live.path);
    await server.store.db
      .updateTable('screenshot_sets')
      .set({ status: 'rejected' })
      .where('id', '=', live.setId)
      .execute();
    await page(live.path);
  });

  test.each(['answered', 'commented', 'followed'])('the notice %s', async (notice) => {
    expect(await page(`${(await sharedSet()).path}?notice=${notice}`)).toContain('class="toast"');
  });

  test('its downloads', async () => {
    const { setId, path } = await sharedSet();
    const pending = await page(`${path}/export?format=pdf`);
    const [, id = ''] = /exports\/([\w-]+)/.exec(pending) ?? [];
    const { id: own } = await server.store.db
      .selectFrom('exports')
      .select('id')
      .where('set_id', '=', setId)
      .executeTakeFirstOrThrow();
    expect(id === '' || id === own).toBe(true);
    for (const status of ['ready', 'failed', 'expired'] as const) {
      const values = {
        status,
        reason: 'The stored picture was changed.',
        expires_at: new Date(Date.now() + 3_600_000),
      };
      await server.store.db.updateTable('exports').set(values).where('id', '=', own).execute();
      await page(`${path}/exports/${own}`);
    }
    const headers = { accept: 'application/json' };
    const state = await fetch(`${server.url}${path}/exports/${own}`, { headers });
    expect((await state.json()).text).toMatch(/^⟦.*⟧$/);
  });

  test('its password', async () => {
    const { path } = await sharedSet({ password: 'blue horses' });
    await page(path, { status: 403 });
    await post(`${path}/unlock`, { password: 'red horses' }, { status: 403 });
    await post(`${path}/unlock`, { password: 'blue horses' }, { status: 403 });
  });

  test('links that show nothing', async () => {
    const { organizationId } = server;
    const link = await sharedSet();
    const expired = await sharedSet({ expiresAt: new Date(Date.now() - 60_000) });
    await page(expired.path, { status: 410 });
    await server.store.db
      .transaction()
      .execute((tx) => revokeLink(tx, { organizationId, setId: link.setId, id: link.id }, OPERATOR));
    await page(link.path, { status: 410 });
    await server.store.db.deleteFrom('share_links').where('id', '=', link.id).execute();
    await page(link.path, { status: 410 });
    for (const path of ['/s/none', '/s/none/more/of/it', `/s/${shareToken(server.secret, randomUUID())}`])
      await page(path, { status: 404 });
    await post('/s/none/unlock', { password: 'x' }, { status: 404 });
    const { path } = await sharedSet();
    await page(`${path}/pictures/none`, { status: 404 });
    await setDisabled(server.store.db, 'demo', true);
    await page(path, { status: 403 });
    await setDisabled(server.store.db, 'demo', false);
  });

  test('forms that the service rejects', async () => {
    const { path } = await sharedSet();
    const [approve, cross] = [{ answer: 'approved' }, { 'sec-fetch-site': 'cross-site' }];
    await write(path, approve, { status: 403, headers: cross });
    expect(await write(path, { ...approve, name: '', email: 'anna' }, { status: 422 })).toContain('⟦Check your name');
    await write(path, { body: 'x', reply_to: 'nothing' }, { status: 422 });
    await write(path, { body: 'x', reply_to: randomUUID() }, { status: 404 });
    await write(path, approve);
    await write(path, approve, { status: 409 });
    await write(path, { body: 'x'.repeat(70_000) }, { status: 413 });
  });

  test('the pages that confirm and stop e-mails', async () => {
    const { id } = await sharedSet();
    const { rows } = await sql<{ id: string }>`insert into share_followers (share_id, email)
      values (${id}, 'anna@client.example') returning id`.execute(server.store.db);
    const token = shareToken(server.secret, rows[0]?.id ?? '');
    for (const action of ['follow', 'unfollow']) {
      await page(`/${action}/${token}`);
      await post(`/${action}/${token}`, {});
      await page(`/${action}/none`, { status: 404 });
    }
  });
});
