import { randomUUID } from 'node:crypto';
import { cachedCheck } from '../lib/cachedCheck.ts';
import { DeadlineError, withDeadline } from '../lib/deadline.ts';
import { errorMessage, errorName } from '../lib/errorMessage.ts';
import { ArtifactNotFoundError, type ArtifactStore, checkKey } from './store.ts';

const KEY = 'health/check.txt';
const BYTES = Buffer.from('ok');
const TYPE = 'text/plain; charset=utf-8';
/** A store that needs longer for two bytes is unavailable. */
const CHECK_MS = 8_000;

/** The artifact store does not answer, or it answers with an error. */
export class StoreUnavailableError extends Error {
  /** Whether other calls would fail as well. A store that refuses files may still return them. */
  get isWithoutAnswer(): boolean {
    return isWithoutAnswer(this.cause);
  }
}

export interface WatchedStore {
  /**
   * The store, whose failures are StoreUnavailableErrors. After a check without an answer its calls fail at once, because
   * each would otherwise wait for more than a minute.
   */
  readonly artifacts: ArtifactStore;
  /** Stores a small artifact, at most once a minute as long as all calls succeed. @throws StoreUnavailableError */
  readonly check: () => Promise<void>;
}

/** Nothing is checked before the first call of `check`. */
export function watchStore(
  store: ArtifactStore,
  { now, checkMs = CHECK_MS }: { readonly now?: () => number; readonly checkMs?: number } = {},
): WatchedStore {
  let away: StoreUnavailableError | undefined;
  const check = cachedCheck(async () => {
    try {
      await orUnavailable(ACCEPT, withDeadline(checkMs, store.put(KEY, BYTES, TYPE)));
      away = undefined;
    } catch (error) {
      // Until the next check has ended, because a check that hangs takes long.
      away = error instanceof StoreUnavailableError && error.isWithoutAnswer ? error : undefined;
      throw error;
    }
  }, now);
  const attempt: Attempt = async (what, key, call) => {
    checkKey(key);
    if (away !== undefined) throw away;
    try {
      return await orUnavailable(what, call());
    } catch (error) {
      if (error instanceof StoreUnavailableError) check.forget();
      throw error;
    }
  };
  return { artifacts: attempting(store, attempt), check };
}

const [ACCEPT, RETURN, DELETE] = ['does not accept files', 'does not return files', 'does not delete files'];

type Attempt = <T>(what: string, key: string, call: () => Promise<T>) => Promise<T>;

function attempting(store: ArtifactStore, attempt: Attempt): ArtifactStore {
  return {
    put: (key, ...rest) => attempt(ACCEPT, key, () => store.put(key, ...rest)),
    putStream: (key, chunks, contentType) =>
      attempt(ACCEPT, key, async () => {
        const source = noteFailure(chunks);
        await store.putStream(key, source.chunks, contentType).catch((error: unknown) => {
          throw source.failure() ?? error;
        });
      }),
    get: (key) => attempt(RETURN, key, () => store.get(key)),
    getStream: (key) => attempt(RETURN, key, () => store.getStream(key)),
    sizeOf: (key) => attempt(RETURN, key, () => store.sizeOf(key)),
    delete: (key) => attempt(DELETE, key, () => store.delete(key)),
    discardStream: (key) => attempt(DELETE, key, () => store.discardStream(key)),
    // These only sign.
    uploadRequest: (...given) => store.uploadRequest(...given),
    downloadUrl: (...given) => store.downloadUrl(...given),
    clientOrigin: () => store.clientOrigin(),
    close: () => store.close(),
  };
}

/** An error of the source, such as a client that ends its upload, says nothing about the store. */
class SourceError extends Error {}

function noteFailure(source: AsyncIterable<Buffer>) {
  let failure: SourceError | undefined;
  async function* chunks() {
    try {
      yield* source;
    } catch (error) {
      failure = new SourceError('the source of an upload failed', { cause: error });
      throw error;
    }
  }
  return { chunks: chunks(), failure: () => failure };
}

async function orUnavailable<T>(what: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ArtifactNotFoundError) throw error;
    if (error instanceof SourceError) throw error.cause;
    const name = errorName(error) === 'Error' ? '' : `${errorName(error)}: `;
    throw new StoreUnavailableError(`the artifact store ${what}: ${name}${errorMessage(error)}`, { cause: error });
  }
}

/** Status codes of a store that serves nothing at the moment, unlike 507, with which a full one refuses files only. */
const NOT_SERVING: readonly number[] = [0, 429, 500, 502, 503, 504];

function isWithoutAnswer(error: unknown): boolean {
  if (error instanceof DeadlineError) return true;
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  const { httpStatusCode = 0 } = error.$metadata as { readonly httpStatusCode?: number };
  return NOT_SERVING.includes(httpStatusCode);
}

/** Stores an artifact of its own, reads it and deletes it. @throws Error with the answer of the store. */
export async function probeStore(artifacts: Pick<ArtifactStore, 'put' | 'get' | 'delete'>): Promise<void> {
  const key = `health/probe-${randomUUID()}.txt`;
  await artifacts.put(key, BYTES, TYPE);
  const { bytes } = await artifacts.get(key);
  await artifacts.delete(key);
  if (!bytes.equals(BYTES)) throw new Error('the artifact store returned other bytes than it was given');
}
