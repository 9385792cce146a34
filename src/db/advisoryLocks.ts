/** All advisory locks of the database. Pods of two versions may run together, so a lock keeps its number and its name. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from './database.ts';

export const LOCKS = {
  /** One process migrates, the others wait. */
  migration: 7_355_608n,
  /** One transaction admits sets, the others wait. */
  admission: 7_355_609n,
  /** One process makes mails and messages of notices. */
  notices: 7_302_100_841n,
} as const;

/** One of many locks, by a hash of its name. In rare cases two names share a hash, and one transaction waits for the other. */
interface NamedLock {
  readonly name: string;
}

type Lock = keyof typeof LOCKS | NamedLock;

/** @param parts what identifies an `Idempotency-Key`. */
export const idempotencyLock = (...parts: readonly string[]): NamedLock => ({ name: JSON.stringify(parts) });

/** A person, as the identity provider names it. */
export const personLock = (issuer: string, subject: string): NamedLock => ({ name: `${issuer} ${subject}` });

const numberOf = (lock: Lock): RawBuilder<bigint> =>
  typeof lock === 'string' ? sql`${LOCKS[lock]}` : sql`hashtextextended(${lock.name}, 0)`;

/** Waits for the lock, and holds it until the transaction ends. */
export async function takeLock(tx: Queryable, lock: Lock): Promise<void> {
  await sql`select pg_advisory_xact_lock(${numberOf(lock)})`.execute(tx);
}

/** Takes the lock until the transaction ends. @returns false if another transaction holds it. */
export async function tryLock(tx: Queryable, lock: Lock): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${numberOf(lock)}) as taken`.execute(
    tx,
  );
  return rows[0]?.taken === true;
}
