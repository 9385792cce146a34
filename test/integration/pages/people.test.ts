/** People without a provider: invitations, links by e-mail, sessions, members and roles. The mail server is a real one. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { changeRole, listMembers, removeMember } from '../../../src/core/people/members.ts';
import { createSignInLink } from '../../../src/core/people/signInLinks.ts';
import { findUserByEmail } from '../../../src/core/people/users.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { ROLES, type Role } from '../../../src/domain/roles.ts';
import { createMailer } from '../../../src/mail/mailer.ts';
import { eventually } from '../../support/eventually.ts';
import { linkOf, type MailServer, startMailServer } from '../../support/mailServer.ts';
import { required } from '../../support/required.ts';
import { expectLoggedErrors } from '../../support/testLog.ts';
import { type WebAnswer, WebBrowser } from '../../support/webBrowser.ts';
import { type PagesServer, seedSet, startPages } from './pagesServer.ts';

let mail: MailServer;
let server: PagesServer;
let setId: string;
let otherId: string;
beforeAll(async () => {
  mail = await startMailServer();
  mail.refuse = (to) => (to.startsWith('full@') ? { code: 550, text: 'no such mailbox' } : undefined);
  server = await startPages({ mailer: createMailer({ url: mail.url, from: 'Tearsheet <tearsheet@example.com>' }) });
  await createOrganization(server.store.db, { slug: 'other' });
  const other = server.store.db.selectFrom('organizations').select('id').where('slug', '=', 'other');
  otherId = (await other.executeTakeFirstOrThrow()).id;
  const shots = [{ site: 'https://news.example/', device: 'desktop' }] as const;
  setId = (await seedSet(server, { campaign: 'Spring', status: 'in_review', shots })).setId;
});
afterAll(async () => {
  await server.close();
  await mail.close();
});

const browse = () => new WebBrowser(server.url);
const key = () => ({ authorization: `Bearer ${server.apiKey}` });
/** As the owner's key does. */
const invite = (email: string, role: Role = 'reviewer') =>
  browse().post('/o/demo/settings/members', { email, role }, key());
const mailsTo = (email: string) => mail.mails.filter(({ to }) => to.includes(email)).length;

/** Invites the person and accepts. @returns the browser with the session. */
async function join(email: string, role: Role = 'reviewer', name = email): Promise<WebBrowser> {
  await invite(email, role);
  const browser = browse();
  const { status } = await browser.post(linkOf(await mail.mailTo(email)), { name });
  expect(status).toBe(303);
  return browser;
}

async function userId(email: string): Promise<string> {
  return required(await findUserByEmail(server.store.db, email)).id;
}

const member = async (email: string) => ({ organizationId: server.organizationId, userId: await userId(email) });
const remove = async (email: string) => {
  const ref = await member(email);
  await server.store.db.transaction().execute((tx) => removeMember(tx, ref, OPERATOR));
};
const isIn = async (browser: WebBrowser, path = '/o/demo/campaigns') =>
  (await browser.get(path)).text.includes('aria-label="Sections"');
const isRefused = ({ status }: WebAnswer) => status >= 400;

/** Asks for a link and reads it in the mail. */
async function askForLink(browser: WebBrowser, email: string, next = ''): Promise<string> {
  const before = mailsTo(email);
  await browser.post('/sign-in/email', { email, next });
  return linkOf(await mail.mailTo(email, before));
}

describe('an invitation', () => {
  test('a mail of text and HTML leads to a page whose button makes the person a member and signs in', async () => {
    await invite('ann@example.com', 'manager');
    const sent = await mail.mailTo('ann@example.com');
    expect([sent.from?.text, sent.subject]).toEqual([
      '"Tearsheet" <tearsheet@example.com>',
      'Invitation to demo on Tearsheet',
    ]);
    expect(sent.html).toContain(linkOf(sent));
    const ann = browse();
    const page = await ann.get(linkOf(sent));
    expect([page.status, page.headers.get('referrer-policy'), page.headers.get('cache-control')]).toEqual([
      200,
      'same-origin',
      'no-store',
    ]);
    expect(page.text).toContain('manager');
    expect(await isIn(ann)).toBe(false);
    const { location } = await ann.post(linkOf(sent), { name: 'Ann Ansel' });
    expect(location).toBe('/o/demo');
    expect((await ann.get('/o/demo/campaigns')).text).toContain('Ann Ansel');
  });

  test('it works once, and not at all after it was withdrawn, was replaced or has expired', async () => {
    await join('twice@example.com');
    const link = linkOf(await mail.mailTo('twice@example.com'));
    expect([(await browse().get(link)).status, (await browse().post(link, { name: 'X' })).status]).toEqual([410, 404]);
    await invite('ben@example.com');
    const first = linkOf(await mail.mailTo('ben@example.com'));
    await invite('ben@example.com');
    const second = linkOf(await mail.mailTo('ben@example.com', 1));
    expect([(await browse().get(first)).status, (await browse().get(second)).status]).toEqual([410, 200]);
    await server.store.pool.query(`update invitations set expires_at = now() where email = 'ben@example.com'`);
    expect(isRefused(await browse().post(second, { name: 'Ben' }))).toBe(true);
    await invite('ben@example.com');
    const { rows } = await server.store.pool.query(`select id from invitations where email = 'ben@example.com'`);
    await browse().post(`/o/demo/settings/invitations/${rows[0].id}/withdraw`, {}, key());
    expect(isRefused(await browse().post(linkOf(await mail.mailTo('ben@example.com', 2)), { name: 'Ben' }))).toBe(true);
  });

  test('two acceptances at the same moment make one member', async () => {
    await invite('race@example.com');
    const link = linkOf(await mail.mailTo('race@example.com'));
    const answers = await Promise.all([1, 2, 3, 4].map(() => browse().post(link, { name: 'Race' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404]);
  });

  test('a guessed link opens nothing', async () => {
    for (const guess of ['x', 'A'.repeat(43), '%00', '..%2F..']) {
      expect(isRefused(await browse().get(`/invitations/${guess}`))).toBe(true);
      expect(isRefused(await browse().post(`/invitations/${guess}`, { name: 'X' }))).toBe(true);
    }
  });

  test('a person with another address cannot accept it, and it stays open', async () => {
    const eve = await join('eve@example.com');
    await invite('fay@example.com', 'owner');
    const link = linkOf(await mail.mailTo('fay@example.com'));
    const answer = await eve.submit('/account', link);
    expect([answer.status, answer.text.includes('is for fay@example.com')]).toEqual([403, true]);
    expect((await browse().get(link)).status).toBe(200);
  });

  test('the link does not sign in as a person who exists: this person signs in first', async () => {
    await join('gil@example.com');
    await remove('gil@example.com');
    await invite('gil@example.com', 'owner');
    const link = linkOf(await mail.mailTo('gil@example.com', 1));
    const thief = browse();
    expect((await thief.post(link, { name: 'Thief' })).status).toBe(409);
    expect(thief.cookies.has('tearsheet_person')).toBe(false);
    const gil = browse();
    await gil.post(await askForLink(gil, 'gil@example.com', link));
    expect((await gil.submit('/account', link)).location).toBe('/o/demo');
    expect(await isIn(gil)).toBe(true);
  });

  test('a mail server that rejects the mail is said where the person looks, and the organization keeps the invitation', async () => {
    expectLoggedErrors(/request failed/);
    const { status, text } = await invite('full@example.com');
    expect([status, text.includes('the mail server did not accept the mail')]).toEqual([503, true]);
    expect((await browse().get('/o/demo/settings/members', key())).text).toContain('full@example.com');
  });
});

test('an address gets three invitations at once', async () => {
  const sent = [];
  for (let times = 0; times < 4; times += 1) sent.push((await invite('victim@example.com')).status);
  expect(sent).toEqual([200, 200, 200, 429]);
});

test('an open invitation does not bring a removed member back', async () => {
  await join('olaf@example.com', 'viewer');
  const { store, organizationId } = server;
  const row = { id: randomUUID(), organization_id: organizationId, email: 'olaf@example.com', role: 'owner' as const };
  const secrets = { token_sha256: Buffer.from(row.id), mailed: true, expires_at: new Date(Date.now() + 86_400_000) };
  await store.db
    .insertInto('invitations')
    .values({ ...row, ...secrets })
    .execute();
  const { userId: id } = await member('olaf@example.com');
  await store.db.transaction().execute((tx) => removeMember(tx, { organizationId, userId: id }, OPERATOR));
  expect(await store.db.selectFrom('invitations').select('id').where('id', '=', row.id).execute()).toEqual([]);
});

describe('a link by e-mail', () => {
  test('opening it uses nothing up, because programs that check mails open it; its button signs in once', async () => {
    await join('hal@example.com');
    const hal = browse();
    const link = await askForLink(hal, 'hal@example.com', '/o/demo/ads');
    for (const _ of [1, 2]) expect((await hal.get(link)).status).toBe(200);
    expect(hal.cookies.has('tearsheet_person')).toBe(false);
    expect((await hal.post(link)).location).toBe('/o/demo/ads');
    expect(await isIn(hal)).toBe(true);
    expect([(await hal.get(link)).status, (await hal.post(link)).status]).toEqual([410, 410]);
  });

  test('it does not work in another browser, and stays valid in its own', async () => {
    await join('ida@example.com');
    const ida = browse();
    const link = await askForLink(ida, 'ida@example.com');
    const other = browse();
    await other.post('/sign-in/email', { email: 'nobody@example.com' });
    expect([(await browse().post(link)).status, (await other.post(link)).status]).toEqual([410, 410]);
    expect((await ida.post(link)).status).toBe(303);
  });

  test('it ends after ten minutes', async () => {
    await join('jon@example.com');
    const jon = browse();
    const link = await askForLink(jon, 'jon@example.com');
    const { rows } = await server.store.pool.query(
      `select expires_at - now() < interval '10 min' as soon from sign_in_links`,
    );
    expect(rows.at(-1).soon).toBe(true);
    await server.store.pool.query('update sign_in_links set expires_at = now()');
    expect((await jon.post(link)).status).toBe(410);
  });

  test('the answer is the same for a known and an unknown address, and an unknown one gets no mail', async () => {
    await join('kim@example.com');
    const textOf = async (email: string) =>
      (await browse().post('/sign-in/email', { email })).text.replaceAll(email, '');
    expect(await textOf('kim@example.com')).toBe(await textOf('stranger@example.com'));
    await mail.mailTo('kim@example.com', 1);
    expect(mailsTo('stranger@example.com')).toBe(0);
  });

  test('one address gets few mails, with the same answer, and one network asks for few', async () => {
    await join('lea@example.com');
    for (const _ of [1, 2, 3, 4, 5])
      expect((await browse().post('/sign-in/email', { email: 'lea@example.com' })).status).toBe(200);
    await mail.mailTo('lea@example.com', 3);
    const answers = [];
    for (let i = 0; i < 20; i++)
      answers.push((await browse().post('/sign-in/email', { email: `n${i}@example.com` })).status);
    expect(answers.at(-1)).toBe(429);
    expect(mailsTo('lea@example.com')).toBe(4);
    await server.store.pool.query(`delete from rate_buckets where key like 'sign-in links for%'`);
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/s/x',
    'javascript:alert(1)',
    '/o/demo/../..//evil.example/x',
  ])('a return path to elsewhere stays on this site: %s', async (next) => {
    const db = server.store.db;
    const [browser, id] = [browse(), await userId('hal@example.com')];
    const token = await createSignInLink(db, { userId: id, browser: undefined, next });
    const { location } = await browser.post(`/sign-in/${token}`);
    expect(new URL(location, server.url).origin).toBe(server.url);
    expect(location).toMatch(/^\/(o|account)/);
  });

  test('a form of another site asks for no link and signs nobody in', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await browse().post('/sign-in/email', { email: 'hal@example.com' }, headers)).status).toBe(403);
    const token = await createSignInLink(server.store.db, {
      userId: await userId('hal@example.com'),
      browser: undefined,
      next: '',
    });
    expect((await browse().post(`/sign-in/${token}`, {}, headers)).status).toBe(403);
  });

  test('a mail server that is down is in the log, and the answer says nothing', async () => {
    expectLoggedErrors(/a link to sign in could not be sent/);
    const counted: unknown[] = [];
    const lonely = await startPages({
      mailer: createMailer({ url: 'smtp://127.0.0.1:1', from: 'a@example.com' }),
      countSignIn: (...given) => counted.push(given),
    });
    await lonely.store.db.insertInto('users').values({ id: setId, email: 'ann@example.com', name: 'Ann' }).execute();
    const answer = await new WebBrowser(lonely.url).post('/sign-in/email', { email: 'ann@example.com' });
    expect(answer.status).toBe(200);
    await eventually(() => expect(counted).toEqual([['link', 'failed']]));
    await new WebBrowser(lonely.url).post('/o/demo/sign-in', { key: lonely.apiKey });
    await new WebBrowser(lonely.url).post('/o/demo/sign-in', { key: 'wrong' });
    expect(counted.slice(1)).toEqual([
      ['key', 'signed_in'],
      ['key', 'refused'],
    ]);
    // The refusal is recorded after its answer, and needs the database.
    const refusals = lonely.store.db.selectFrom('audit_log').select('id').where('action', '=', 'session.refused');
    await eventually(async () => expect(await refusals.execute()).toHaveLength(1));
    await lonely.close();
  });
});

describe('a session', () => {
  test('its token is new with each sign-in, and the one before is out', async () => {
    const mia = await join('mia@example.com');
    const planted = required(mia.cookies.get('tearsheet_person'));
    const link = await askForLink(mia, 'mia@example.com');
    await mia.post(link);
    expect(mia.cookies.get('tearsheet_person')).not.toBe(planted);
    const attacker = browse();
    attacker.cookies.set('tearsheet_person', planted);
    expect(await isIn(attacker)).toBe(false);
    const victim = browse();
    victim.cookies.set('tearsheet_person', 'planted-by-somebody-else');
    await victim.post(
      `/sign-in/${await createSignInLink(server.store.db, { userId: await userId('mia@example.com'), browser: undefined, next: '' })}`,
    );
    expect(victim.cookies.get('tearsheet_person')).not.toBe('planted-by-somebody-else');
  });

  test('the database holds no token that opens anything', async () => {
    const nia = await join('nia@example.com');
    const token = required(nia.cookies.get('tearsheet_person'));
    const { rows } = await server.store.pool.query('select * from user_sessions');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(rows.every(({ token_sha256 }) => Buffer.isBuffer(token_sha256))).toBe(true);
  });

  test('the page of the account lists them, ends one, and ends all', async () => {
    const [one, two] = [await join('oli@example.com'), browse()];
    await two.post(await askForLink(two, 'oli@example.com'));
    const { text } = await one.get('/account');
    expect(text.match(/Chrome 131 on Linux/g)).toHaveLength(2);
    const other = required(/account\/sessions\/([0-9a-f-]{36})\/end/.exec(text)?.[1]);
    await one.submit('/account', `/account/sessions/${other}/end`);
    expect([await isIn(one), await isIn(two)]).toEqual([true, false]);
    const ended = `select 1 from audit_log where action = 'session.ended' and object_id = $1`;
    expect((await server.store.pool.query(ended, [other])).rowCount).toBe(1);
    await two.post(await askForLink(two, 'oli@example.com'));
    await one.submit('/account', '/account/sign-out-everywhere');
    expect([await isIn(one), await isIn(two)]).toEqual([false, false]);
  });

  test('nobody ends the session of another person', async () => {
    const [pam, quinn] = [await join('pam@example.com'), await join('quinn@example.com')];
    const { rows } = await server.store.pool.query('select id from user_sessions where user_id = $1', [
      await userId('pam@example.com'),
    ]);
    await quinn.submit('/account', `/account/sessions/${rows[0].id}/end`);
    expect(await isIn(pam)).toBe(true);
  });

  test('a form needs the token of its own session', async () => {
    const [roy, sue] = [await join('roy@example.com', 'owner'), await join('sue@example.com', 'owner')];
    const form = required(/name="form" value="([^"]+)"/.exec((await sue.get('/account')).text)?.[1]);
    for (const path of [
      '/account/sign-out',
      '/account/name',
      '/o/demo/settings/members',
      `/o/demo/screenshot_sets/${setId}/approve`,
    ])
      expect((await roy.post(path, { form, name: 'X', email: 'x@example.com', role: 'owner' })).status).toBe(403);
    expect(await isIn(roy)).toBe(true);
  });
});

test('a person chooses a name and the language of e-mails', async () => {
  const { db } = server.store;
  const browser = await join('lena@example.com');
  const save = (language: string) => browser.submit('/account', '/account/name', { name: 'Lena', language });
  const stored = () =>
    db.selectFrom('users').select(['name', 'language']).where('email', '=', 'lena@example.com').execute();
  await save('de');
  expect(await stored()).toEqual([{ name: 'Lena', language: 'de' }]);
  expect((await browser.get('/account')).text).toContain('value="de" selected');
  await save('');
  expect(await stored()).toEqual([{ name: 'Lena', language: null }]);
});

describe('a member', () => {
  test('is out with the next request after the removal and at an open stream at once, and stays in other organizations', async () => {
    const tim = await join('tim@example.com');
    const id = await userId('tim@example.com');
    await server.store.db
      .insertInto('memberships')
      .values({ organization_id: otherId, user_id: id, role: 'viewer' })
      .execute();
    const cookie = `tearsheet_person=${tim.cookies.get('tearsheet_person')}`;
    const { setId: running } = await seedSet(server, {
      campaign: 'Live',
      status: 'capturing',
      shots: [{ site: 'https://a.example/', device: 'desktop', status: 'pending' }],
    });
    const stream = await fetch(`${server.url}/o/demo/screenshot_sets/${running}/events`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    const since = performance.now();
    await remove('tim@example.com');
    expect(await stream.text()).toContain('event: end');
    expect(performance.now() - since).toBeLessThan(10_000);
    expect([await isIn(tim), await isIn(tim, '/o/other/campaigns')]).toEqual([false, true]);
    expect((await tim.get(`/o/demo/screenshot_sets/${setId}.json`)).status).toBe(401);
  });

  test('can switch between organizations, and sees no other one', async () => {
    const uma = await join('uma@example.com');
    await server.store.db
      .insertInto('memberships')
      .values({ organization_id: otherId, user_id: await userId('uma@example.com'), role: 'viewer' })
      .execute();
    expect((await uma.get('/o/demo/campaigns')).text).toContain('href="/o/other"');
    expect((await uma.get('/')).location).toBe('/account');
    await createOrganization(server.store.db, { slug: 'third' });
    expect((await uma.get('/o/third/campaigns')).text).toContain('who is not a member of this organization');
  });

  test.each([
    ['viewer', 'reviews', 403],
    ['reviewer', 'reviews', 303],
    ['reviewer', 'approve', 303],
    ['reviewer', 'cancel', 403],
    ['reviewer', 'shares', 403],
    ['manager', 'shares', 303],
  ] as const)('a %s who sends the form "%s" of a set gets %i', async (role, form, expected) => {
    const email = `${role}-${form}@example.com`;
    const person = await join(email, role);
    const shots = [{ site: 'https://news.example/', device: 'desktop' }] as const;
    const set = await seedSet(server, { campaign: email, status: 'in_review', shots });
    const { status } = await person.submit('/account', `/o/demo/screenshot_sets/${set.setId}/${form}`, {
      decide: 'approved:selected',
    });
    expect(status).toBe(expected);
  });

  test.each(ROLES)('with the role %s sees the settings only as owner', async (role) => {
    const person = await join(`settings-${role}@example.com`, role);
    const statuses = ['members', 'keys', 'audit_log'].map(
      async (page) => (await person.get(`/o/demo/settings/${page}`)).status,
    );
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([role === 'owner' ? 200 : 403]));
  });

  test('the last owner stays owner and member, also when two leave at the same moment', async () => {
    const [vic, wim] = ['vic@example.com', 'wim@example.com'];
    await join(vic, 'owner');
    await join(wim, 'owner');
    const { db } = server.store;
    for (const { user_id: id, role, email } of await listMembers(db, server.organizationId))
      if (role === 'owner' && email !== vic && email !== wim)
        await db
          .transaction()
          .execute((tx) =>
            changeRole(tx, { organizationId: server.organizationId, userId: id, role: 'viewer' }, OPERATOR),
          );
    const left = await Promise.allSettled([remove(vic), remove(wim)]);
    expect(left.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const last = required((await listMembers(db, server.organizationId)).find(({ role }) => role === 'owner'));
    const ref = { organizationId: server.organizationId, userId: last.user_id, role: 'viewer' } as const;
    await expect(db.transaction().execute((tx) => changeRole(tx, ref, OPERATOR))).rejects.toMatchObject({
      status: 409,
    });
  });

  test('is named in reviews, comments, share links and the audit log', async () => {
    const xia = await join('xia@example.com', 'owner', 'Xia Xu');
    const shots = [{ site: 'https://news.example/', device: 'desktop' }] as const;
    const set = await seedSet(server, { campaign: 'Names', status: 'in_review', shots });
    const path = `/o/demo/screenshot_sets/${set.setId}`;
    await xia.submit('/account', `${path}/comments`, { body: 'Looks fine.' });
    await xia.submit('/account', `${path}/shares`, { days: '7', label: 'For the client' });
    await xia.submit('/account', `${path}/approve`);
    const json = JSON.parse((await xia.get(`${path}.json`)).text);
    expect(json.review).toMatchObject({ by: null, by_user: { name: 'Xia Xu' } });
    for (const page of [path, `${path}?tab=activity`, `${path}?tab=shared`, '/o/demo/settings/audit_log'])
      expect((await xia.get(page)).text.split('Xia Xu').length).toBeGreaterThan(2);
  });
});

test('without a way to sign in the pages are as they were, and such addresses do not exist', async () => {
  const plain = await startPages();
  const browser = new WebBrowser(plain.url);
  const { text } = await browser.get('/o/demo');
  expect(text).not.toContain('Other ways');
  expect(text).toContain('autofocus');
  expect((await browser.post('/sign-in/email', { email: 'a@example.com' })).status).toBe(410);
  expect((await browser.get('/sign-in/provider')).status).toBe(410);
  await plain.close();
});
