/** Recognizes errors of a database that does not answer at this moment, and waits for it. */
import { sleep } from '../lib/sleep.ts';

const LOST_CONNECTION =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|listening connection|not queryable/i;
const LOST_SOCKET = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EPIPE|EAI_AGAIN)$/;

/** No connection, none free in time, shutting down, out of resources, lost to a deadlock, or over the time of a statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (/^(53|40)/.test(code) || code === '57014') return true;
  return isConnectionLost(error);
}

/** No connection, or a server that starts or stops. Unlike a slow statement or a deadlock, this ends all work with the database. */
export function isConnectionLost(error: unknown): boolean {
  // pg-boss passes on copies of errors that are plain objects.
  if (typeof error !== 'object' || error === null || !('message' in error)) return false;
  const isLost = /^(08|57P)/.test(codeOf(error)) || LOST_SOCKET.test(codeOf(error));
  return isLost || LOST_CONNECTION.test(String(error.message));
}

/** @returns whether the error is one of {@link isConnectionLost} and of this database, not of a bucket or an API server. */
export function lostConnectionTo(databaseUrl: string): (error: unknown) => boolean {
  const port = Number(URL.parse(databaseUrl)?.port || 5_432);
  return (error) => {
    if (!isConnectionLost(error) || typeof error !== 'object' || error === null) return false;
    // Errors of the AWS SDK have `$metadata`; those of a connection attempt have the port.
    return !('$metadata' in error) && (!('port' in error) || error.port === port);
  };
}

/** PostgreSQL's error code for a missing database. It may be created after the server has started. */
const NO_SUCH_DATABASE = '3D000';
const PAUSE_MS = 500;

/**
 * Repeats `act` until the database answers, so that a process that starts before its database need not be restarted.
 * @param onWait called for each failure that is retried.
 * @throws the error of `act`, if it is another one or `seconds` have passed.
 */
export async function whenDatabaseAnswers<T>(
  act: () => Promise<T>,
  { seconds, onWait = () => undefined }: { readonly seconds: number; readonly onWait?: (error: unknown) => void },
): Promise<T> {
  const deadline = performance.now() + seconds * 1_000;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const mayAnswer = isDatabaseAway(error) || (error instanceof Error && codeOf(error) === NO_SUCH_DATABASE);
      if (!mayAnswer || performance.now() >= deadline) throw error;
      onWait(error);
      await sleep(PAUSE_MS);
    }
  }
}

const codeOf = (error: object): string => ('code' in error && typeof error.code === 'string' ? error.code : '');
