/** The answers of the API server are invented here; test/cluster/identity has real ones. */
import { expect, test } from 'vitest';
import { podTokenAuthenticator } from '../../../../src/api/auth/podTokens.ts';
import {
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
  UnavailableError,
} from '../../../../src/api/server/errors.ts';

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

function createAuthenticator(review: (token: string) => Promise<unknown> = async () => reviewed()) {
  let now = NOW;
  let asked = 0;
  const tokens = podTokenAuthenticator({
    namespace: 'ads',
    serviceAccount: 'tearsheet-capture',
    audience: AUDIENCE,
    now: () => now,
    review: (token) => {
      asked += 1;
      return review(token);
    },
    findAccess: async (id) => (id === JOB ? { name: NAME } : undefined),
    log: { error: () => undefined },
  });
  return {
    admit: (token = tokenOf(), job = JOB, source = '10.0.0.1') => tokens.authenticate(token, job, source),
    asked: () => asked,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("a pod token authenticates its pod for the index in the pod's name", async () => {
  const { admit } = createAuthenticator(async () => reviewed({ name: `${NAME}-2-17-x9z4q`, uid: 'uid-17' }));
  expect(await admit()).toEqual({ jobId: JOB, pod: { index: 17, uid: 'uid-17' } });
});

test.each([
  ['is unknown', { authenticated: false, error: 'invalid bearer token' }],
  ['is for another audience', { audiences: ['https://kubernetes.default.svc'] }],
  ['is for the API server, which names no audience', { audiences: undefined }],
  ['is of another account', { username: 'system:serviceaccount:ads:default' }],
  ['is of another namespace', { username: 'system:serviceaccount:other:tearsheet-capture' }],
  ['is bound to no pod', { user: { username: ACCOUNT, extra: {} } }],
])('a token that %s is rejected', async (_, status) => {
  await expect(createAuthenticator(async () => reviewed(status)).admit()).rejects.toThrow(UnauthorizedError);
});

test.each([
  ['a text that is not a token', 'v1.1795262400.abc'],
  ['a token for another audience', tokenOf({ aud: 'other' })],
  ['a token of another account', tokenOf({ sub: 'system:serviceaccount:ads:default' })],
  ['an expired token', tokenOf({ exp: NOW / 1000 })],
  ['a very long token', `e30.${'a'.repeat(9_000)}.c2ln`],
  ['a token without JSON', 'a.b.c'],
])('%s is rejected without a TokenReview', async (_, token) => {
  const { admit, asked } = createAuthenticator();
  await expect(admit(token)).rejects.toThrow(UnauthorizedError);
  expect(asked()).toBe(0);
});

test.each([
  ['another job', 'set-00000000-0000-4000-8000-000000000000-1-0-abcde'],
  ['a job whose name starts with this name', `${NAME}-more-1-0-abcde`],
  ['a job whose name is a prefix of this name', 'set-1-0-abcde'],
  ['a Job without generation and index', `${NAME}-abcde`],
  ['an index that is not a number', `${NAME}-1-x-abcde`],
])('a pod of %s is forbidden and must not retry', async (_, name) => {
  await expect(createAuthenticator(async () => reviewed({ name })).admit()).rejects.toThrow(ForbiddenError);
});

test('an unknown job is not found if the token is valid', async () => {
  const stranger = '00000000-0000-4000-8000-000000000000';
  await expect(createAuthenticator().admit(tokenOf(), stranger)).rejects.toThrow(NotFoundError);
  await expect(
    createAuthenticator(async () => reviewed({ authenticated: false })).admit(tokenOf(), stranger),
  ).rejects.toThrow(UnauthorizedError);
});

test('a token is unavailable, not rejected, while the API server does not answer', async () => {
  const { admit, asked } = createAuthenticator(() => Promise.reject(new Error('connect ECONNREFUSED')));
  await expect(admit()).rejects.toThrow(UnavailableError);
  await expect(admit()).rejects.toThrow(UnavailableError);
  expect(asked()).toBe(2);
});

test('a valid token is reviewed once a minute, and rejected when it expires', async () => {
  const { admit, asked, pass } = createAuthenticator();
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

test('a rejection is cached for five seconds', async () => {
  const { admit, asked, pass } = createAuthenticator(async () => reviewed({ authenticated: false }));
  await expect(admit()).rejects.toThrow(UnauthorizedError);
  pass(4_999);
  await expect(admit()).rejects.toThrow(UnauthorizedError);
  expect(asked()).toBe(1);
  pass(2);
  await expect(admit()).rejects.toThrow(UnauthorizedError);
  expect(asked()).toBe(2);
});

test('concurrent calls with one token share a TokenReview, and at most 32 run at once', async () => {
  const gate = Promise.withResolvers<void>();
  const { admit, asked } = createAuthenticator((token) => gate.promise.then(() => reviewed({ uid: token })));
  const together = [admit(), admit(), admit()];
  const others = Array.from({ length: 31 }, (_, i) => admit(tokenOf({ jti: i }), JOB, `10.0.1.${i}`));
  await expect(admit(tokenOf({ jti: 'more' }), JOB, '10.0.2.1')).rejects.toThrow(UnavailableError);
  gate.resolve();
  await Promise.all([...together, ...others]);
  expect(asked()).toBe(32);
});

/** Reviews a token of a pod at once, and an invented token only when the test allows it. */
function slowForInvented() {
  const gate = Promise.withResolvers<unknown>();
  const isInvented = (token: string) => Buffer.from(token.split('.')[1] ?? '', 'base64url').includes('invented');
  return {
    review: (token: string) => (isInvented(token) ? gate.promise : Promise.resolve(reviewed())),
    invented: (i: number | string) => tokenOf({ jti: `invented ${i}` }),
    rejectInvented: () => gate.resolve(reviewed({ authenticated: false })),
  };
}

test('a pod that sends many invented tokens does not block other pods', async () => {
  const { review, invented, rejectInvented } = slowForInvented();
  const { admit, asked } = createAuthenticator(review);
  const flood = Array.from({ length: 500 }, (_, i) => admit(invented(i), JOB, '10.0.0.66').catch((error) => error));
  expect(await admit(tokenOf(), JOB, '10.0.0.2')).toMatchObject({ pod: { uid: 'uid-1' } });
  expect(asked()).toBe(4 + 1);
  rejectInvented();
  const refusals = await Promise.all(flood);
  expect(refusals.filter((error) => error instanceof UnauthorizedError)).toHaveLength(4);
  expect(refusals.filter((error) => error instanceof UnavailableError)).toHaveLength(496);
});

test('a hundred pods that send invented tokens do not block other pods after their first tokens were rejected', async () => {
  const [first, then] = [slowForInvented(), slowForInvented()];
  let isFirst = true;
  const { admit, asked, pass } = createAuthenticator((token) => (isFirst ? first : then).review(token));
  const sources = Array.from({ length: 100 }, (_, i) => `10.0.1.${i}`);
  first.rejectInvented();
  for (const source of sources) await admit(first.invented(source), JOB, source).catch(() => undefined);
  isFirst = false;
  const before = asked();
  const flood = sources.map((source, i) => admit(then.invented(i), JOB, source).catch(() => undefined));
  expect(asked() - before).toBe(8);
  expect(await admit(tokenOf(), JOB, '10.0.0.2')).toMatchObject({ pod: { uid: 'uid-1' } });
  then.rejectInvented();
  await Promise.all(flood);
  // The limit for rejected clients ends after a minute.
  pass(60_001);
  const again = sources.map((source) => admit(tokenOf({ jti: source }), JOB, source).catch((error) => error));
  expect((await Promise.all(again)).filter((error) => error instanceof UnavailableError).length).toBeLessThan(92);
});

test('a pod with a cached token is accepted while many reviews run', async () => {
  const { review, invented, rejectInvented } = slowForInvented();
  const { admit } = createAuthenticator(review);
  await admit();
  const flood = Array.from({ length: 500 }, (_, i) =>
    admit(invented(i), JOB, `10.0.${i % 250}.1`).catch(() => undefined),
  );
  expect(await admit()).toMatchObject({ pod: { uid: 'uid-1' } });
  rejectInvented();
  await Promise.all(flood);
});

test('a pod with a valid token has a limit of 16 concurrent job look-ups, and other pods do not wait', async () => {
  const gate = Promise.withResolvers<undefined>();
  let looked = 0;
  const tokens = podTokenAuthenticator({
    namespace: 'ads',
    serviceAccount: 'tearsheet-capture',
    audience: AUDIENCE,
    now: () => NOW,
    review: async (token) => reviewed({ uid: token === tokenOf() ? 'uid-1' : 'uid-2' }),
    findAccess: (id) => {
      looked += 1;
      return id === JOB ? Promise.resolve({ name: NAME }) : gate.promise;
    },
    log: { error: () => undefined },
  });
  await tokens.authenticate(tokenOf(), JOB, '10.0.0.1');
  const flood = Array.from({ length: 200 }, (_, i) =>
    tokens.authenticate(tokenOf(), `job-${i}`, '10.0.0.1').catch((error) => error),
  );
  expect(await tokens.authenticate(tokenOf({ jti: 2 }), JOB, '10.0.0.2')).toMatchObject({ pod: { uid: 'uid-2' } });
  expect(looked).toBe(1 + 16 + 1);
  gate.resolve(undefined);
  expect((await Promise.all(flood)).filter((error) => error instanceof NotFoundError)).toHaveLength(16);
});

test('each pod has its own burst and rate of calls', async () => {
  const { admit, pass } = createAuthenticator(async (token) => reviewed({ uid: token }));
  for (let i = 0; i < 2_000; i++) await admit();
  await expect(admit()).rejects.toThrow(UnavailableError);
  expect(await admit(tokenOf({ jti: 2 }))).toMatchObject({ jobId: JOB });
  pass(100);
  await admit();
  await admit();
  await expect(admit()).rejects.toThrow(UnavailableError);
});
