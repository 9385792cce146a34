import { expect, test } from 'vitest';
import { readClaims } from '../../../../src/api/auth/claims.ts';

const IDENTITY = { iss: 'https://login.example', sub: 'a' };
const read = (token: object, info: object = {}) => readClaims({ ...IDENTITY, ...token }, { ...info }, 'groups');

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
