/**
 * Answers stored for `Idempotency-Key`. The first request holds an advisory lock until its transaction ends, and stores its
 * answer in that transaction. A process that dies leaves neither, so its key becomes free.
 */
import { sql } from 'kysely';
import { idempotencyLock, takeLock, tryLock } from '../../db/advisoryLocks.ts';
import type { Queryable } from '../../db/database.ts';
import { conflict, Failure } from '../../domain/failure.ts';
import { ANSWER_DAYS } from '../../domain/retention.ts';
import { isSealed } from '../../lib/keyRing.ts';

export interface IdempotentCall {
  readonly organizationId: string;
  /** Id of the API key or of the person that sends the request. */
  readonly callerId: string;
  readonly endpoint: string;
  readonly key: string;
  readonly bodySha256: Buffer;
}

export interface KeptAnswer {
  readonly status: number;
  /** The body, as it was sent. */
  readonly text: string;
}

/** An answer with a secret is not kept: instead of it, the id of what the request created. */
type ToKeep = KeptAnswer | { readonly status: null; readonly text: string };

/** Two callers may use the same key. No header contains a line break, so no caller can name the key of another one. */
const storedKey = ({ callerId, key }: IdempotentCall) => `${callerId}\n${key}`;

/**
 * Takes the key for this transaction. @returns the answer to replay, if there is one.
 * @param wait waits for the first request instead of failing: for a form, whose sender cannot try again.
 * @throws Failure: 409 while the first request runs and if its answer was not kept, 422 where the key was used with another body.
 */
export async function takeKey(
  tx: Queryable,
  call: IdempotentCall,
  { wait = false } = {},
): Promise<KeptAnswer | undefined> {
  const lock = idempotencyLock(call.organizationId, call.endpoint, storedKey(call));
  if (wait) await takeLock(tx, lock);
  else if (!(await tryLock(tx, lock))) throw inUse();
  const kept = await tx
    .selectFrom('idempotency_keys')
    .select(['body_sha256', 'status_code', 'response'])
    .where('organization_id', '=', call.organizationId)
    .where('endpoint', '=', call.endpoint)
    // Version 0.1.0 stored keys without their caller. Its answers are at most a day old.
    .where('key', 'in', [storedKey(call), call.key])
    .where(sql<boolean>`created_at > now() - make_interval(days => ${ANSWER_DAYS})`)
    .orderBy(sql`key = ${storedKey(call)}`, 'desc')
    .executeTakeFirst();
  if (kept === undefined) return undefined;
  if (!kept.body_sha256.equals(call.bodySha256)) {
    const errors = { 'idempotency-key': ['was used with another body: use a new key for a new request.'] };
    throw new Failure({ status: 422, code: 'idempotency_key_reused', errors });
  }
  const { status_code: status, response: text } = kept;
  if (status === null || text === null || isSealed(text)) throw notKept(status === null ? text : null);
  return { status, text };
}

function notKept(id: string | null): Failure {
  const object = id === null ? 'the object' : `the object ${id}`;
  return conflict(
    'idempotency-key',
    `belongs to a request that succeeded. Its answer has a secret, so it is not kept. If you did not receive it, delete ${object} and use a new Idempotency-Key.`,
  );
}

function inUse(): Failure {
  const errors = { 'idempotency-key': ['belongs to a request that is still running: try again in a moment.'] };
  return new Failure({ status: 409, code: 'idempotency_key_in_use', errors });
}

/** Keeps an answer, in the transaction of what it answers. It replaces one that is too old to be replayed. */
export async function keepAnswer(tx: Queryable, call: IdempotentCall, { status, text }: ToKeep): Promise<void> {
  const { organizationId: organization_id, endpoint, bodySha256: body_sha256 } = call;
  const values = { body_sha256, status_code: status, response: text, created_at: sql<Date>`now()` };
  await tx
    .insertInto('idempotency_keys')
    .values({ organization_id, endpoint, key: storedKey(call), ...values })
    .onConflict((on) => on.columns(['organization_id', 'endpoint', 'key']).doUpdateSet(values))
    .execute();
}
