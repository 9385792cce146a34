import { expect, test } from 'vitest';
import { readClaims } from '../../../../src/api/auth/claims.ts';

const RULES = { clientId: 'tearsheet', groupsClaim: 'groups', tenants: [] };
const IDENTITY = { iss: 'https://login.example', sub: 'a' };
const read = (token: object, info: object = {}) => readClaims({ ...IDENTITY, ...token }, { ...info }, RULES);

const email = 'ann@corp.example';
const other = 'own@else.example';

test.each<[unknown, string | undefined]>([
  [true, email],
  ['true', email],
  [false, undefined],
  ['false', undefined],
  ['True', undefined],
  [1, undefined],
  [null, undefined],
  [['true'], undefined],
])('email_verified %j makes the address %s, in either source', (verified, expected) => {
  expect(read({ email, email_verified: verified }).email).toBe(expected);
  expect(read({}, { email, email_verified: verified }).email).toBe(expected);
});

test.each<[string, object, object, string | undefined]>([
  ['the word is in the other source', { email_verified: true }, { email }, undefined],
  ['only the other source has both', { email }, { email: other, email_verified: true }, other],
  ['both have both', { email: other, email_verified: true }, { email, email_verified: true }, other],
  ['the ID token denies it', { email, email_verified: false }, { email, email_verified: true }, undefined],
  ['the address is a list', { email: [email], email_verified: true }, {}, undefined],
  ['nobody has an address', { email_verified: true }, { email_verified: true }, undefined],
])('the address and its verification come from one source: %s', (_what, token, info, expected) => {
  expect(read(token, info).email).toBe(expected);
});

test('a name that is no text is left out, and the next source has its turn', () => {
  expect(read({ name: 7 }, { name: 'Ann' }).name).toBe('Ann');
  expect(read({ name: '' }, { preferred_username: 'ann' }).name).toBe('ann');
});

test.each<[string, object, object, unknown]>([
  ['a list', { groups: ['a', 'b'] }, {}, ['a', 'b']],
  ['an empty list', { groups: [] }, { groups: ['a'] }, []],
  ['only the userinfo', {}, { groups: ['a'] }, ['a']],
  ['a single group as text', { groups: 'a, b' }, {}, ['a, b']],
  ['an empty text', { groups: '' }, {}, []],
  ['a list with other things', { groups: [1, 'a', null, ['b'], { c: 1 }] }, {}, ['a']],
  ['no claim', {}, {}, 'groups_missing'],
  ['null', { groups: null }, {}, 'groups_missing'],
  ['a claim elsewhere', { _claim_names: { groups: 'src1' }, _claim_sources: {} }, {}, 'groups_replaced'],
  ['another claim elsewhere', { _claim_names: { roles: 'src1' } }, {}, 'groups_missing'],
  ['a claim elsewhere, and the userinfo', { _claim_names: { groups: 'src1' } }, { groups: ['a'] }, ['a']],
  ['an object', { groups: { a: true } }, {}, 'groups_malformed'],
  ['a number', { groups: 7 }, {}, 'groups_malformed'],
])('groups are read from %s', (_what, token, info, expected) => {
  expect(read(token, info).groups).toEqual(expected);
});

test.each<[string, object, RegExp]>([
  ['another client', { azp: 'another' }, /azp is another/],
  ['a subject with U+0000', { sub: 'a\0' }, /U\+0000/],
  ['a subject with half of a surrogate pair', { sub: 'a\ud800' }, /surrogate/],
  ['a subject of 256 characters', { sub: 'a'.repeat(256) }, /255/],
])('a token with %s is refused', (_what, token, reason) => {
  expect(() => read(token)).toThrow(reason);
});

test('a token for this client that names it is accepted', () => {
  expect(read({ azp: 'tearsheet', sub: 'a'.repeat(255) }).subject).toHaveLength(255);
});

test.each<[object, object, boolean]>([
  [{ tid: 'a-1' }, {}, true],
  [{ tid: 'A-1' }, {}, true],
  [{ hd: 'corp.example' }, {}, true],
  [{ tid: 'b' }, {}, false],
  [{ tid: 'b', hd: 'corp.example' }, {}, false],
  [{}, { tid: 'a-1' }, false],
  [{ tid: ['a-1'] }, {}, false],
  [{}, {}, false],
])('a tenant signs in only if it is listed, and only the ID token names it: %j %j', (token, info, isAllowed) => {
  const rules = { ...RULES, tenants: ['a-1', 'corp.example'] };
  const run = () => readClaims({ ...IDENTITY, ...token }, { ...info }, rules);
  if (isAllowed) expect(run().subject).toBe('a');
  else expect(run).toThrow(/OIDC_TENANTS/);
});

/** Shapes of ID token and userinfo that the providers document or that their users reported; names and ids are invented. */
const SAMPLES: readonly [string, { token: object; info?: object; claim?: string }, object][] = [
  [
    'Entra ID: no word about the address',
    { token: { tid: 't', oid: 'o', email, preferred_username: email, name: 'Ann', groups: ['6f0c…'], ver: '2.0' } },
    { email: undefined, name: 'Ann', groups: ['6f0c…'] },
  ],
  [
    'Entra ID: more than 200 groups',
    {
      token: { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example/a' } } },
      info: { name: 'Ann', picture: 'https://graph.example/photo' },
    },
    { name: 'Ann', groups: 'groups_replaced' },
  ],
  [
    'Google Workspace: a domain, and no groups',
    { token: { hd: 'corp.example', azp: 'tearsheet', email, email_verified: true, name: 'Ann' } },
    { email, groups: 'groups_missing' },
  ],
  [
    'Okta: groups in the ID token, the address at userinfo',
    { token: { amr: ['pwd'], groups: ['Everyone', 'ads'] }, info: { email, email_verified: true, zoneinfo: 'UTC' } },
    { email, groups: ['Everyone', 'ads'] },
  ],
  [
    'Keycloak: paths of groups, and an address that was not verified',
    {
      token: { azp: 'tearsheet', email, email_verified: false, preferred_username: 'ann', groups: ['/ads', '/ads/de'] },
    },
    { email: undefined, name: 'ann', groups: ['/ads', '/ads/de'] },
  ],
  [
    'Auth0: a claim with a namespace',
    {
      token: { email, email_verified: true, 'https://corp.example/groups': ['ads'] },
      claim: 'https://corp.example/groups',
    },
    { email, groups: ['ads'] },
  ],
  [
    'Cognito: text at userinfo, booleans in the ID token',
    {
      token: { 'cognito:groups': ['ads'], 'cognito:username': 'ann', email, email_verified: true },
      info: { username: 'ann', email, email_verified: 'true' },
      claim: 'cognito:groups',
    },
    { email, groups: ['ads'] },
  ],
  [
    'Cognito: only userinfo has the address, as text, and the person is in no group',
    { token: {}, info: { email, email_verified: 'true' }, claim: 'cognito:groups' },
    { email, groups: 'groups_missing' },
  ],
  ['Apple: text', { token: { email, email_verified: 'true', is_private_email: 'true' } }, { email }],
  ['ADFS, IdentityServer, JumpCloud: one group as text', { token: { groups: 'ads' } }, { groups: ['ads'] }],
  [
    'VMware: groups left out, listed by name',
    {
      token: { email, email_verified: true, ovl: 'https://corp.example/check_id_token', ovc: ['group_ids'] },
      claim: 'group_ids',
    },
    { email, groups: 'groups_missing' },
  ],
  [
    'Zitadel: roles as an object',
    { token: { email, email_verified: true, roles: { admin: { '1': 'corp.example' } } }, claim: 'roles' },
    { email, groups: 'groups_malformed' },
  ],
];

test.each(SAMPLES)('a documented answer is read: %s', (_what, { token, info = {}, claim = 'groups' }, expected) => {
  const read = readClaims({ ...IDENTITY, ...token }, { ...info }, { ...RULES, groupsClaim: claim });
  expect(read).toMatchObject(expected);
});
