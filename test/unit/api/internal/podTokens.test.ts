/** What the API server's answers mean. Its answers are made up here; test/cluster/identity has real ones. */
import { expect, test } from 'vitest';
import { ForbiddenError, UnauthorizedError, UnavailableError } from '../../../../src/api/internal/authority.ts';
import { podTokens } from '../../../../src/api/internal/podTokens.ts';
import { NotFoundError } from '../../../../src/api/internal/requests.ts';

const JOB = '7b0c3a52-97a7-4f0c-9a38-2f6ea4a2a001';
const NAME = `set-${JOB}`;
const ACCOUNT = 'system:serviceaccount:ads:tearsheet-capture';
const AUDIENCE = 'tearsheet-internal';
const NOW = Date.parse('2026-11-21T12:00:00Z');

function tokenOf(claims: object = {}): string {
  const payload = { aud: [AUDIENCE], sub: ACCOUNT, exp: NOW / 1000 + 3_600, ...claims };
  return `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;
}

function reviewed({
  name = `${NAME}-1-0-abcde`,
  uid = 'uid-1',
  username = ACCOUNT,
  ...status
}: Record<string, unknown> = {}) {
  const extra = { 'authentication.kubernetes.io/pod-name': [name], 'authentication.kubernetes.io/pod-uid': [uid] };
  return { status: { authenticated: true, audiences: [AUDIENCE], user: { username, extra }, ...status } };
}

function authority(review: (token: string) => Promise<unknown> = async () => reviewed()) {
  let now = NOW;
  let asked = 0;
  const tokens = podTokens({
    ...{ namespace: 'ads', serviceAccount: 'tearsheet-capture', audience: AUDIENCE, now: () => now },
    review: (token) => {
      asked += 1;
      return review(token);
    },
    jobName: async (id) => (id === JOB ? NAME : undefined),
    log: { error: () => undefined },
  });
  return {
    admit: (token = tokenOf(), job = JOB) => tokens.admit(token, job),
    asked: () => asked,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('A token of a pod admits that pod, to the index in its name', async () => {
  const { admit } = authority(async () => reviewed({ name: `${NAME}-2-17-x9z4q`, uid: 'uid-17' }));
  expect(await admit()).toEqual({ jobId: JOB, pod: { index: 17, uid: 'uid-17' } });
});

test.each([
  ['is not known', { authenticated: false, error: 'invalid bearer token' }],
  ['is for somebody else', { audiences: ['https://kubernetes.default.svc'] }],
  ['is for the API server, which names no audience', { audiences: undefined }],
  ['is of another account', { username: 'system:serviceaccount:ads:default' }],
  ['is of another namespace', { username: 'system:serviceaccount:other:tearsheet-capture' }],
  ['is bound to no pod', { user: { username: ACCOUNT, extra: {} } }],
])('A token that %s admits nobody', async (_, status) => {
  await expect(authority(async () => reviewed(status)).admit()).rejects.toThrow(UnauthorizedError);
});

test.each([
  ['no token at all', 'v1.1795262400.abc'],
  ['one for somebody else', tokenOf({ aud: 'other' })],
  ['one of another account', tokenOf({ sub: 'system:serviceaccount:ads:default' })],
  ['one that has expired', tokenOf({ exp: NOW / 1000 })],
  ['one that is endless', `e30.${'a'.repeat(9_000)}.c2ln`],
  ['one that is no JSON', 'a.b.c'],
])('The API server is not asked about %s', async (_, token) => {
  const { admit, asked } = authority();
  await expect(admit(token)).rejects.toThrow(UnauthorizedError);
  expect(asked()).toBe(0);
});

test.each([
  ['another job', 'set-00000000-0000-4000-8000-000000000000-1-0-abcde'],
  ['a job whose name begins alike', `${NAME}-more-1-0-abcde`],
  ['a job whose name it begins', 'set-1-0-abcde'],
  ['no Job of ours', `${NAME}-abcde`],
  ['an index that is none', `${NAME}-1-x-abcde`],
])('A pod of %s is not admitted, and not told to try again', async (_, name) => {
  await expect(authority(async () => reviewed({ name })).admit()).rejects.toThrow(ForbiddenError);
});

test('A job that nobody knows is not found, once the token is good', async () => {
  const stranger = '00000000-0000-4000-8000-000000000000';
  await expect(authority().admit(tokenOf(), stranger)).rejects.toThrow(NotFoundError);
  await expect(authority(async () => reviewed({ authenticated: false })).admit(tokenOf(), stranger)).rejects.toThrow(
    UnauthorizedError,
  );
});

test('Without an answer of the API server nobody is refused: the caller may try again', async () => {
  const { admit, asked } = authority(() => Promise.reject(new Error('connect ECONNREFUSED')));
  await expect(admit()).rejects.toThrow(UnavailableError);
  await expect(admit()).rejects.toThrow(UnavailableError);
  expect(asked()).toBe(2);
});

test('A good token is asked about once a minute, and no longer than it is good', async () => {
  const { admit, asked, pass } = authority();
  await admit();
  pass(59_000);
  await admit();
  expect(asked()).toBe(1);
  pass(1_001);
  await admit();
  expect(asked()).toBe(2);
  const short = tokenOf({ exp: (NOW + 70_000) / 1000 });
  await admit(short);
  pass(10_001);
  await expect(admit(short)).rejects.toThrow('has expired');
});

test('A refusal is kept for five seconds', async () => {
  const { admit, asked, pass } = authority(async () => reviewed({ authenticated: false }));
  await expect(admit()).rejects.toThrow(UnauthorizedError);
  pass(4_999);
  await expect(admit()).rejects.toThrow(UnauthorizedError);
  expect(asked()).toBe(1);
  pass(2);
  await expect(admit()).rejects.toThrow(UnauthorizedError);
  expect(asked()).toBe(2);
});

test('Those who ask with one token at the same time ask once; made-up tokens cannot be asked about without end', async () => {
  const gate = Promise.withResolvers<unknown>();
  const { admit, asked } = authority(() => gate.promise);
  const together = [admit(), admit(), admit()];
  const others = Array.from({ length: 31 }, (_, i) => admit(tokenOf({ jti: i })));
  await expect(admit(tokenOf({ jti: 'more' }))).rejects.toThrow(UnavailableError);
  gate.resolve(reviewed());
  await Promise.all([...together, ...others]);
  expect(asked()).toBe(32);
});
