import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { refuseTransfer, signTransfer } from '../../../../src/api/transfers/transfers.ts';

const secret = randomBytes(32);
const now = new Date('2026-11-21T09:00:00Z');
const later = new Date('2026-11-21T10:00:00Z');

test('a signed URL allows one method on one key', () => {
  const key = 'screenshots/a/1.png';
  const url = new URL(signTransfer(secret, 'http://127.0.0.1:1', { method: 'PUT', key, expiresAt: later }));
  expect(url.pathname).toBe(`/internal/v2/artifacts/${key}`);
  const given = { expires: url.searchParams.get('expires') ?? '', signature: url.searchParams.get('signature') ?? '' };
  expect(refuseTransfer({ method: 'PUT', key, ...given }, { secret, now })).toBeUndefined();
  const wrong = 'The URL is not signed for this transfer.';
  expect(refuseTransfer({ method: 'GET', key, ...given }, { secret, now })).toBe(wrong);
  expect(refuseTransfer({ method: 'PUT', key: 'screenshots/b/1.png', ...given }, { secret, now })).toBe(wrong);
  const prolonged = { ...given, expires: String(Number(given.expires) + 1) };
  expect(refuseTransfer({ method: 'PUT', key, ...prolonged }, { secret, now })).toBe(wrong);
  expect(refuseTransfer({ method: 'PUT', key, ...given }, { secret, now: new Date(later.getTime() + 1) })).toBe(
    'The signed URL has expired.',
  );
});

test('a URL that is signed for certain bytes allows no others', () => {
  const key = 'screenshots/a/1.png';
  const content = { sha256: 'a'.repeat(64), bytes: 70 };
  const url = new URL(signTransfer(secret, 'http://127.0.0.1:1', { method: 'PUT', key, expiresAt: later, content }));
  expect(url.pathname).toBe(`/internal/v2/artifacts/${key}`);
  const { expires = '', signature = '' } = Object.fromEntries(url.searchParams);
  const given = { method: 'PUT', key, expires, signature } as const;
  expect(refuseTransfer({ ...given, content }, { secret, now })).toBeUndefined();
  const wrong = 'The URL is not signed for this transfer.';
  expect(refuseTransfer(given, { secret, now })).toBe(wrong);
  expect(refuseTransfer({ ...given, content: { ...content, bytes: 71 } }, { secret, now })).toBe(wrong);
  expect(refuseTransfer({ ...given, content: { ...content, sha256: 'b'.repeat(64) } }, { secret, now })).toBe(wrong);
});
