import { expect, test } from 'vitest';
import { rolesByRule } from '../../../../src/core/people/identities.ts';
import { readEmail } from '../../../../src/core/people/users.ts';

const claims = {
  issuer: 'https://login.example',
  subject: 'a',
  name: 'Ann',
  groups: ['ads', 'all'],
  email: 'ann@corp.example',
};

test('the highest role of all rules that match counts, in whatever order they are', () => {
  const rules = [
    { organization: 'acme', role: 'viewer', email_domain: 'corp.example' },
    { organization: 'acme', role: 'manager', group: 'ads' },
    { organization: 'acme', role: 'reviewer', group: 'all' },
    { organization: 'acme', role: 'owner', group: 'bosses' },
    { organization: 'beta', role: 'viewer', group: 'all' },
  ] as const;
  for (const given of [rules, rules.toReversed()])
    expect(rolesByRule(given, claims)).toEqual(
      new Map([
        ['acme', 'manager'],
        ['beta', 'viewer'],
      ]),
    );
});

test('a domain matches only as a whole, and only with an address', () => {
  const rule = { organization: 'acme', role: 'viewer', email_domain: 'corp.example' } as const;
  for (const email of ['a@evil-corp.example', 'a@corp.example.evil', 'corp.example@evil.example', undefined])
    expect(rolesByRule([rule], { ...claims, email })).toEqual(new Map());
});

test('an address is compared in lower case, and what is no single address is none', () => {
  expect(readEmail(' Ann@Example.COM ')).toBe('ann@example.com');
  for (const text of [
    'ann',
    'a@b',
    'a@@b.example',
    'a@b.example, c@d.example',
    'a@b.example\nx',
    `${'a'.repeat(250)}@b.example`,
  ])
    expect(readEmail(text)).toBeUndefined();
});

test('no letter outside ASCII becomes one of ASCII in an address', () => {
  const letters = Array.from({ length: 0x110000 - 0x80 }, (_, at) => String.fromCodePoint(at + 0x80));
  const changed = letters.filter((letter) => /[a-z]/.test(letter.toLowerCase()));
  expect(changed).toEqual(['\u0130', '\u212a']);
  for (const letter of changed) expect(readEmail(`boss@${letter}orp.example`)).toBeUndefined();
  expect(readEmail('BÜRO@corp.example')).toBe('büro@corp.example');
});
