/** Reads the row of a job and locks it until the transaction ends. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

export interface LockedJob {
  readonly id: string;
  readonly organization_id: string;
  /** Null for a job of ads without a set. */
  readonly set_id: string | null;
}

export interface SharedJob extends LockedJob {
  readonly indexes: number;
  /** Its captures may host. */
  readonly small: boolean;
  readonly settled_at: Date | null;
  readonly deadline_at: Date;
  /** PostgreSQL's clock. */
  readonly now: Date;
}

/** Prevents settlement until the transaction ends. Other holders are not blocked. @returns undefined for an unknown job. */
export async function shareJob(transaction: Queryable, jobId: string): Promise<SharedJob | undefined> {
  return transaction
    .selectFrom('screenshot_jobs')
    .select(['id', 'organization_id', 'set_id', 'indexes', 'small', 'settled_at', 'deadline_at'])
    .select(sql<Date>`now()`.as('now'))
    .where('id', '=', jobId)
    .forKeyShare()
    .executeTakeFirst();
}

export interface JobToSettle extends LockedJob {
  /** The deadline has passed. */
  readonly overdue: boolean;
  /** From admission to the deadline. */
  readonly seconds: number;
}

/** @returns undefined for a job that is unknown or settled. */
export async function lockJobToSettle(transaction: Queryable, jobId: string): Promise<JobToSettle | undefined> {
  return transaction
    .selectFrom('screenshot_jobs')
    .select([
      'id',
      'organization_id',
      'set_id',
      sql<boolean>`deadline_at <= now()`.as('overdue'),
      sql<number>`extract(epoch from deadline_at - admitted_at)::integer`.as('seconds'),
    ])
    .where('id', '=', jobId)
    .where('settled_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** @returns the last progress step that was recorded for the job. */
export async function lockProgress(transaction: Queryable, jobId: string): Promise<number> {
  const { progress } = await transaction
    .selectFrom('screenshot_jobs')
    .select('progress')
    .where('id', '=', jobId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return progress;
}
