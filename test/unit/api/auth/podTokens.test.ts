/** What the API server's answers mean. Its answers are made up here; test/cluster/identity has real ones. */
import { expect, test } from 'vitest';
import { ForbiddenError, UnauthorizedError, UnavailableError } from '../../../../src/api/auth/captureAuth.ts';
import { podTokenAuthenticator } from '../../../../src/api/auth/podTokens.ts';
import { NotFoundError } from '../../../../src/api/internal/pathParameters.ts';

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
  const tokens = podTokenAuthenticator({
    ...{ namespace: 'ads', serviceAccount: 'tearsheet-capture', audience: AUDIENCE, now: () => now },
    review: (token) => {
      asked += 1;
      return review(token);
    },
    jobName: async (id) => (id === JOB ? NAME : undefined),
    log: { error: () => undefined },
  });
  return {
    admit: (token = tokenOf(), job = JOB, source = '10.0.0.1') => tokens.admit(token, job, source),
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

test('Those who ask with one token at the same time ask once; no more than so many are asked about at once', async () => {
  const gate = Promise.withResolvers<void>();
  const { admit, asked } = authority((token) => gate.promise.then(() => reviewed({ uid: token })));
  const together = [admit(), admit(), admit()];
  const others = Array.from({ length: 31 }, (_, i) => admit(tokenOf({ jti: i }), JOB, `10.0.1.${i}`));
  await expect(admit(tokenOf({ jti: 'more' }), JOB, '10.0.2.1')).rejects.toThrow(UnavailableError);
  gate.resolve();
  await Promise.all([...together, ...others]);
  expect(asked()).toBe(32);
});

/** Says at once what a token of a pod is worth, and takes its time with one that was made up. */
function slowWithMadeUp() {
  const gate = Promise.withResolvers<unknown>();
  const isMadeUp = (token: string) => Buffer.from(token.split('.')[1] ?? '', 'base64url').includes('made-up');
  return {
    review: (token: string) => (isMadeUp(token) ? gate.promise : Promise.resolve(reviewed())),
    madeUp: (i: number | string) => tokenOf({ jti: `made-up ${i}` }),
    say: () => gate.resolve(reviewed({ authenticated: false })),
  };
}

test('One pod that floods with tokens it made up keeps no other from being admitted', async () => {
  const { review, madeUp, say } = slowWithMadeUp();
  const { admit, asked } = authority(review);
  const flood = Array.from({ length: 500 }, (_, i) => admit(madeUp(i), JOB, '10.0.0.66').catch((error) => error));
  expect(await admit(tokenOf(), JOB, '10.0.0.2')).toMatchObject({ pod: { uid: 'uid-1' } });
  expect(asked()).toBe(4 + 1);
  say();
  const refusals = await Promise.all(flood);
  expect(refusals.filter((error) => error instanceof UnauthorizedError)).toHaveLength(4);
  expect(refusals.filter((error) => error instanceof UnavailableError)).toHaveLength(496);
});

test('A hundred pods that flood keep no other from being admitted once their first tokens were refused', async () => {
  const [first, then] = [slowWithMadeUp(), slowWithMadeUp()];
  let isFirst = true;
  const { admit, asked, pass } = authority((token) => (isFirst ? first : then).review(token));
  const sources = Array.from({ length: 100 }, (_, i) => `10.0.1.${i}`);
  first.say();
  for (const source of sources) await admit(first.madeUp(source), JOB, source).catch(() => undefined);
  isFirst = false;
  const before = asked();
  const flood = sources.map((source, i) => admit(then.madeUp(i), JOB, source).catch(() => undefined));
  expect(asked() - before).toBe(8);
  expect(await admit(tokenOf(), JOB, '10.0.0.2')).toMatchObject({ pod: { uid: 'uid-1' } });
  then.say();
  await Promise.all(flood);
  // What came from them once is not held against them for long.
  pass(60_001);
  const again = sources.map((source) => admit(tokenOf({ jti: source }), JOB, source).catch((error) => error));
  expect((await Promise.all(again)).filter((error) => error instanceof UnavailableError).length).toBeLessThan(92);
});

test('A pod that is known is admitted however many tokens are being looked at', async () => {
  const { review, madeUp, say } = slowWithMadeUp();
  const { admit } = authority(review);
  await admit();
  const flood = Array.from({ length: 500 }, (_, i) =>
    admit(madeUp(i), JOB, `10.0.${i % 250}.1`).catch(() => undefined),
  );
  expect(await admit()).toMatchObject({ pod: { uid: 'uid-1' } });
  say();
  await Promise.all(flood);
});

test('A pod with a good token that names job after job has so many looked up, and no other is kept waiting', async () => {
  const gate = Promise.withResolvers<string | undefined>();
  let looked = 0;
  const tokens = podTokenAuthenticator({
    ...{ namespace: 'ads', serviceAccount: 'tearsheet-capture', audience: AUDIENCE, now: () => NOW },
    review: async (token) => reviewed({ uid: token === tokenOf() ? 'uid-1' : 'uid-2' }),
    jobName: (id) => {
      looked += 1;
      return id === JOB ? Promise.resolve(NAME) : gate.promise;
    },
    log: { error: () => undefined },
  });
  await tokens.admit(tokenOf(), JOB, '10.0.0.1');
  const flood = Array.from({ length: 200 }, (_, i) =>
    tokens.admit(tokenOf(), `job-${i}`, '10.0.0.1').catch((error) => error),
  );
  expect(await tokens.admit(tokenOf({ jti: 2 }), JOB, '10.0.0.2')).toMatchObject({ pod: { uid: 'uid-2' } });
  expect(looked).toBe(1 + 16 + 1);
  gate.resolve(undefined);
  expect((await Promise.all(flood)).filter((error) => error instanceof NotFoundError)).toHaveLength(16);
});

test('A pod makes so many calls in a row, and then so many a second; others are not concerned', async () => {
  const { admit, pass } = authority(async (token) => reviewed({ uid: token }));
  for (let i = 0; i < 2_000; i++) await admit();
  await expect(admit()).rejects.toThrow(UnavailableError);
  expect(await admit(tokenOf({ jti: 2 }))).toMatchObject({ jobId: JOB });
  pass(100);
  await admit();
  await admit();
  await expect(admit()).rejects.toThrow(UnavailableError);
});
