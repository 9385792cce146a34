import { expect, test } from 'vitest';
import { ArtifactNotFoundError, type ArtifactStore } from '../../../src/artifacts/store.ts';
import { StoreUnavailableError, watchStore } from '../../../src/artifacts/storeCheck.ts';

const NEVER = () => Promise.reject(new Error('not expected'));
const stored = (calls: Partial<ArtifactStore>): ArtifactStore => ({
  ...{
    put: async () => undefined,
    putStream: NEVER,
    get: NEVER,
    getStream: NEVER,
    sizeOf: async () => 2,
    delete: NEVER,
  },
  ...{ discardStream: NEVER, uploadRequest: NEVER, downloadUrl: NEVER, clientOrigin: NEVER, close: () => undefined },
  ...calls,
});
/** As the SDK reports it. */
const refused = Object.assign(new Error('The specified bucket does not exist'), {
  ...{ name: 'NoSuchBucket', $metadata: { httpStatusCode: 404 } },
});
const unreachable = Object.assign(new Error('connect ECONNREFUSED'), { name: 'Error', $metadata: { attempts: 3 } });

test('a store that accepts files is checked once a minute, and one that does not at each call', async () => {
  let [now, puts, fails] = [0, 0, false];
  const put = async () => {
    puts += 1;
    if (fails) throw refused;
  };
  const { check } = watchStore(stored({ put }), { now: () => now });
  await check();
  await check();
  expect(puts).toBe(1);
  [now, fails] = [60_001, true];
  const reason = 'the artifact store does not accept files: NoSuchBucket: The specified bucket does not exist';
  await expect(check()).rejects.toThrow(reason);
  await expect(check()).rejects.toThrow(reason);
  expect(puts).toBe(3);
});

test('a check that is slow is not begun again by the next probe', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let puts = 0;
  const put = () => {
    puts += 1;
    return promise;
  };
  const { check } = watchStore(stored({ put }));
  const probes = [check(), check()];
  resolve();
  await Promise.all(probes);
  expect(puts).toBe(1);
});

test('a call that fails names the store and makes the next check ask it again', async () => {
  let puts = 0;
  const put = async () => {
    puts += 1;
  };
  const { artifacts, check } = watchStore(stored({ put, get: () => Promise.reject(unreachable) }));
  await check();
  const failed = artifacts.get('pictures/1.png');
  await expect(failed).rejects.toThrow(StoreUnavailableError);
  await expect(failed).rejects.toThrow('the artifact store does not return files: connect ECONNREFUSED');
  await check();
  expect(puts).toBe(2);
});

test.each([
  ['a store that does not answer', unreachable],
  ['a store that answers 503', Object.assign(new Error('SlowDown'), { $metadata: { httpStatusCode: 503 } })],
])('after a failed check of %s its calls fail at once, until a check succeeds', async (_what, error) => {
  let [isAway, asked] = [true, 0];
  const put = async () => {
    if (isAway) throw error;
  };
  const sizeOf = async () => {
    asked += 1;
    return 2;
  };
  const { artifacts, check } = watchStore(stored({ put, sizeOf }));
  await expect(check()).rejects.toThrow(StoreUnavailableError);
  await expect(artifacts.sizeOf('pictures/1.png')).rejects.toThrow(StoreUnavailableError);
  expect(asked).toBe(0);
  isAway = false;
  await check();
  expect(await artifacts.sizeOf('pictures/1.png')).toBe(2);
});

test('a check that gets no answer in its time fails', async () => {
  const { artifacts, check } = watchStore(stored({ put: () => new Promise(() => undefined) }), { checkMs: 10 });
  await expect(check()).rejects.toThrow('the artifact store does not accept files');
  await expect(artifacts.sizeOf('pictures/1.png')).rejects.toThrow(StoreUnavailableError);
});

test('calls also fail at once while the next check of a store that hangs runs', async () => {
  const { artifacts, check } = watchStore(stored({ put: () => new Promise(() => undefined) }), { checkMs: 10 });
  await expect(check()).rejects.toThrow(StoreUnavailableError);
  const running = check();
  await expect(artifacts.sizeOf('pictures/1.png')).rejects.toThrow(StoreUnavailableError);
  await expect(running).rejects.toThrow(StoreUnavailableError);
});

const full = Object.assign(new Error('Storage is full'), { $metadata: { httpStatusCode: 507 } });

test.each([
  ['refuses files', refused],
  ['is full', full],
])('a store that %s is still asked for them', async (_what, error) => {
  const { artifacts, check } = watchStore(stored({ put: () => Promise.reject(error) }));
  await expect(check()).rejects.toThrow(StoreUnavailableError);
  expect(await artifacts.sizeOf('pictures/1.png')).toBe(2);
});

test('neither a missing artifact nor an upload that its sender ends counts as a failure of the store', async () => {
  const ended = new Error('the client ended the upload');
  async function* chunks() {
    yield Buffer.from('a');
    throw ended;
  }
  const { artifacts } = watchStore(
    stored({
      get: (key) => Promise.reject(new ArtifactNotFoundError(key)),
      putStream: async (_key, given) => {
        for await (const _ of given);
      },
    }),
  );
  await expect(artifacts.get('pictures/1.png')).rejects.toThrow(ArtifactNotFoundError);
  await expect(artifacts.putStream('uploads/1', chunks(), 'text/plain')).rejects.toBe(ended);
});
