/** The end of a job: whatever is open gets its failure, the set its final state, and whoever is to be told is told; all at once. */
import { sql } from 'kysely';
import { type ScreenshotStatus, type SetStatus, settledSetStatus } from '../domain/states.ts';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import type { ResolveContext } from './countedTransactions.ts';
import { recordSetEvent } from './events.ts';
import { failOrphanedAds } from './orphanedAds.ts';

/** Why a job ends. `lost`: its captures ended again and again without a result. `unscheduled`: none of them was ever started. */
export type SettleCause = 'complete' | 'deadline' | 'canceled' | 'lost' | 'unscheduled';

export interface Settlement {
  readonly jobId: string;
  readonly cause: SettleCause;
  /** Of what was never started: why, for whoever asked for it, and for whoever runs the cluster. */
  readonly problem?: { readonly words?: string; readonly details: string };
}

/** `not_due`: something is unresolved and the deadline has not passed. */
export type SettleOutcome = 'settled' | 'already' | 'not_due';

interface Job {
  readonly id: string;
  readonly organization_id: string;
  readonly set_id: string | null;
  readonly overdue: boolean;
  readonly seconds: number;
}

/** Ends that the cluster brought about: its words go along. */
const TOLD: ReadonlySet<SettleCause> = new Set(['unscheduled', 'lost']);

/** In a transaction that holds the leader's epoch: see `requireEpoch`. */
export async function settleJob(
  transaction: Queryable,
  { jobId, cause, problem }: Settlement,
  context: ResolveContext,
): Promise<SettleOutcome> {
  const job = await lockJob(transaction, jobId);
  if (job === undefined) return 'already';
  const ended = await endingOf(transaction, job, cause);
  if (ended === 'not_due') return ended;
  const words = reasonOf(ended, job, problem?.words);
  context.resolved.push(...(await closeScreenshots(transaction, job, { cause: ended, words })));
  const adIds = await closeCreatives(transaction, job.id, ended);
  await transaction.deleteFrom('declared_uploads').where('job_id', '=', job.id).execute();
  const status = job.set_id === null ? undefined : await settleSet(transaction, job.set_id, ended);
  await transaction
    .updateTable('screenshot_jobs')
    .set({ settled_at: sql<Date>`now()`, outcome: ended, problem: TOLD.has(ended) ? (problem?.details ?? null) : null })
    .where('id', '=', job.id)
    .execute();
  await failOrphanedAds(transaction, { adIds, reason: words }, context);
  if (job.set_id !== null && status !== undefined) {
    await tell(transaction, { setId: job.set_id, organizationId: job.organization_id, status }, context);
  }
  await context.queue.enqueue(transaction, 'launch', { organization_id: job.organization_id });
  await notify(transaction, { job: job.id, ...(job.set_id === null ? {} : { set: job.set_id }) });
  return 'settled';
}

/** @returns undefined where it is settled already. */
async function lockJob(transaction: Queryable, jobId: string): Promise<Job | undefined> {
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

/** A request to cancel wins over everything; what is complete is complete, whatever made somebody look. */
async function endingOf(transaction: Queryable, job: Job, cause: SettleCause): Promise<SettleCause | 'not_due'> {
  if (cause === 'canceled' || (await isCancelRequested(transaction, job.set_id))) return 'canceled';
  if (!(await hasOpen(transaction, job))) return 'complete';
  if (cause === 'lost') return 'lost';
  if (cause === 'unscheduled' && !(await hasStarted(transaction, job))) return 'unscheduled';
  return job.overdue ? 'deadline' : 'not_due';
}

async function isCancelRequested(transaction: Queryable, setId: string | null): Promise<boolean> {
  if (setId === null) return false;
  const set = await transaction
    .selectFrom('screenshot_sets')
    .select('cancel_requested_at')
    .where('id', '=', setId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return set.cancel_requested_at !== null;
}

async function hasOpen(transaction: Queryable, job: Job): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`select
    exists (select 1 from screenshots where set_id = ${job.set_id} and status = 'pending')
    or exists (select 1 from job_creatives where job_id = ${job.id} and status = 'pending') as open`.execute(
    transaction,
  );
  return rows[0]?.open ?? true;
}

/** The job is locked, so none opens its first attempt meanwhile. */
async function hasStarted(transaction: Queryable, job: Job): Promise<boolean> {
  const row = await transaction
    .selectFrom('job_indexes')
    .select('index')
    .where('job_id', '=', job.id)
    .where('started_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function reasonOf(cause: SettleCause, job: Job, why = 'the cluster gave it no place'): string {
  switch (cause) {
    case 'complete':
      return 'The ad was not captured.';
    case 'canceled':
      return 'The screenshot set was canceled.';
    case 'deadline':
      return `It was not finished within ${job.seconds} s, the time this service gives to one request.`;
    case 'lost':
      return 'The capture ended several times without a result.';
    case 'unscheduled':
      return `No capture could be started in time: ${why}.`;
  }
}

/** Pictures whose page was being taken when the time was over ran into a time-out; the others were never begun. */
async function closeScreenshots(
  transaction: Queryable,
  job: Job,
  { cause, words }: { cause: SettleCause; words: string },
): Promise<ScreenshotStatus[]> {
  if (job.set_id === null || cause === 'complete') return [];
  const { rows } = await sql<{ status: ScreenshotStatus }>`
    update screenshots s set
      status = case
        when ${cause} = 'canceled' then 'canceled'
        when ${cause} = 'deadline' and i.started_at is not null then 'net_read_timeout'
        else 'generic_error' end,
      reason = case
        when ${cause} = 'deadline' and i.started_at is null
          then ${'No capture of this page could be started in time: '}::text || ${words}::text
        else ${words}::text end
    from screenshots o left join job_indexes i on i.job_id = ${job.id} and i.index = o.job_index
    where s.id = o.id and o.set_id = ${job.set_id} and o.status = 'pending'
    returning s.status`.execute(transaction);
  return rows.map(({ status }) => status);
}

/** @returns the ads of the job. */
async function closeCreatives(transaction: Queryable, jobId: string, cause: SettleCause): Promise<string[]> {
  await transaction
    .updateTable('job_creatives')
    .set({
      status: cause === 'canceled' ? 'canceled' : 'failed',
      claim_expires_at: null,
      resolved_at: sql<Date>`now()`,
    })
    .where('job_id', '=', jobId)
    .where('status', '=', 'pending')
    .execute();
  const rows = await transaction.selectFrom('job_creatives').select('ad_id').where('job_id', '=', jobId).execute();
  return rows.map(({ ad_id }) => ad_id);
}

async function settleSet(transaction: Queryable, setId: string, cause: SettleCause): Promise<SetStatus> {
  const { review, uploaded } = await transaction
    .selectFrom('screenshot_sets')
    .innerJoin('organizations', 'organizations.id', 'screenshot_sets.organization_id')
    .select((eb) => [
      'organizations.review',
      eb
        .selectFrom('screenshots')
        .select(sql<number>`count(*)::integer`.as('count'))
        .where('screenshots.set_id', '=', setId)
        .where('screenshots.status', '=', 'uploaded')
        .as('uploaded'),
    ])
    .where('screenshot_sets.id', '=', setId)
    .executeTakeFirstOrThrow();
  const status = cause === 'canceled' ? 'canceled' : settledSetStatus({ uploaded: uploaded ?? 0 }, review);
  await transaction
    .updateTable('screenshot_sets')
    .set({
      status,
      settled_at: sql<Date>`now()`,
      ...(status === 'approved' ? { approved_at: sql<Date>`now()` } : {}),
    })
    .where('id', '=', setId)
    .execute();
  return status;
}

async function tell(
  transaction: Queryable,
  { setId, organizationId, status }: { setId: string; organizationId: string; status: SetStatus },
  context: ResolveContext,
): Promise<void> {
  if (status !== 'approved' && status !== 'failed') return;
  await recordSetEvent(transaction, { setId, organizationId, topic: `screenshot_set.${status}` }, context);
}
