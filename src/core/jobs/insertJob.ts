/** Stores a job with its indexes and creatives. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { WantedFrame } from '../../domain/batches.ts';

export interface NewJob {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  /** Undefined for a job of ads without a set. */
  readonly setId: string | undefined;
  readonly indexes: number;
  readonly parallelism: number;
  readonly deadlineSeconds: number;
  /** Its captures may take small sets, and another capture may take it. */
  readonly small: boolean;
  readonly creatives: readonly { readonly adId: string; readonly wanted: readonly WantedFrame[] }[];
}

export async function insertJob(transaction: Queryable, job: NewJob): Promise<void> {
  const { id, indexes, creatives } = job;
  await transaction
    .insertInto('screenshot_jobs')
    .values({
      id,
      name: job.name,
      organization_id: job.organizationId,
      set_id: job.setId ?? null,
      indexes,
      parallelism: job.parallelism,
      small: job.small,
      deadline_at: sql<Date>`now() + make_interval(secs => ${job.deadlineSeconds})`,
    })
    .execute();
  await sql`insert into job_indexes (job_id, index) select ${id}, generate_series(0, ${indexes - 1}::integer)`.execute(
    transaction,
  );
  await sql`
    insert into job_creatives (job_id, ad_id, wanted)
    select ${id}::uuid, c.ad_id, c.wanted
    from unnest(${creatives.map(({ adId }) => adId)}::uuid[],
      ${creatives.map(({ wanted }) => JSON.stringify(wanted))}::jsonb[]) as c(ad_id, wanted)`.execute(transaction);
}

/** Any number, the same in every process. */
const ADMISSION_LOCK = 7_355_609;

/** Waits until no other transaction admits. */
export async function lockAdmission(transaction: Queryable): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADMISSION_LOCK})`.execute(transaction);
}
