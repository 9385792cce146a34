/** Admission: what waits becomes a job with its indexes and creatives, fairly and within limits. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { planBatches, planCreativeIndexes, type WantedFrame, wantedFrames } from '../domain/batches.ts';
import { findDevice } from '../domain/devices.ts';
import { chooseFairly } from '../domain/fairness.ts';
import { resourceNameOf } from '../domain/resourceNames.ts';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import { isStopped } from '../store/installation/installation.ts';
import { countRunning, readBacklog } from '../store/jobs/backlog.ts';

/** Any number, the same for every process: one admits, the others wait. */
const LOCK = 7_355_609;
/** Of one transaction; the caller goes on while there is more. */
const MAX_AT_ONCE = 20;
const LONE_AD: WantedFrame[] = [{ marker_ms: null, ratio: 1 }];

export interface AdmissionLimits {
  /** Captures that may run at the same time, of all organizations together. */
  readonly maxPods: number;
  readonly maxPodsPerOrganization: number;
  /** Of one set. */
  readonly parallelism: number;
  /** Pages that one index takes at most, where a set has many; four unless given. */
  readonly pagesPerIndex?: number;
  readonly setDeadlineSeconds: number;
}

export interface Admitted {
  readonly jobId: string;
  /** Of the resource. */
  readonly name: string;
}

/** @returns the jobs that were made; fewer than asked for when the limits are reached, none when nothing waits. */
export async function admitWaiting(transaction: Queryable, limits: AdmissionLimits): Promise<Admitted[]> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
  if (await isStopped(transaction)) return [];
  const { maxPods, maxPodsPerOrganization, parallelism } = limits;
  const running = await countRunning(transaction);
  const backlog = await readBacklog(transaction, parallelism);
  const chosen = chooseFairly(backlog, { running, maxPods, maxPodsPerOrganization }).slice(0, MAX_AT_ONCE);
  const admitted: Admitted[] = [];
  for (const { item, parallelism } of chosen) {
    const { organizationId, setId, adIds = [] } = item;
    const job = { organizationId, parallelism, limits };
    const made =
      setId === undefined ? await admitAds(transaction, adIds, job) : await admitSet(transaction, setId, job);
    if (made !== undefined) admitted.push(made);
  }
  return admitted;
}

interface NewJob {
  readonly organizationId: string;
  readonly parallelism: number;
  readonly limits: AdmissionLimits;
}

/** @returns undefined where the set was canceled meanwhile. */
async function admitSet(transaction: Queryable, setId: string, job: NewJob): Promise<Admitted | undefined> {
  const moved = await transaction
    .updateTable('screenshot_sets')
    .set({ status: 'capturing' })
    .where('id', '=', setId)
    .where('status', '=', 'draft')
    .where('cancel_requested_at', 'is', null)
    .executeTakeFirst();
  if (moved.numUpdatedRows === 0n) return undefined;
  const pictures = await transaction
    .selectFrom('screenshots')
    .select(['id', 'ad_id as adId', 'site_key as siteKey', 'device', 'marker_ms as markerMs'])
    .where('set_id', '=', setId)
    .orderBy('seq')
    .execute();
  const { indexes, assignment } = planBatches(pictures, job.limits.parallelism, job.limits.pagesPerIndex);
  const admitted = await insertJob(transaction, { ...job, setId, indexes });
  await sql`
    update screenshots set job_index = planned.index
    from unnest(${pictures.map(({ id }) => id)}::uuid[], ${assignment}::integer[]) as planned(id, index)
    where screenshots.id = planned.id`.execute(transaction);
  const shown = pictures.map((picture) => ({ ...picture, ratio: findDevice(picture.device)?.ratio ?? 1 }));
  const wanted = [...Map.groupBy(shown, ({ adId }) => adId)].map(
    ([adId, places]) => ({ adId, wanted: wantedFrames(places) }) as const,
  );
  await insertCreatives(transaction, admitted.jobId, wanted);
  await notify(transaction, { set: setId, job: admitted.jobId });
  return admitted;
}

async function admitAds(transaction: Queryable, adIds: readonly string[], job: NewJob): Promise<Admitted | undefined> {
  const admitted = await insertJob(transaction, { ...job, indexes: planCreativeIndexes(adIds.length) });
  await insertCreatives(
    transaction,
    admitted.jobId,
    adIds.map((adId) => ({ adId, wanted: LONE_AD })),
  );
  await notify(transaction, { job: admitted.jobId });
  return admitted;
}

async function insertJob(
  transaction: Queryable,
  { organizationId, parallelism, limits, indexes, setId }: NewJob & { indexes: number; setId?: string },
): Promise<Admitted> {
  const jobId = randomUUID();
  const name = resourceNameOf(setId === undefined ? { jobId } : { setId });
  await transaction
    .insertInto('screenshot_jobs')
    .values({
      id: jobId,
      name,
      organization_id: organizationId,
      set_id: setId ?? null,
      indexes,
      parallelism: Math.min(parallelism, indexes),
      deadline_at: sql<Date>`now() + make_interval(secs => ${limits.setDeadlineSeconds})`,
    })
    .execute();
  await sql`insert into job_indexes (job_id, index) select ${jobId}, generate_series(0, ${indexes - 1}::integer)`.execute(
    transaction,
  );
  return { jobId, name };
}

async function insertCreatives(
  transaction: Queryable,
  jobId: string,
  creatives: readonly { adId: string; wanted: readonly WantedFrame[] }[],
): Promise<void> {
  await sql`
    insert into job_creatives (job_id, ad_id, wanted)
    select ${jobId}::uuid, c.ad_id, c.wanted
    from unnest(${creatives.map(({ adId }) => adId)}::uuid[],
      ${creatives.map(({ wanted }) => JSON.stringify(wanted))}::jsonb[]) as c(ad_id, wanted)`.execute(transaction);
}
