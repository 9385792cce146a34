import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { INSTALLATION_PLACE, openSecret, sealSecret } from '../../db/secrets/sealing.ts';
import { isSealed } from '../../lib/keyRing.ts';

export interface Installation {
  /** UUID; every object in a cluster bears it. */
  readonly id: string;
  /** 32 random bytes: signs job tokens, upload addresses and share links. */
  readonly secret: Buffer;
}

/** Thrown after another process has become the leader. The process that gets it must change nothing more and end. */
export class StaleLeaderError extends Error {
  constructor(own: string, current: string) {
    super(`This leader's epoch is ${own}, and epoch ${current} has begun.`);
  }
}

/** The migration makes the secret without a key, and the first process that reads it seals it. */
export async function readInstallation(db: Queryable): Promise<Installation> {
  const { id, secret } = await db.selectFrom('installation').select(['id', 'secret']).executeTakeFirstOrThrow();
  const text = secret.toString('utf8');
  if (isSealed(text)) return { id, secret: Buffer.from(openSecret(db, text, INSTALLATION_PLACE), 'base64') };
  const sealed = Buffer.from(sealSecret(db, secret.toString('base64'), INSTALLATION_PLACE));
  await db.updateTable('installation').set({ secret: sealed }).where('secret', '=', secret).execute();
  return { id, secret };
}

/** Starts a new leadership. @returns its epoch, which settling transactions check. */
export async function beginEpoch(db: Queryable): Promise<string> {
  const row = await db
    .updateTable('installation')
    .set({ epoch: sql`epoch + 1` })
    .returning('epoch')
    .executeTakeFirstOrThrow();
  return row.epoch;
}

/** @throws StaleLeaderError when another leader has begun: asked before each write to the cluster. */
export async function checkEpoch(db: Queryable, epoch: string): Promise<void> {
  const { epoch: current } = await db.selectFrom('installation').select('epoch').executeTakeFirstOrThrow();
  if (current !== epoch) throw new StaleLeaderError(epoch, current);
}

/**
 * Holds the epoch until the transaction ends, so that no other leader can begin meanwhile.
 * @throws StaleLeaderError when it is over.
 */
export async function requireEpoch(transaction: Queryable, epoch: string): Promise<void> {
  const row = await transaction.selectFrom('installation').select('epoch').forShare().executeTakeFirstOrThrow();
  if (row.epoch !== epoch) throw new StaleLeaderError(epoch, row.epoch);
}

/** From now on, for so long, nothing is admitted and nothing made again in the cluster; a shorter time replaces a longer one. */
export async function stopInstallation(db: Queryable, seconds: number): Promise<void> {
  await db
    .updateTable('installation')
    .set({ stopped_until: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .execute();
}

export async function isStopped(db: Queryable): Promise<boolean> {
  const row = await db
    .selectFrom('installation')
    .select(sql<boolean>`coalesce(stopped_until > now(), false)`.as('stopped'))
    .executeTakeFirstOrThrow();
  return row.stopped;
}
