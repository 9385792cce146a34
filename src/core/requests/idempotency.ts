/**
 * Answers stored for `Idempotency-Key`. The first request holds an advisory lock until its transaction ends, and stores its
 * answer in that transaction. A process that dies leaves neither, so its key becomes free.
 */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { answerPlace, openSecret, sealSecret } from '../../db/secrets/sealing.ts';
import { Failure } from '../../domain/failure.ts';
import { ANSWER_DAYS } from '../../domain/retention.ts';
import { isSealed } from '../../lib/keyRing.ts';

export interface IdempotentCall {
  readonly organizationId: string;
  readonly endpoint: string;
  readonly key: string;
  readonly bodySha256: Buffer;
}

export interface KeptAnswer {
  readonly status: number;
  /** The body, as it was sent. */
  readonly text: string;
}

/**
 * Takes the key for this transaction. @returns the answer to replay, if there is one.
 * @param wait waits for the first request instead of failing: for a form, whose sender cannot try again.
 * @throws Failure: 409 while the first request runs, 422 where the key was used with another body.
 */
export async function takeKey(
  tx: Queryable,
  call: IdempotentCall,
  { wait = false } = {},
): Promise<KeptAnswer | undefined> {
  const name = JSON.stringify([call.organizationId, call.endpoint, call.key]);
  if (wait) await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
  else await tryLock(tx, name);
  const kept = await tx
    .selectFrom('idempotency_keys')
    .select(['body_sha256', 'status_code', 'response'])
    .where('organization_id', '=', call.organizationId)
    .where('endpoint', '=', call.endpoint)
    .where('key', '=', call.key)
    .where(sql<boolean>`created_at > now() - make_interval(days => ${ANSWER_DAYS})`)
    .executeTakeFirst();
  if (kept === undefined || kept.status_code === null || kept.response === null) return undefined;
  if (!kept.body_sha256.equals(call.bodySha256)) {
    const errors = { 'idempotency-key': ['was used with another body: use a new key for a new request.'] };
    throw new Failure({ status: 422, code: 'idempotency_key_reused', errors });
  }
  return { status: kept.status_code, text: answerText(tx, kept.response, call) };
}

/** Only answers with a secret are sealed; all others are JSON. */
function answerText(tx: Queryable, response: string, { organizationId }: IdempotentCall): string {
  return isSealed(response) ? openSecret(tx, response, answerPlace(organizationId)) : response;
}

async function tryLock(tx: Queryable, name: string): Promise<void> {
  const lock = await sql<{
    taken: boolean;
  }>`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`.execute(tx);
  if (lock.rows[0]?.taken === true) return;
  const errors = { 'idempotency-key': ['belongs to a request that is still running: try again in a moment.'] };
  throw new Failure({ status: 409, code: 'idempotency_key_in_use', errors });
}

/** Keeps an answer, in the transaction of what it answers. It replaces one that is too old to be replayed. */
export async function keepAnswer(
  tx: Queryable,
  call: IdempotentCall,
  answer: KeptAnswer & { readonly secret?: boolean },
): Promise<void> {
  const text = answer.secret ? sealSecret(tx, answer.text, answerPlace(call.organizationId)) : answer.text;
  await sql`
    insert into idempotency_keys (organization_id, endpoint, key, body_sha256, status_code, response)
    values (${call.organizationId}::uuid, ${call.endpoint}, ${call.key}, ${call.bodySha256}, ${answer.status}, ${text})
    on conflict (organization_id, endpoint, key) do update set body_sha256 = excluded.body_sha256,
      status_code = excluded.status_code, response = excluded.response, created_at = now()`.execute(tx);
}
