import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FolderArtifactStore } from '../../../../src/artifacts/folder.ts';
import { type Deliveries, startDeliveries } from '../../../../src/commands/service/startDeliveries.ts';
import type { ClientAnswer, ClientComment } from '../../../../src/contract/sharing.ts';
import { recordNotice } from '../../../../src/core/journal/recordNotice.ts';
import { createChat, listChats, testChat } from '../../../../src/core/notices/chats.ts';
import { readAddressee, readUnsubscribeToken, saveChoices, unsubscribe } from '../../../../src/core/notices/choices.ts';
import { collectNotices } from '../../../../src/core/notices/collect.ts';
import { saveBranding } from '../../../../src/core/organizations/branding.ts';
import { insertImages } from '../../../../src/core/sets/images.ts';
import { answerShare, commentOnShare } from '../../../../src/core/sharing/answers.ts';
import { followShare } from '../../../../src/core/sharing/followers.ts';
import { createShareLink } from '../../../../src/core/sharing/shareLinks.ts';
import { findDelivery, listDeliveries } from '../../../../src/core/webhooks/listDeliveries.ts';
import { replayDelivery } from '../../../../src/core/webhooks/replayEvents.ts';
import { openStore, type Store } from '../../../../src/db/database.ts';
import { type Queue, startQueue } from '../../../../src/db/queue.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import { DEFAULT_BRANDING } from '../../../../src/domain/branding.ts';
import {
  type ChatKind,
  NOTICE_KINDS,
  type NoticeFacts,
  type NoticeKind,
  type Timing,
} from '../../../../src/domain/notices.ts';
import type { Role } from '../../../../src/domain/roles.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { createMailer } from '../../../../src/mail/mailer.ts';
import { type TestDatabase, testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../../../support/insertRows.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { type MailServer, startMailServer } from '../../../support/mailServer.ts';
import { TEST_KEY_RING } from '../../../support/testKeys.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

const PUBLIC_URL = 'https://shots.example/app';
const SECRET = Buffer.alloc(32, 7);

let database: TestDatabase;
let store: Store;
let queue: Queue;
let organization: TestOrganization;
let mailServer: MailServer;
let deliveries: Deliveries | undefined;

beforeEach(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  organization = await insertOrganization(store.db, { slug: 'acme' });
  mailServer = await startMailServer();
  await store.db.updateTable('installation').set({ sends_mail: true }).execute();
});

afterEach(async () => {
  await deliveries?.stop(0);
  deliveries = undefined;
  await queue.stop({ timeoutMs: 500 });
  await mailServer.close();
  await store.close();
  await database.close();
});

async function start({
  url = `smtp://127.0.0.1:${mailServer.port}`,
  allow = ['127.0.0.0/8'],
  artifacts = '/nonexistent',
} = {}): Promise<void> {
  const mailer = createMailer({ url, from: 'Tearsheet <tearsheet@shots.example>' });
  deliveries = await startDeliveries({
    ...{ store, queue, log: TEST_LOG },
    artifacts: new FolderArtifactStore(artifacts),
    guard: createGuard({ allow }),
    notices: { mailer, publicUrl: PUBLIC_URL, secret: SECRET },
    noticePollMs: 50,
  });
}

async function addMember(
  name: string,
  { role = 'owner', email = `${randomUUID()}@acme.example` }: { role?: Role; email?: string } = {},
) {
  const id = randomUUID();
  await store.db.insertInto('users').values({ id, name, email }).execute();
  const membership = { organization_id: organization.id, user_id: id, role, by_rule: false };
  await store.db.insertInto('memberships').values(membership).execute();
  return { id, email, organizationId: organization.id, userId: id };
}

async function addSet(name = 'Spring'): Promise<string> {
  const adId = await insertAd(store.db, organization);
  const id = await insertSet(store.db, organization, { pictures: [{ adId }] });
  await store.db.updateTable('screenshot_sets').set({ name }).where('id', '=', id).execute();
  return id;
}

const ANSWER = { kind: 'client_answered', pictures: 1, facts: { by: 'Ms Client', approved: true } } as const;

async function happen(
  setId: string,
  more: { kind: NoticeKind; pictures?: number; facts?: NoticeFacts } = ANSWER,
): Promise<void> {
  await recordNotice(store.db, { organizationId: organization.id, setId, ...more });
}

/** Lets so much time pass. */
const pass = (interval: string) =>
  sql`update notices set created_at = created_at - ${interval}::interval, due_at = due_at - ${interval}::interval`.execute(
    store.db,
  );

const choose = (member: { organizationId: string; userId: string }, timing: Timing, timeZone = 'UTC') =>
  saveChoices(store.db, member, { timings: new Map(NOTICE_KINDS.map((kind) => [kind, timing])), timeZone });

const collect = () => collectNotices(store.db, PUBLIC_URL);

const deliveriesOf = async () =>
  (await listDeliveries(store.db, { organizationId: organization.id }, { page: 1, perPage: 100 })).rows;

const mail = async (count = 1) => {
  await eventually(() => expect(mailServer.mails).toHaveLength(count));
  const last = mailServer.mails.at(-1);
  if (last === undefined) throw new Error('No mail came.');
  return last;
};

describe('mails', () => {
  test('a mail says everything as text, loads nothing, and names its thread and the end of notices', async () => {
    const { email, userId } = await addMember('Jane');
    const setId = await addSet('Spring & <b>Summer</b>');
    await happen(setId);
    await pass('2 minutes');
    await start();
    const { parsed, to, raw } = await mail();
    expect(to).toEqual([email]);
    expect(parsed.subject).toBe('Ms Client (client) approved 1 picture: Spring & ‹b›Summer‹/b›');
    expect(parsed.text).toContain(
      `approved 1 picture: Spring & ‹b›Summer‹/b›\nnews.example · Desktop\n${PUBLIC_URL}/o/acme/screenshot_sets/${setId}`,
    );
    expect(parsed.html).toContain('Spring &amp; ‹b›Summer‹/b›');
    expect(parsed.html).not.toMatch(/<img|<script|src=|url\(/);
    expect(parsed.inReplyTo).toBe(`<set-${setId}@shots.example>`);
    const [delivery] = await deliveriesOf();
    expect(parsed.messageId).toBe(`<notice-${delivery?.id}@shots.example>`);
    expect(parsed.headers.get('auto-submitted')).toBe('auto-generated');
    expect(raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const [, token = ''] = /unsubscribe\/(\S+?)>/.exec(raw.replace(/\r\n\s+/g, ' ')) ?? [];
    expect(readUnsubscribeToken(SECRET, token)).toEqual({ organizationId: organization.id, userId });
    // Apart from that link, no address in the mail opens anything without signing in.
    const links = [...`${parsed.text}${parsed.html}`.matchAll(/https?:[^\s"<]+/g)].map(([url]) => url);
    const plain = links.filter((url) => !url.includes('/unsubscribe/'));
    expect(new Set(plain)).toEqual(
      new Set([`${PUBLIC_URL}/o/acme/screenshot_sets/${setId}`, `${PUBLIC_URL}/o/acme/notices`]),
    );
    await eventually(async () =>
      expect((await deliveriesOf())[0]).toMatchObject({ status: 'delivered', target: 'Jane', channel: 'email' }),
    );
  });

  test('a server with STARTTLS gets the user and the mail only over TLS', async () => {
    const secure = await startMailServer({
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        password === 'p w' ? done(null, { user: username }) : done(new Error('wrong')),
    });
    await addMember('Jane');
    await happen(await addSet());
    await pass('2 minutes');
    await start({ url: `smtp://robot:p%20w@127.0.0.1:${secure.port}?tls.rejectUnauthorized=false` });
    await eventually(() => expect(secure.mails).toHaveLength(1));
    expect(secure.mails[0]).toMatchObject({ secure: true, user: 'robot' });
    await secure.close();
  });

  test('names cannot add headers, and marks that turn the direction of text are removed', async () => {
    await addMember('Jane');
    const setId = await addSet('Spring\r\nBcc: eve@evil.example\u202e\r\n\r\nBody');
    await happen(setId, { ...ANSWER, facts: { by: 'Eve\r\nX-Evil: 1 <img src=x>', approved: false } });
    await pass('2 minutes');
    await start();
    const { parsed, to } = await mail();
    expect(to).toHaveLength(1);
    expect(parsed.headers.has('bcc') || parsed.headers.has('x-evil')).toBe(false);
    expect(parsed.subject).toBe(
      'Eve X-Evil: 1 ‹img src=x› (client) asks for changes to 1 picture: Spring Bcc: eve(at)evil. example Body',
    );
    expect(parsed.html).not.toContain('<img');
  });

  test('an address that the server refuses ends the delivery, and after three in a row the mails', async () => {
    const { userId, email, organizationId } = await addMember('Jane');
    mailServer.refuse = () => ({ code: 550, text: '5.1.1 No such user here' });
    await start();
    for (const round of [1, 2, 3, 4]) {
      await happen(await addSet());
      await pass('2 minutes');
      await collect();
      await eventually(async () =>
        expect((await deliveriesOf()).filter(({ status }) => status === 'refused')).toHaveLength(Math.min(round, 3)),
      );
    }
    const [delivery] = await deliveriesOf();
    expect(delivery?.log[0]).toMatchObject({
      status_code: 550,
      outcome: 'refused',
      error: 'The mail server answered 550.',
    });
    const state = await readAddressee(store.db, { organizationId, userId });
    expect(state).toMatchObject({ email, stopped: expect.stringContaining('No such user here') });
    // With another address, mails continue.
    mailServer.refuse = () => undefined;
    await store.db.updateTable('users').set({ email: 'new@acme.example' }).where('id', '=', userId).execute();
    await happen(await addSet());
    await pass('2 minutes');
    expect((await mail()).to).toEqual(['new@acme.example']);
  });

  test('a server that is busy gets the same mail again', async () => {
    await addMember('Jane');
    mailServer.refuse = () => ({ code: 451, text: 'Try later' });
    await happen(await addSet());
    await pass('2 minutes');
    await start();
    await eventually(async () => expect((await deliveriesOf())[0]).toMatchObject({ status: 'pending', attempts: 1 }));
    mailServer.refuse = () => undefined;
    await sql`update deliveries set next_attempt_at = now()`.execute(store.db);
    await mail();
  });

  test('a mail whose process is killed before it stores the result comes twice, with one Message-ID', async () => {
    await addMember('Jane');
    await happen(await addSet());
    await pass('2 minutes');
    mailServer.accepted = () => new Promise(() => undefined);
    const sender = fileURLToPath(new URL('../../../support/deliverySender.ts', import.meta.url));
    const child = spawn(process.execPath, [sender, database.url, `smtp://127.0.0.1:${mailServer.port}`]);
    await mail();
    child.kill('SIGKILL');
    mailServer.accepted = () => undefined;
    await sql`update deliveries set next_attempt_at = now()`.execute(store.db);
    await start();
    await mail(2);
    expect(new Set(mailServer.mails.map(({ parsed }) => parsed.messageId)).size).toBe(1);
    await eventually(async () => expect((await deliveriesOf())[0]).toMatchObject({ status: 'delivered' }));
    expect(mailServer.mails).toHaveLength(2);
  });

  test('a removed member gets nothing more, neither what waits nor what is tried again', async () => {
    const { userId } = await addMember('Jane');
    mailServer.refuse = () => ({ code: 451, text: 'Try later' });
    await happen(await addSet());
    await pass('2 minutes');
    await start();
    await eventually(async () => expect((await deliveriesOf())[0]).toMatchObject({ attempts: 1 }));
    await happen(await addSet());
    await store.db.deleteFrom('memberships').where('user_id', '=', userId).execute();
    mailServer.refuse = () => undefined;
    const [{ id } = { id: '' }] = await deliveriesOf();
    await store.db.transaction().execute((tx) => replayDelivery(tx, id));
    await eventually(async () => expect((await deliveriesOf())[0]).toMatchObject({ status: 'gone' }));
    expect([await collect(), mailServer.mails]).toEqual([0, []]);
  });
});

describe('changes that clients ask for', () => {
  test('a mail names them first, with the picture and the words of the client, before what was approved', async () => {
    const member = await addMember('Jane');
    await choose(member, 'hour');
    await happen(await addSet('Earlier'));
    const { setId, answer, pictures } = await sharedSet();
    await answer({ answer: 'changes_requested', screenshot_id: pictures[0], comment: 'Wrong logo' });
    await answer({ answer: 'changes_requested', screenshot_id: pictures[1], comment: 'Cut\r\noff' });
    await answer({ answer: 'approved', screenshot_id: pictures[0] });
    await answer({ answer: 'approved' });
    await pass('2 hours');
    await start();
    const { parsed } = await mail();
    const change = 'Anna (client) asks for changes: “Cut off” on blog.example, iPhone';
    expect(parsed.subject).toBe(`${change}, and 2 more`);
    expect(parsed.text).toContain(`${change}\nSpring\n${PUBLIC_URL}/o/acme/screenshots/${pictures[1]}\n`);
    expect(parsed.text).toContain(`\n2 pictures approved: Spring\n${PUBLIC_URL}/o/acme/screenshot_sets/${setId}`);
    expect(parsed.text?.indexOf(change)).toBeLessThan(parsed.text?.indexOf('Earlier') ?? 0);
  });

  test('a mail shows a small picture of each change and the logo, without an address that opens them', async () => {
    await addMember('Jane');
    const { answer, pictures } = await sharedSet();
    const folder = await mkdtemp(join(tmpdir(), 'mails-'));
    const artifacts = new FolderArtifactStore(folder);
    const png = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await artifacts.put(`screenshots/${pictures[0]}.png`, png);
    await artifacts.put('logos/acme.png', png);
    const logo = { key: 'logos/acme.png', sha256: '1099', bytes: png.length, width: 20, height: 10 };
    const [token = ''] = await insertImages(store.db, [{ organizationId: organization.id, ...logo }]);
    await saveBranding(store.db, organization.id, { ...DEFAULT_BRANDING, brand_name: 'Acme & Co' });
    await saveBranding(store.db, organization.id, { logo_token: token });
    for (const id of pictures.slice(0, 2)) await answer({ answer: 'changes_requested', screenshot_id: id });
    await pass('2 minutes');
    await start({ artifacts: folder });
    const { parsed, raw } = await mail();
    const types = parsed.attachments.map(({ contentType, cid, related }) => [contentType, cid, related]);
    const cid = `${pictures[0]?.slice(0, 16)}@tearsheet`;
    // The second picture cannot be drawn: the mail comes without it.
    expect(types).toEqual([
      ['image/png', '1099@tearsheet', true],
      ['image/jpeg', cid, true],
    ]);
    expect(
      await Promise.all(parsed.attachments.map(async ({ content }) => (await sharp(content).metadata()).width)),
    ).toEqual([20, 20]);
    const html = raw.replace(/=\r\n/g, '').replaceAll('=3D', '=');
    expect([...html.matchAll(/<img src="([^"]*)" alt="([^"]*)"/g)].map((found) => found.slice(1))).toEqual([
      ['cid:1099@tearsheet', 'Acme &amp; Co'],
      [`cid:${cid}`, ''],
    ]);
    expect(`${parsed.text}${html}`).not.toContain(token);
    await rm(folder, { recursive: true });
  });

  test('a mail is in the language of the person, and without one in that of the organization', async () => {
    await store.db.updateTable('organizations').set({ language: 'de' }).execute();
    await addMember('Jane', { email: 'jane@acme.example' });
    const { id } = await addMember('John', { email: 'john@acme.example' });
    await store.db.updateTable('users').set({ language: 'en' }).where('id', '=', id).execute();
    const { shareId } = await sharedSet();
    await followShare(store.db, shareId, 'anna@client.example');
    await happen(await addSet());
    await pass('2 minutes');
    await start();
    await mail(3);
    const subjects = new Map(mailServer.mails.map(({ to, parsed }) => [to[0], parsed.subject]));
    expect(Object.fromEntries(subjects)).toEqual({
      'jane@acme.example': 'Ms Client (Kunde) hat 1 Bild freigegeben: Spring',
      'john@acme.example': 'Ms Client (client) approved 1 picture: Spring',
      'anna@client.example': 'acme: Ja, ich möchte die Antworten erhalten',
    });
    expect(mailServer.mails.find(({ to }) => to[0]?.startsWith('jane'))?.parsed.html).toContain('<html lang="de">');
  });

  test('a comment through a link of a campaign is the subject of a mail about the set of its picture', async () => {
    await addMember('Jane');
    const { setId, comment, pictures } = await sharedSet({ isOfCampaign: true });
    await comment({ body: 'Which logo?', screenshot_id: pictures[1] });
    await comment({ body: 'Thanks' });
    await pass('2 minutes');
    await start();
    const { parsed } = await mail();
    expect(parsed.subject).toBe('Anna (client): “Which logo?” on blog.example, iPhone, and 1 more');
    expect(parsed.text).toContain(`\nAnna (client): “Thanks”\nSpring\n${PUBLIC_URL}/o/acme/screenshot_sets/${setId}`);
  });

  test('a comment without an answer is the subject of a mail, after a change that a client asks for', async () => {
    await addMember('Jane');
    const { answer, comment, pictures } = await sharedSet();
    await comment({ body: 'Which logo?', screenshot_id: pictures[1] });
    await pass('2 minutes');
    await start();
    const said = 'Anna (client): “Which logo?” on blog.example, iPhone';
    expect((await mail()).parsed.subject).toBe(said);
    await sql`update comments set created_at = now() - interval '1 hour'`.execute(store.db);
    await comment({ body: 'Thanks' });
    await answer({ answer: 'changes_requested', screenshot_id: pictures[0], comment: 'Too small' });
    await answer({ answer: 'approved', screenshot_id: pictures[1], comment: 'Good' });
    await pass('2 minutes');
    const { parsed } = await mail(2);
    expect(parsed.subject).toBe('Anna (client) asks for changes: “Too small” on news.example, Desktop, and 2 more');
    expect(parsed.text).toContain('\nAnna (client): “Thanks”\nSpring\n');
    expect(parsed.text).not.toMatch(/“Good”|Which logo/);
  });

  test('a client who asked for replies gets the mail that confirms the address', async () => {
    const { shareId } = await sharedSet();
    await followShare(store.db, shareId, 'anna@client.example');
    await start();
    const { parsed, to } = await mail();
    expect([to, parsed.subject]).toEqual([['anna@client.example'], 'acme: Yes, send me the replies']);
    expect(parsed.text).toMatch(/^https:\/\/shots\.example\/app\/follow\/\S+$/m);
  });

  test('only the newest answer about each picture counts', async () => {
    await addMember('Jane');
    const { answer, pictures } = await sharedSet();
    await answer({ answer: 'changes_requested' });
    for (const comment of Array.from({ length: 12 }, (_, i) => `Change ${i}`))
      await answer({ answer: 'changes_requested', screenshot_id: pictures[0], comment });
    await pass('2 minutes');
    await start();
    const { parsed } = await mail();
    expect(parsed.subject).toBe('Anna (client) asks for changes to 2 pictures, and 1 more');
    expect(parsed.text).toContain('\nAnna (client) asks for changes: “Change 11” on news.example, Desktop\n');
    expect(parsed.text).not.toContain('Change 10');
  });
});

/** A set of three pictures, and answers through its link. */
/** @param isOfCampaign whether the link shows the whole campaign of the set. */
async function sharedSet({ isOfCampaign = false } = {}) {
  const adId = await insertAd(store.db, organization);
  const sites = [{ site: 'https://news.example/' }, { site: 'https://blog.example/', device: 'iphone' }] as const;
  const places = [...sites, { site: 'https://shop.example/' }];
  const setId = await insertSet(store.db, organization, { pictures: places.map((place) => ({ adId, ...place })) });
  await store.db
    .updateTable('screenshot_sets')
    .set({ name: 'Spring', status: 'approved' })
    .where('id', '=', setId)
    .execute();
  await sql`with image as (
      insert into images (token, organization_id, artifact_key, width, height, bytes, sha256)
      select id::text, ${organization.id}, 'screenshots/' || id || '.png', 20, 10, 1, id::text from screenshots where set_id = ${setId} returning token)
    update screenshots set status = 'uploaded', image_token = id::text where set_id = ${setId}
      and exists (select from image)`.execute(store.db);
  const shots = store.db.selectFrom('screenshots').select('id').where('set_id', '=', setId).orderBy('seq');
  const set = store.db.selectFrom('screenshot_sets').where('id', '=', setId);
  const { campaign_id: campaignId } = await set.select('campaign_id').executeTakeFirstOrThrow();
  const owner = isOfCampaign ? { campaignId } : { setId };
  const wanted = { organizationId: organization.id, ...owner, label: '', expiresAt: new Date(Date.now() + 3_600_000) };
  const tx = store.db.transaction();
  const link = await tx.execute((on) => createShareLink(on, { ...wanted, downloads: false, answers: true }, OPERATOR));
  const visit = { shareId: link.id, address: null, tokens: [], secret: SECRET };
  const who = { name: 'Anna', email: 'anna@client.example' };
  const answer = (given: Pick<ClientAnswer, 'answer' | 'screenshot_id' | 'comment'>) =>
    store.db.transaction().execute((on) => answerShare(on, visit, { ...who, ...given }));
  const comment = (given: Pick<ClientComment, 'body' | 'screenshot_id'>) =>
    store.db.transaction().execute((on) => commentOnShare(on, visit, { ...who, ...given }));
  return { setId, shareId: link.id, answer, comment, pictures: (await shots.execute()).map(({ id }) => id) };
}

describe('choices', () => {
  test('each role has defaults, and a person who did it hears nothing', async () => {
    const [owner, reviewer] = [await addMember('O'), await addMember('R', { role: 'reviewer' })];
    const viewer = await addMember('V', { role: 'viewer' });
    const setId = await addSet();
    await happen(setId);
    await happen(setId, { kind: 'set_failed' });
    await recordNotice(store.db, {
      organizationId: organization.id,
      setId,
      kind: 'picture_rejected',
      pictures: 2,
      by: owner,
    });
    await choose(viewer, 'day');
    await happen(setId, { kind: 'share_opened', facts: { label: 'x' } });
    const rows = await store.db.selectFrom('notices').select(['user_id', 'kind']).execute();
    const kindsOf = ({ id }: { id: string }) =>
      rows
        .filter(({ user_id }) => user_id === id)
        .map(({ kind }) => kind)
        .sort();
    expect(kindsOf(owner)).toEqual(['client_answered', 'set_failed', 'share_opened']);
    expect(kindsOf(reviewer)).toEqual(['client_answered']);
    expect(kindsOf(viewer)).toEqual(['share_opened']);
  });

  test('a digest by day comes after 7:00 in the time zone of the person, and says all in one mail', async () => {
    const member = await addMember('Jane');
    const { rows } = await sql<{ zone: string; early: string }>`
      select name as zone, to_char(now() at time zone name, 'HH24:MI') as early from pg_timezone_names
      where name like 'Etc/GMT%' and extract(hour from now() at time zone name) = 7 limit 1`.execute(store.db);
    const [{ zone } = { zone: 'UTC' }] = rows;
    await choose(member, 'day', zone);
    for (const name of ['One', 'Two', 'Three']) await happen(await addSet(name));
    await pass('2 hours');
    await start();
    const { parsed } = await mail();
    expect(parsed.subject).toMatch(/: One, and 2 more$/);
    expect(parsed.text).toMatch(/One[\s\S]*Two[\s\S]*Three/);
    // After 7:00, the next one comes tomorrow, and at once after another choice.
    await happen(await addSet());
    await sql`update notices set due_at = now()`.execute(store.db);
    expect(await collect()).toBe(0);
    await choose(member, 'now', zone);
    expect(await collect()).toBe(1);
  });

  test('a digest by day comes at 7:00 in the time zone of the organization until the person chooses one', async () => {
    await addMember('Jane');
    await happen(await addSet(), { kind: 'share_opened', facts: { label: '' } });
    await pass('2 hours');
    const collectAt = async (hour: number) => {
      await sql`update organizations set time_zone = (select name from pg_timezone_names
        where name like 'Etc/GMT%' and extract(hour from now() at time zone name) = ${hour} limit 1)`.execute(store.db);
      await sql`update notices set due_at = now()`.execute(store.db);
      return collect();
    };
    expect([await collectAt(5), await collectAt(7)]).toEqual([0, 1]);
  });

  test('two processes at the same time make one digest, and a killed one loses none', async () => {
    const member = await addMember('Jane');
    await choose(member, 'hour');
    for (const _ of Array(50)) await happen(await addSet());
    await pass('1 hour');
    // Another process is at work, has one of them, and is killed.
    const killed = store.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(7302100841)`.execute(tx);
      await sql`delete from notices where id = (select id from notices limit 1)`.execute(tx);
      expect(await collect()).toBe(0);
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    const other = openStore({ url: database.url, keyRing: TEST_KEY_RING });
    const made = await Promise.all([collect(), collectNotices(other.db, PUBLIC_URL), collect()]);
    await other.close();
    expect(made.toSorted()).toEqual([0, 0, 1]);
    const [delivery] = await deliveriesOf();
    const found = await findDelivery(store.db, { organizationId: organization.id, id: delivery?.id ?? '' });
    expect(JSON.parse(found?.body ?? '').data.object).toMatchObject({ items: { length: 30 }, more: 20 });
  });

  test('a person who ended notices gets none, also of those that wait, and others still do', async () => {
    const [jane, john] = [await addMember('Jane'), await addMember('John')];
    await happen(await addSet());
    const member = { organizationId: jane.organizationId, userId: jane.userId };
    await unsubscribe(store.db, member);
    await pass('2 minutes');
    await start();
    expect((await mail()).to).toEqual([john.email]);
    await happen(await addSet());
    const rows = await store.db.selectFrom('notices').select('user_id').execute();
    expect(rows).toEqual([{ user_id: john.userId }]);
  });
});

describe('many', () => {
  test('occurrences together are one notice, and an hour has at most 20 mails', async () => {
    await addMember('Jane');
    const many = await addSet('Many');
    for (const _ of Array(10)) await happen(many);
    for (const _ of Array(25)) await happen(await addSet());
    await pass('2 minutes');
    expect(await collect()).toBe(20);
    const { rows } = await sql<{ body: string }>`select body from events`.execute(store.db);
    const text = 'Ms Client (client) approved 10 pictures: Many';
    expect(rows.filter(({ body }) => body.includes(text))).toHaveLength(1);
    expect(await collect()).toBe(0);
    await pass('1 hour');
    expect(await collect()).toBe(1);
  });

  test('without a mail server and chats nothing is stored', async () => {
    await addMember('Jane');
    await store.db.updateTable('installation').set({ sends_mail: false }).execute();
    await happen(await addSet());
    expect(await store.db.selectFrom('notices').select('id').execute()).toEqual([]);
  });
});

describe('chats', () => {
  let receiver: Listener;
  let received: { path: string; body: unknown }[];
  let answer: { status: number; headers?: Record<string, string>; text?: string };

  beforeEach(async () => {
    [received, answer] = [[], { status: 200 }];
    receiver = await listenHttp(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      received.push({ path: request.url ?? '', body: JSON.parse(body) });
      response.writeHead(answer.status, answer.headers).end(answer.text ?? 'ok');
    });
  });
  afterEach(() => receiver.close());

  async function addChat(kind: ChatKind, address = `${receiver.url}/services/T000/SECRETSECRET`): Promise<string> {
    await createChat(store.db, organization.id, { name: kind, kind, address, notices: ['client_answered'] }, OPERATOR);
    const row = (await listChats(store.db, organization.id)).find(({ name }) => name === kind);
    return row?.id ?? '';
  }

  test('each kind of chat gets its own form, in which a name is neither markup nor a link', async () => {
    for (const kind of ['slack', 'teams', 'webhook'] as const) await addChat(kind);
    const setId = await addSet('<!channel> & [x](https://evil.example)');
    await happen(setId);
    await pass('2 minutes');
    await start();
    await eventually(() => expect(received).toHaveLength(3));
    const url = `${PUBLIC_URL}/o/acme/screenshot_sets/${setId}`;
    const bodies = received.map(({ body }) => body);
    const text =
      'Ms Client (client) approved 1 picture: ‹!channel› & [x] (https: /evil. example)\nnews.example · Desktop';
    expect(bodies).toContainEqual({ text: `${text}\n${url}` });
    expect(bodies).toContainEqual({
      text: '[acme] Ms Client (client) approved 1 picture: ‹!channel› &amp; [x] (https: /evil. example)',
      blocks: [
        {
          type: 'section',
          text: { type: 'plain_text', text, emoji: false },
          accessory: { type: 'button', text: { type: 'plain_text', text: 'Open' }, url },
        },
      ],
    });
    const card = bodies.find((body) => JSON.stringify(body).includes('AdaptiveCard'));
    expect(JSON.stringify(card)).not.toContain('"TextBlock"');
    expect(card).toMatchObject({
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: { version: '1.4' } }],
    });
  });

  test.each([404, 410])(
    'a chat that answers %i is disabled, and its address is in no row and no answer',
    async (status) => {
      const id = await addChat('slack');
      answer = { status, text: 'no_service /services/T000/SECRETSECRET' };
      await start();
      await testChat(
        store.db,
        { organizationId: organization.id, id },
        { publicUrl: PUBLIC_URL, slug: 'acme' },
        OPERATOR,
      );
      await eventually(async () => expect((await deliveriesOf())[0]).toMatchObject({ status: 'gone' }));
      expect((await listChats(store.db, organization.id))[0]).toMatchObject({
        disabled_reason: expect.stringContaining(String(status)),
      });
      await happen(await addSet());
      expect(await store.db.selectFrom('notices').select('id').execute()).toEqual([]);
      for (const table of ['notice_chats', 'deliveries', 'delivery_attempts', 'events', 'audit_log']) {
        const { rows } = await sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(table)} t`.execute(
          store.db,
        );
        expect(rows.map(({ row }) => row).join('\n')).not.toContain('SECRETSECRET');
      }
    },
  );

  test('a chat at a private address and one that redirects there are not asked', async () => {
    const inside = await listenHttp((_request, response) => void response.end('inside'));
    const id = await addChat('webhook', `${receiver.url}/hook`);
    answer = { status: 302, headers: { location: `${inside.url}/secret` } };
    await start();
    const place = { publicUrl: PUBLIC_URL, slug: 'acme' };
    await testChat(store.db, { organizationId: organization.id, id }, place, OPERATOR);
    await eventually(async () => expect((await deliveriesOf())[0]).toMatchObject({ status: 'retries_exhausted' }));
    await deliveries?.stop(0);
    await start({ allow: [] });
    const before = received.length;
    await testChat(store.db, { organizationId: organization.id, id }, place, OPERATOR);
    await eventually(async () => expect((await deliveriesOf()).map(({ status }) => status)).toContain('refused'));
    expect(received).toHaveLength(before);
    await inside.close();
  });
});
