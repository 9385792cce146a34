import { expect, test } from 'vitest';
import { parseListHeader } from '../../../src/slotLists/listHeader.ts';

const HOUR = 3_600_000;

test('the header names the title, the version, the commit and the date of a list', () => {
  const header = parseListHeader(
    '[Adblock Plus 2.0]\n! Version: 202611220900\r\n! Title: Our list\n! Last modified: 22 Nov 2026 09:00 UTC\n! Commit: 0f3a\n##.x\n',
  );
  expect(header).toEqual({
    title: 'Our list',
    version: '202611220900',
    commit: '0f3a',
    lastModified: '22 Nov 2026 09:00 UTC',
    expiresMs: null,
  });
});

test('a list without a header has no title and no version', () => {
  expect(parseListHeader('##.x\n! a comment\n')).toMatchObject({ title: null, version: null, commit: null });
});

test.each([
  ['4 days (update frequency)', 96 * HOUR],
  ['12 hours', 12 * HOUR],
  ['6h', 6 * HOUR],
  ['1 day', 24 * HOUR],
  ['30 minutes', HOUR / 2],
  ['2', 48 * HOUR],
  ['soon', null],
  ['0 days', null],
])('the expiry "%s" is %s ms', (text, ms) => {
  expect(parseListHeader(`! Expires: ${text}\n`).expiresMs).toBe(ms);
});
