import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { issueJobToken, refuseJobToken } from '../../../../src/api/auth/jobToken.ts';

const secret = randomBytes(32);
const now = new Date('2026-11-21T09:00:00Z');
const later = new Date('2026-11-21T10:00:00Z');
const job = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

test('a job token is valid for one job until it expires', () => {
  const token = issueJobToken(secret, job, later);
  expect(refuseJobToken(token, { secret, jobId: job, now })).toBeUndefined();
  expect(refuseJobToken(token, { secret, jobId: job.replace('a', 'b'), now })).toBe('The token is not for this job.');
  expect(refuseJobToken(token, { secret: randomBytes(32), jobId: job, now })).toBe('The token is not for this job.');
  expect(refuseJobToken(token, { secret, jobId: job, now: new Date(later.getTime() + 1_000) })).toBe(
    'The token has expired.',
  );
  for (const text of ['', 'v1', 'v1.x.y', `${token}.`, `v2${token.slice(2)}`]) {
    expect(refuseJobToken(text, { secret, jobId: job, now })).toBe('The token is malformed.');
  }
});
