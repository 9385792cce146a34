import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { issueJobToken, refuseJobToken, refuseTransfer, signTransfer } from '../../../../src/api/auth/jobToken.ts';

const secret = randomBytes(32);
const now = new Date('2026-11-21T09:00:00Z');
const later = new Date('2026-11-21T10:00:00Z');
const job = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

test('A token lets its bearer work on one job until it expires', () => {
  const token = issueJobToken(secret, job, later);
  expect(refuseJobToken(token, { secret, jobId: job, now })).toBeUndefined();
  expect(refuseJobToken(token, { secret, jobId: job.replace('a', 'b'), now })).toBe('The token is not for this job.');
  expect(refuseJobToken(token, { secret: randomBytes(32), jobId: job, now })).toBe('The token is not for this job.');
  expect(refuseJobToken(token, { secret, jobId: job, now: new Date(later.getTime() + 1_000) })).toBe(
    'The token has expired.',
  );
  for (const text of ['', 'v1', 'v1.x.y', `${token}.`, `v2${token.slice(2)}`]) {
    expect(refuseJobToken(text, { secret, jobId: job, now })).toBe('The token cannot be read.');
  }
});

test('A signed address allows one method on one key', () => {
  const key = 'screenshots/a/1.png';
  const url = new URL(signTransfer(secret, 'http://127.0.0.1:1', { method: 'PUT', key, expiresAt: later }));
  expect(url.pathname).toBe(`/internal/v2/artifacts/${key}`);
  const given = { expires: url.searchParams.get('expires') ?? '', signature: url.searchParams.get('signature') ?? '' };
  expect(refuseTransfer({ method: 'PUT', key, ...given }, { secret, now })).toBeUndefined();
  const wrong = 'The address is not signed for this.';
  expect(refuseTransfer({ method: 'GET', key, ...given }, { secret, now })).toBe(wrong);
  expect(refuseTransfer({ method: 'PUT', key: 'screenshots/b/1.png', ...given }, { secret, now })).toBe(wrong);
  const prolonged = { ...given, expires: String(Number(given.expires) + 1) };
  expect(refuseTransfer({ method: 'PUT', key, ...prolonged }, { secret, now })).toBe(wrong);
  expect(refuseTransfer({ method: 'PUT', key, ...given }, { secret, now: new Date(later.getTime() + 1) })).toBe(
    'The address has expired.',
  );
});

test('An address that was signed for certain bytes is good for no others', () => {
  const key = 'screenshots/a/1.png';
  const content = { sha256: 'a'.repeat(64), bytes: 70 };
  const url = new URL(signTransfer(secret, 'http://127.0.0.1:1', { method: 'PUT', key, expiresAt: later, content }));
  expect(url.pathname).toBe(`/internal/v2/artifacts/${key}`);
  const { expires = '', signature = '' } = Object.fromEntries(url.searchParams);
  const given = { method: 'PUT', key, expires, signature } as const;
  expect(refuseTransfer({ ...given, content }, { secret, now })).toBeUndefined();
  const wrong = 'The address is not signed for this.';
  expect(refuseTransfer(given, { secret, now })).toBe(wrong);
  expect(refuseTransfer({ ...given, content: { ...content, bytes: 71 } }, { secret, now })).toBe(wrong);
  expect(refuseTransfer({ ...given, content: { ...content, sha256: 'b'.repeat(64) } }, { secret, now })).toBe(wrong);
});
