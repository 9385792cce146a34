/** Signing in with an OpenID Connect provider, a real one in a process of its own, and attacks on it. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProvider } from '../../../src/api/auth/provider.ts';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import type { MembershipRule } from '../../../src/core/people/identities.ts';
import { invite } from '../../../src/core/people/invitations.ts';
import { createSignInLink } from '../../../src/core/people/signInLinks.ts';
import { insertUser } from '../../../src/core/people/users.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { startListener } from '../../support/listeners.ts';
import { type OidcProvider, startOidcProvider } from '../../support/oidcProvider.ts';
import { required } from '../../support/required.ts';
import { createTestLog, expectLoggedErrors, type LogLine } from '../../support/testLog.ts';
import { WebBrowser } from '../../support/webBrowser.ts';
import { type PagesServer, startPages } from './pagesServer.ts';

const PUBLIC_URL = 'https://shots.example';
const RULES: readonly MembershipRule[] = [
  { organization: 'demo', role: 'reviewer', group: 'reviewers' },
  { organization: 'demo', role: 'owner', group: 'owners' },
  { organization: 'demo', role: 'viewer', email_domain: 'corp.example' },
  { organization: 'missing', role: 'owner', group: 'owners' },
  { organization: 'missing', role: 'owner', group: 'strangers' },
];

let [provider, second]: OidcProvider[] = [];
let [server, other]: PagesServer[] = [];
let lines: LogLine[] = [];
const optionsOf = ({ issuer }: Pick<OidcProvider, 'issuer'>, tenants: readonly string[] = []) => ({
  publicUrl: PUBLIC_URL,
  log: createTestLog((line) => lines.push(line)),
  membershipRules: RULES,
  provider: createProvider({
    issuer,
    clientId: 'tearsheet',
    clientSecret: 'secret-of-the-client',
    scopes: 'openid profile email',
    groupsClaim: 'groups',
    tenants,
    redirectUrl: `${PUBLIC_URL}/sign-in/callback`,
  }),
});
const at = { main: () => required(provider), second: () => required(second) };
const pages = () => required(server);
beforeAll(async () => {
  [provider, second] = await Promise.all([startOidcProvider(PUBLIC_URL), startOidcProvider(PUBLIC_URL)]);
  server = await startPages(optionsOf(provider));
  // Another installation's settings on the same database: the provider was replaced.
  other = await startPages({ ...optionsOf(second), store: server.store });
});
afterAll(async () => {
  await other?.close();
  await server?.close();
  await provider?.close();
  await second?.close();
});
let account = '';
let count = 0;
beforeEach(() => {
  lines = [];
  account = `account${count++}`;
});

const browse = (to = pages()) => new WebBrowser(to.url);
const corp = (more: object = {}) => ({
  email: `${account}@corp.example`,
  email_verified: true,
  name: 'Cora Corp',
  ...more,
});

interface Begun {
  readonly browser: WebBrowser;
  /** Where the provider sent the browser back to. */
  readonly back: URL;
}

/** Goes to the provider and back, and does not open the answer. @param change of the request to the provider. */
async function begin(
  claims: object,
  { next = '', change = (_url: URL) => {}, to = at.main(), of = pages() } = {},
): Promise<Begun> {
  await to.setAccount(account, { ...claims });
  const browser = browse(of);
  const { location } = await browser.get(`/sign-in/provider?next=${encodeURIComponent(next)}`);
  const url = new URL(location);
  change(url);
  return { browser, back: await to.answer(url.href, account) };
}

const open = (browser: WebBrowser, { pathname, search }: URL) => browser.get(pathname + search);

async function signIn(claims: object, given: Parameters<typeof begin>[1] = {}): Promise<WebBrowser> {
  const { browser, back } = await begin(claims, given);
  const { status, text } = await open(browser, back);
  expect([status, text]).toEqual([303, expect.anything()]);
  return browser;
}

/** @returns the browser's role in the organization `demo`; undefined if it opens nothing there. */
async function roleIn(browser: WebBrowser): Promise<string | undefined> {
  const { text } = await browser.get('/account');
  return /href="\/o\/demo">demo<\/a> <span class="meta">(\w+)/.exec(text)?.[1];
}

async function expectRefused({ browser, back }: Begun, reason: RegExp): Promise<void> {
  const { status, text } = await open(browser, back);
  expect([status >= 400 && status < 500, text]).toEqual([true, expect.stringMatching(reason)]);
  expect(browser.cookies.has('__Host-tearsheet_person')).toBe(false);
}

const users = async () => (await pages().store.pool.query('select * from users')).rows;
const userWith = async (email: string) => (await users()).find((one) => one.email === email);

describe('the provider', () => {
  test('signs a person in whom a rule names, on the page that was asked for, by name and with the highest role', async () => {
    const { browser, back } = await begin(corp({ groups: ['reviewers', 'owners'] }), { next: '/o/demo/ads' });
    expect((await open(browser, back)).location).toBe('/o/demo/ads');
    expect(await roleIn(browser)).toBe('owner');
    expect((await browser.get('/o/demo/ads')).text).toContain('Cora Corp');
  });

  test('changes the role at the next sign-in, and no rule any more means out, in all sessions', async () => {
    const first = await signIn(corp({ groups: ['owners'] }));
    await signIn(corp({ groups: ['reviewers'] }));
    expect(await roleIn(first)).toBe('reviewer');
    await signIn({ name: 'Cora', email: 'cora@elsewhere.example', email_verified: true, groups: [] });
    expect([await roleIn(first), (await first.get('/o/demo')).text.includes('Sign in to demo')]).toEqual([
      undefined,
      true,
    ]);
    const { rows } = await pages().store.pool.query(
      `select action from audit_log where object_type = 'member' and object_id = $1 order by created_at`,
      [(await userWith('cora@elsewhere.example')).id],
    );
    expect(rows.map(({ action }) => action)).toEqual(['member.added', 'member.updated', 'member.removed']);
  });

  test.each([
    ['groups_missing', {}, 'OIDC_GROUPS_CLAIM'],
    ['groups_replaced', { _claim_names: { groups: 'src1' } }, 'in Entra ID, more than 200'],
    ['groups_malformed', { groups: { owners: true } }, 'neither a list nor a text'],
  ])('leaves the roles by group as they are if it does not name the groups: %s', async (notice, claims, why) => {
    await signIn(corp({ groups: ['owners'] }));
    const { browser, back } = await begin(corp(claims), { next: '/o/demo/ads' });
    expect((await open(browser, back)).location).toBe(`/o/demo/ads?notice=${notice}`);
    expect(await roleIn(browser)).toBe('owner');
    for (const page of ['/o/demo/ads', '/account'])
      expect((await browser.get(`${page}?notice=${notice}`)).text).toContain(why);
    const { id } = await userWith(`${account}@corp.example`);
    const warned = lines.filter(({ level }) => level === 'warn');
    expect(warned).toEqual([expect.objectContaining({ user_id: id, reason: expect.stringContaining(why) })]);
  });

  test('removes a role by domain also if it does not name the groups, where no rule about groups gives one', async () => {
    const rules = [...RULES, { organization: 'plain', role: 'viewer', email_domain: 'corp.example' } as const];
    const third = await startPages({ ...optionsOf(at.main()), store: pages().store, membershipRules: rules });
    await createOrganization(pages().store.db, { slug: 'plain' });
    const browser = await signIn(corp({ groups: [] }), { of: third });
    const organizations = async () => (await browser.get('/account')).text.match(/(?<=href="\/o\/)\w+/g);
    expect(await organizations()).toEqual(['demo', 'plain']);
    await signIn(corp({ email: `${account}@else.example` }), { of: third });
    expect(await organizations()).toEqual(['demo']);
    await third.close();
  });

  test.each([
    ['a single group as text', 'reviewers', 'reviewer'],
    ['a list with an entry that is no text', [7, null, 'reviewers', { name: 'owners' }], 'reviewer'],
  ])('names groups in %s', async (_what, groups, role) => {
    expect(await roleIn(await signIn({ groups }))).toBe(role);
  });

  test('ends its own session when the person signs out', async () => {
    const browser = await signIn(corp());
    const { status, headers, text } = await browser.submit('/account', '/account/sign-out');
    const url = new URL(required(/url=(\S+)$/.exec(headers.get('refresh') ?? '')?.[1]));
    expect([status, url.origin, url.pathname]).toEqual([200, at.main().issuer, '/session/end']);
    expect(text).toContain('Sign out of your company account too');
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(PUBLIC_URL);
    expect((await fetch(url)).status).toBe(200);
    expect(await roleIn(browser)).toBeUndefined();
    const { rows } = await pages().store.pool.query('select id_token from user_sessions');
    expect(rows.filter(({ id_token }) => !id_token.startsWith('sealed:'))).toEqual([]);
  });

  test('gets no ID token that is too long for a header, and ends its session by the id of the client', async () => {
    const groups = ['owners', ...Array.from({ length: 200 }, () => crypto.randomUUID())];
    const browser = await signIn(corp({ groups, idToken: { groups } }));
    const { headers } = await browser.submit('/account', '/account/sign-out');
    const refresh = headers.get('refresh') ?? '';
    const url = new URL(required(/url=(\S+)$/.exec(refresh)?.[1]));
    expect([refresh.length < 4_000, url.searchParams.has('id_token_hint')]).toEqual([true, false]);
    expect(url.searchParams.get('client_id')).toBe('tearsheet');
    expect((await fetch(url)).status).toBe(200);
  });

  test('which does not answer is named on the page, and the log has the cause', async () => {
    expectLoggedErrors(/the OpenID Connect provider did not answer/);
    const dead = await startListener(createServer());
    await dead.close();
    const counted: unknown[] = [];
    const countSignIn = (...given: unknown[]) => counted.push(given);
    const lonely = await startPages({ ...optionsOf({ ...at.main(), issuer: dead.url }), countSignIn });
    const { status, text } = await browse(lonely).get('/sign-in/provider');
    expect([status, text.includes('is not responding')]).toEqual([503, true]);
    expect(counted).toEqual([['provider', 'failed']]);
    await lonely.close();
  });
});

describe('the answer of the provider is refused', () => {
  test('without the browser that began', async () => {
    const { back } = await begin(corp());
    await expectRefused({ browser: browse(), back }, /did not begin/);
  });

  test('with another state, and with the state of another browser', async () => {
    const { browser, back } = await begin(corp());
    const victim = await begin(corp());
    back.searchParams.set('state', 'forged');
    await expectRefused({ browser, back }, /not accepted/);
    await expectRefused({ browser: victim.browser, back: (await begin(corp())).back }, /not accepted/);
  });

  test('with another nonce', async () => {
    await expectRefused(
      await begin(corp(), { change: (url) => url.searchParams.set('nonce', 'of-somebody-else') }),
      /not accepted/,
    );
  });

  test('with a code that another verifier began', async () => {
    const change = (url: URL) => url.searchParams.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
    await expectRefused(await begin(corp(), { change }), /not accepted/);
  });

  test('with another issuer, or without one', async () => {
    const mixed = await begin(corp());
    mixed.back.searchParams.set('iss', at.second().issuer);
    await expectRefused(mixed, /not accepted/);
    const bare = await begin(corp());
    bare.back.searchParams.delete('iss');
    await expectRefused(bare, /not accepted/);
  });

  test('when it is sent again, also with the cookie of the first time', async () => {
    const { browser, back } = await begin(corp());
    const cookie = required(browser.cookies.get('__Host-tearsheet_signing_in'));
    expect((await open(browser, back)).status).toBe(303);
    const again = browse();
    await expectRefused({ browser: again, back }, /did not begin/);
    again.cookies.set('__Host-tearsheet_signing_in', cookie);
    await expectRefused({ browser: again, back }, /not accepted/);
  });

  test('with a cookie that the service did not sign', async () => {
    const { browser, back } = await begin(corp());
    const [text = ''] = required(browser.cookies.get('__Host-tearsheet_signing_in')).split('.');
    browser.cookies.set('__Host-tearsheet_signing_in', `${text}.AAAA`);
    await expectRefused({ browser, back }, /did not begin/);
  });

  test.each([
    ['is for another client', { idToken: { azp: 'another' } }, '', /for another client: azp is another/],
    ['has a subject with U+0000', {}, 'a\0b', /sub must not contain the character U\+0000/],
    ['has a subject of 256 characters', {}, 'a'.repeat(256), /sub must have at most 255/],
  ])('when the ID token %s', async (_what, claims, subject, reason) => {
    account = subject || account;
    const { browser, back } = await begin(corp(claims));
    const { status, text } = await open(browser, back);
    expect([status, text]).toEqual([401, expect.stringMatching(reason)]);
  });

  test('when the account belongs to a tenant that is not listed', async () => {
    const listed = await startPages({ ...optionsOf(at.main(), ['tenant-1']), store: pages().store });
    for (const idToken of [{ tid: 'tenant-2' }, {}])
      await expectRefused(await begin(corp({ idToken }), { of: listed }), /OIDC_TENANTS/);
    expect(await roleIn(await signIn(corp({ idToken: { tid: 'tenant-1' } }), { of: listed }))).toBe('viewer');
    await listed.close();
  });

  test('when it names an error, whose text is shown as text', async () => {
    const { browser, back } = await begin(corp());
    const url = new URL(`${back.origin}${back.pathname}?error=access_denied&error_description=%3Cscript%3E`);
    url.searchParams.set('state', required(back.searchParams.get('state') ?? undefined));
    url.searchParams.set('iss', at.main().issuer);
    await expectRefused({ browser, back: url }, /it reported access_denied \(&lt;script/);
  });

  test.each(['https://evil.example', '//evil.example/o/demo', '/\\evil.example'])(
    'never leads elsewhere: %s',
    async (next) => {
      const { browser, back } = await begin(corp({ groups: [] }), { next });
      expect((await open(browser, back)).location).toBe('/o/demo');
    },
  );
});

describe('an identity', () => {
  test('of a stranger is refused and stored nowhere', async () => {
    const before = await users();
    await expectRefused(
      await begin({ email: `${account}@else.example`, email_verified: true }),
      /no organization has invited you/,
    );
    // A rule names the group, but its organization does not exist.
    await expectRefused(await begin({ groups: ['strangers'] }), /no organization has invited you/);
    expect(await users()).toEqual(before);
  });

  test('with an unverified address never is the person who has the address, and gets nothing from its domain', async () => {
    const email = 'boss@corp.example';
    const boss = await insertUser(pages().store.db, { email, name: 'Boss' });
    await expectRefused(await begin({ email, email_verified: false }), /without a verified e-mail address/);
    await expectRefused(await begin({ email }), /without a verified e-mail address/);
    const byGroup = await signIn({ email, email_verified: false, name: 'Not the boss', groups: ['reviewers'] });
    expect((await byGroup.get('/account')).text).toContain('No verified address');
    expect(await userWith(email)).toMatchObject({ id: boss, name: 'Boss' });
  });

  test.each<[string, (email: string) => object]>([
    [
      'userinfo names the address, and the ID token verified another one',
      (email) => ({ email, idToken: { email_verified: true } }),
    ],
    [
      'the ID token names the address, and userinfo verified another one',
      (email) => ({ email: 'mine@else.example', email_verified: true, idToken: { email } }),
    ],
    [
      'the ID token says that the address is not verified',
      (email) => ({ email, email_verified: true, idToken: { email, email_verified: false } }),
    ],
  ])('never is the person who has the address where %s', async (_what, claimsFor) => {
    const email = `victim${account}@corp.example`;
    const victim = await insertUser(pages().store.db, { email, name: 'Victim' });
    const browser = await signIn({ groups: ['reviewers'], name: 'Thief', ...claimsFor(email) });
    expect((await browser.get('/account')).text).not.toContain(email);
    expect(await userWith(email)).toMatchObject({ id: victim, name: 'Victim' });
  });

  test('with a verified address is the person who was invited with it', async () => {
    const email = `${account}@guest.example`;
    const wanted = { organizationId: pages().organizationId, email, role: 'manager', mailed: false } as const;
    const { token } = await pages()
      .store.db.transaction()
      .execute((tx) => invite(tx, wanted, OPERATOR));
    expect((await browse().post(`/invitations/${token}`, { name: 'Thief' })).status).toBe(409);
    const guest = await signIn({ email, email_verified: true, name: 'Guest' }, { next: `/invitations/${token}` });
    expect(await roleIn(guest)).toBeUndefined();
    expect((await guest.submit('/account', `/invitations/${token}`)).location).toBe('/o/demo');
    expect(await roleIn(guest)).toBe('manager');
    await signIn({ email, email_verified: true, name: 'Guest' });
    expect(await roleIn(guest)).toBe('manager');
  });

  test('keeps its person when the address changes, and takes the new address only if it is free', async () => {
    await signIn(corp());
    const { id } = await userWith(`${account}@corp.example`);
    await signIn(corp({ email: `new-${account}@corp.example` }));
    expect(await userWith(`new-${account}@corp.example`)).toMatchObject({ id });
    await insertUser(pages().store.db, { email: `taken-${account}@corp.example`, name: 'Taken' });
    await signIn(corp({ email: `taken-${account}@corp.example` }));
    expect(await userWith(`new-${account}@corp.example`)).toMatchObject({ id });
    expect(await userWith(`taken-${account}@corp.example`)).toMatchObject({ name: 'Taken' });
  });

  test('of a new account with the address of an earlier one is another person, who gets the mails to it now', async () => {
    await signIn(corp());
    const email = `${account}@corp.example`;
    const first = await userWith(email);
    account = `${account}again`;
    const browser = await signIn({ email, email_verified: true, name: 'Successor' });
    expect((await browser.get('/account')).text).toContain(email);
    const successor = await userWith(email);
    expect([successor.id === first.id, successor.name]).toEqual([false, 'Successor']);
  });

  test('of another provider with the same subject is another person', async () => {
    await signIn(corp());
    const first = await userWith(`${account}@corp.example`);
    const claims = { email: `evil-${account}@corp.example`, email_verified: true, name: 'Same subject' };
    await signIn(claims, { to: at.second(), of: required(other) });
    const same = await userWith(`evil-${account}@corp.example`);
    expect(same.id).not.toBe(first.id);
  });

  test('two first sign-ins at the same moment make one person', async () => {
    const begun = await Promise.all([begin(corp()), begin(corp()), begin(corp())]);
    const answers = await Promise.all(begun.map(({ browser, back }) => open(browser, back)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect((await users()).filter(({ email }) => email === `${account}@corp.example`)).toHaveLength(1);
  });
});

test('a link by e-mail does not open what a rule gives, because it does not ask the provider', async () => {
  await signIn(corp({ groups: ['owners'] }));
  const { id } = await userWith(`${account}@corp.example`);
  const token = await createSignInLink(pages().store.db, { userId: id, browser: undefined, next: '/o/demo' });
  const browser = browse();
  expect((await browser.post(`/sign-in/${token}`)).status).toBe(303);
  expect([await roleIn(browser), (await browser.get('/o/demo/settings')).text.includes('Sign in to demo')]).toEqual([
    undefined,
    true,
  ]);
});

test('the page to sign in has the provider first, and the key behind "Other ways"', async () => {
  await createOrganization(pages().store.db, { slug: 'acme' });
  const { text } = await browse().get('/o/acme/ads?sort=name');
  expect(text).toContain('href="/sign-in/provider?next=%2Fo%2Facme%2Fads%3Fsort%3Dname"');
  expect(text.indexOf('company account')).toBeLessThan(text.indexOf('Other ways'));
  expect(text).not.toContain('autofocus');
  expect(text).not.toContain('Send me a link');
  const keyed = browse();
  expect((await keyed.post('/o/demo/sign-in', { key: pages().apiKey, next: '/o/demo' })).status).toBe(303);
});

test('over https, cookies are only for this host, and a cookie of another host does not replace one', async () => {
  const browser = await signIn(corp());
  expect([...browser.cookies.keys()]).toEqual(['__Host-tearsheet_person']);
  const token = required(browser.cookies.get('__Host-tearsheet_person'));
  account = `${account}stranger`;
  const stranger = await signIn({ email: `${account}@corp.example`, email_verified: true, name: 'Stranger' });
  const planted = required(stranger.cookies.get('__Host-tearsheet_person'));
  const open = async (cookie: string) => (await browse().get('/account', { cookie })).text;
  expect(await open(`tearsheet_person=${planted}; __Host-tearsheet_person=${token}`)).toContain('Cora Corp');
  expect(await open(`tearsheet_person=unknown; tearsheet_person=${token}`)).toContain('Cora Corp');
});

test('a session whose cookie has the name of the version before stays until the person signs out', async () => {
  const browser = await signIn(corp());
  browser.cookies.set('tearsheet_person', required(browser.cookies.get('__Host-tearsheet_person')));
  browser.cookies.delete('__Host-tearsheet_person');
  expect(await roleIn(browser)).toBe('viewer');
  await browser.submit('/account', '/account/sign-out');
  expect([...browser.cookies.keys()]).toEqual([]);
});
