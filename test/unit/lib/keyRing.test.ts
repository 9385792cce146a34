import { expect, test } from 'vitest';
import { KeyRing, newSealingKey } from '../../../src/lib/keyRing.ts';

const [old, current] = [newSealingKey('old'), newSealingKey('new')];
const PLACE = 'table.column of 1';

test('a sealed text names its key, hides the secret, differs each time and opens again', () => {
  const ring = KeyRing.parse(current);
  const [one, two] = [ring.seal('the secret ☃', PLACE), ring.seal('the secret ☃', PLACE)];
  expect(one).toMatch(/^sealed:1:new:[\w-]+$/);
  expect(one).not.toBe(two);
  expect(Buffer.from(one.split(':')[3] ?? '', 'base64url').includes('secret')).toBe(false);
  expect([ring.open(one, PLACE), ring.open(two, PLACE)]).toEqual(['the secret ☃', 'the secret ☃']);
});

test('the first key seals and all keys open', () => {
  const before = KeyRing.parse(old).seal('a', PLACE);
  const ring = KeyRing.parse(`${current},\n${old}`);
  expect(ring.open(before, PLACE)).toBe('a');
  expect(ring.seal('b', PLACE)).toMatch(/^sealed:1:new:/);
});

test('a secret opens only in its own place, unchanged, and with its own key', () => {
  const ring = KeyRing.parse(current);
  const sealed = ring.seal('a', PLACE);
  expect(() => ring.open(sealed, 'table.column of 2')).toThrow('copied from another row');
  const start = sealed.lastIndexOf(':') + 1;
  const changed = `${sealed.slice(0, start)}${sealed[start] === 'A' ? 'B' : 'A'}${sealed.slice(start + 1)}`;
  expect(() => ring.open(changed, PLACE)).toThrow('was changed');
  expect(() => ring.open('sealed:1:new:', PLACE)).toThrow('was changed');
  expect(() => KeyRing.parse(newSealingKey('new')).open(sealed, PLACE)).toThrow('key "new" has been changed');
});

test('a missing key is named with what to do', () => {
  const sealed = KeyRing.parse(old).seal('a', PLACE);
  expect(() => KeyRing.parse(current).open(sealed, PLACE)).toThrow(
    'The secret of table.column of 1 is sealed with key "old", which SECRETS_KEYS does not have. Add this key and restart.',
  );
});

test.each([
  ['', 'has no key'],
  [' , ', 'has no key'],
  ['short:c2hvcnQ=', 'has 5 bytes for key "short"; a key is 32 bytes in base64'],
  [`${old} ${old}`, 'has two keys with the id "old"'],
  [old.slice(3), 'has a key without a valid id'],
  [`a b`, 'has a key without a valid id'],
])('the keys %j are refused with a reason that shows no key', (text, message) => {
  const parse = () => KeyRing.parse(text);
  expect(parse).toThrow(message);
  expect(parse).not.toThrow(old.slice(4));
});
