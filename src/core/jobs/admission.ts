/** Admission: creates jobs for sets and ads of the backlog, fairly between organizations and within limits. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { takeLock } from '../../db/advisoryLocks.ts';
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import { type WantedFilm, wantedFilms } from '../../domain/animations.ts';
import {
  type Batches,
  type PageOfPicture,
  planBatches,
  planCreativeIndexes,
  type WantedFrame,
  wantedFrames,
} from '../../domain/batches.ts';
import { findDevice } from '../../domain/devices.ts';
import { type Capacity, chooseFairly } from '../../domain/fairness.ts';
import { resourceNameOf } from '../../domain/resourceNames.ts';
import { assignIndexes, readPlannedScreenshots } from '../sets/results.ts';
import { startCapturing } from '../sets/setStatus.ts';
import {
  countRunning,
  hasUnstarted,
  raiseParallelism,
  readBacklog,
  readGrowable,
  type WaitingItem,
} from './backlog.ts';
import type { ResolveContext } from './countedTransactions.ts';
import { isStopped } from './installation.ts';

interface NewJob {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  /** Undefined for a job of ads without a set, and of a placement. */
  readonly setId?: string;
  readonly indexes: number;
  /** Its captures may take small sets, and another capture may take it. */
  readonly small: boolean;
  readonly creatives: readonly WantedCreative[];
}

interface WantedCreative {
  readonly adId: string;
  readonly wanted: readonly WantedFrame[];
  readonly films: readonly WantedFilm[];
}

/** Jobs in one transaction. The caller repeats it while there are more. */
const MAX_AT_ONCE = 20;
const FRAMES_WITHOUT_SET: WantedFrame[] = [{ marker_ms: null, ratio: 1 }];

export interface AdmissionLimits {
  /** Captures that may run at the same time, of all organizations together. */
  readonly maxPods: number;
  readonly maxPodsPerOrganization: number;
  /** Captures of one set. */
  readonly parallelism: number;
  /** A job keeps the parallelism of its admission, because Kueue has admitted its Job with it. */
  readonly fixedParallelism?: boolean;
  /** The most pages that one index takes, if a set has many. Default: 4. */
  readonly pagesPerIndex?: number;
  readonly setDeadlineSeconds: number;
}

type AdmissionContext = Pick<ResolveContext, 'reached'>;

export interface Admitted {
  readonly jobId: string;
  /** Name of the ScreenshotJob. */
  readonly name: string;
  readonly traceparent: string | null;
  /** When it was requested. */
  readonly since: Date;
}

export interface Admission {
  readonly admitted: readonly Admitted[];
  /** Names of the ScreenshotJobs whose Jobs may run more pods than before. */
  readonly grown: readonly string[];
}

/** A job without a capture after this time probably waits for a place in the cluster. */
const START_SECONDS = 5;

/** Admits nothing if the limits are reached. If the backlog is empty, running jobs get the free places. */
export async function admitWaiting(
  transaction: Queryable,
  limits: AdmissionLimits,
  context: AdmissionContext,
): Promise<Admission> {
  // No other transaction admits until this one ends.
  await takeLock(transaction, 'admission');
  if (await isStopped(transaction)) return { admitted: [], grown: [] };
  const { maxPods, maxPodsPerOrganization, parallelism: most, pagesPerIndex } = limits;
  const plan = (screenshots: readonly PageOfPicture[]) => planBatches(screenshots, most, pagesPerIndex);
  const capacity = { running: await countRunning(transaction), maxPods, maxPodsPerOrganization };
  const waiting = await readBacklog(transaction, most);
  const admitted: Admitted[] = [];
  for (const { item, parallelism } of chooseFairly(waiting, capacity).slice(0, MAX_AT_ONCE)) {
    const made = await admit(transaction, item, { parallelism, limits, plan, context });
    if (made !== undefined) admitted.push(made);
  }
  const grows = waiting.length === 0 && limits.fixedParallelism !== true;
  return { admitted, grown: grows ? await growJobs(transaction, most, capacity) : [] };
}

/**
 * Admits the next set of the backlog to the place of a capture that is done, if it is a small one of the capture's organization. The set gets
 * one index. The caller holds the lock of the admission.
 */
export async function admitSmallSet(
  transaction: Queryable,
  organizationId: string,
  limits: Pick<AdmissionLimits, 'maxPodsPerOrganization' | 'setDeadlineSeconds'>,
  context: AdmissionContext,
): Promise<Admitted | undefined> {
  if ((await isStopped(transaction)) || (await hasUnstarted(transaction, START_SECONDS))) return undefined;
  const running = await countRunning(transaction);
  const maxPods = [...running.values()].reduce((sum, pods) => sum + pods, 0);
  running.set(organizationId, (running.get(organizationId) ?? 1) - 1);
  const { maxPodsPerOrganization } = limits;
  const [next] = chooseFairly(await readBacklog(transaction, 1), { running, maxPods, maxPodsPerOrganization });
  if (next?.item.organizationId !== organizationId || !next.item.small) return undefined;
  const plan = (screenshots: readonly PageOfPicture[]) => ({ indexes: 1, assignment: screenshots.map(() => 0) });
  return admit(transaction, next.item, { parallelism: 1, limits, plan, context });
}

/** Gives places that no set waits for to the jobs that can use more. @returns the names of these jobs. */
async function growJobs(transaction: Queryable, parallelism: number, capacity: Capacity): Promise<string[]> {
  const chosen = chooseFairly(await readGrowable(transaction, parallelism), capacity);
  for (const { item, parallelism: more } of chosen) await raiseParallelism(transaction, item.jobId, more);
  return chosen.map(({ item }) => item.name);
}

interface JobPlan {
  readonly parallelism: number;
  readonly limits: Pick<AdmissionLimits, 'setDeadlineSeconds'>;
  readonly plan: (screenshots: readonly PageOfPicture[]) => Batches;
  readonly context: AdmissionContext;
}

/** @returns undefined if the set was canceled in the meantime. */
async function admit(transaction: Queryable, item: WaitingItem, plan: JobPlan): Promise<Admitted | undefined> {
  return item.setId === undefined
    ? admitWithoutSet(transaction, item, plan)
    : admitSet(transaction, item.setId, item, plan);
}

async function admitSet(
  transaction: Queryable,
  setId: string,
  item: WaitingItem,
  plan: JobPlan,
): Promise<Admitted | undefined> {
  const time = await startCapturing(transaction, setId);
  if (time === undefined) return undefined;
  plan.context.reached.push({ milestone: 'admitted', ...time });
  const { organizationId, small } = item;
  const screenshots = await readPlannedScreenshots(transaction, setId);
  const { indexes, assignment } = plan.plan(screenshots);
  const shown = screenshots.map((screenshot) => ({ ...screenshot, ratio: findDevice(screenshot.device)?.ratio ?? 1 }));
  const creatives = [...Map.groupBy(shown, ({ adId }) => adId)].map(([adId, places]) => ({
    adId,
    wanted: wantedFrames(places),
    films: wantedFilms(places),
  }));
  const job = {
    id: randomUUID(),
    name: resourceNameOf('set', setId),
    organizationId,
    small,
    setId,
    indexes,
    creatives,
  };
  const admitted = await storeJob(transaction, job, { ...plan, since: item.since });
  await assignIndexes(
    transaction,
    screenshots.map(({ id }) => id),
    assignment,
  );
  await notify(transaction, { set: setId, job: admitted.jobId, organization: organizationId });
  return admitted;
}

/** @param item a placement, or ads without a set. */
async function admitWithoutSet(transaction: Queryable, item: WaitingItem, plan: JobPlan): Promise<Admitted> {
  const { organizationId, small, placementId, adIds = [] } = item;
  const creatives = adIds.map((adId) => ({ adId, wanted: FRAMES_WITHOUT_SET, films: [] }));
  const indexes = planCreativeIndexes(adIds.length);
  const id = placementId ?? randomUUID();
  const name = resourceNameOf(placementId === undefined ? 'ads' : 'placement', id);
  const admitted = await storeJob(
    transaction,
    { id, name, organizationId, small, indexes, creatives },
    { ...plan, since: item.since },
  );
  await notify(transaction, { job: id, resource: name });
  return admitted;
}

/** Stores a job with its indexes and creatives. */
async function storeJob(
  transaction: Queryable,
  job: NewJob,
  { limits, parallelism, since }: JobPlan & Pick<WaitingItem, 'since'>,
): Promise<Admitted> {
  const { id, name, indexes, creatives } = job;
  const { traceparent } = await transaction
    .insertInto('screenshot_jobs')
    .values({
      ...{ id, name },
      organization_id: job.organizationId,
      set_id: job.setId ?? null,
      indexes,
      parallelism: Math.min(parallelism, indexes),
      small: job.small,
      deadline_at: sql<Date>`now() + make_interval(secs => ${limits.setDeadlineSeconds})`,
      traceparent: sql<string | null>`coalesce(
        (select traceparent from screenshot_sets where id = ${job.setId ?? null}),
        (select traceparent from placements where id = ${id}),
        (select traceparent from ads where id = any(${creatives.map(({ adId }) => adId)}::uuid[])
         and ${job.setId === undefined} and traceparent is not null order by created_at, id limit 1))`,
    })
    .returning('traceparent')
    .executeTakeFirstOrThrow();
  await sql`insert into job_indexes (job_id, index) select ${id}, generate_series(0, ${indexes - 1}::integer)`.execute(
    transaction,
  );
  await sql`
    insert into job_creatives (job_id, ad_id, wanted, wanted_films)
    select ${id}::uuid, c.ad_id, c.wanted, c.films
    from unnest(${creatives.map(({ adId }) => adId)}::uuid[],
      ${creatives.map(({ wanted }) => JSON.stringify(wanted))}::jsonb[],
      ${creatives.map(({ films }) => JSON.stringify(films))}::jsonb[]) as c(ad_id, wanted, films)`.execute(transaction);
  return { jobId: id, name, traceparent, since };
}
