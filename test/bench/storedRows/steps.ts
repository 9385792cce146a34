/** The work of the controller and of the background jobs, measured without a cluster. Each is a function of one database. */
import { randomUUID } from 'node:crypto';
import { FolderArtifactStore } from '../../../src/artifacts/folder.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { deleteOldEntries } from '../../../src/store/auditLog/auditLog.ts';
import { openStore, type Queryable, type Store } from '../../../src/store/database/database.ts';
import { claimDeliveries, dueLanes } from '../../../src/store/deliveries/deliveryQueue.ts';
import { countWaiting, organizationsWithBacklog } from '../../../src/store/jobs/auditQueries.ts';
import { readJob, unsettledNames } from '../../../src/store/jobs/jobs.ts';
import { admitWaiting } from '../../../src/workflow/admission.ts';
import { recordSetEvent } from '../../../src/workflow/events.ts';
import { expireSets, removeSet, removeSome } from '../../../src/workflow/removal.ts';
import { settleJob } from '../../../src/workflow/settlement.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import type { Side } from './stand.ts';

export interface Step {
  readonly name: string;
  /** @returns milliseconds. */
  run(side: SideStore): Promise<number>;
}

export interface SideStore {
  readonly store: Store;
  readonly artifacts: FolderArtifactStore;
  readonly organizationId: string;
  /** Sets that were captured and are not settled. */
  readonly capturing: readonly { readonly id: string; readonly name: string; readonly set_id: string }[];
  /** Finished sets, oldest first, for the removal. Each is taken once. */
  readonly finished: string[];
}

export async function openSideStore(side: Side): Promise<SideStore> {
  const { database } = side;
  const { rows: organizations } = await database.query<{ id: string }>(
    "select id from organizations where slug = 'large'",
  );
  const organizationId = organizations[0]?.id ?? '';
  const { rows: capturing } = await database.query(
    'select id, name, set_id from screenshot_jobs where settled_at is null and organization_id = $1',
    [organizationId],
  );
  const { rows: finished } = await database.query<{ id: string }>(
    "select id from screenshot_sets where organization_id = $1 and status = 'approved' order by created_at limit 60",
    [organizationId],
  );
  return {
    store: openStore({ url: side.databaseUrl, maxConnections: 2, keyRing: TEST_KEY_RING }),
    artifacts: new FolderArtifactStore(side.artifacts),
    ...{ organizationId, capturing, finished: finished.map(({ id }) => id) },
  };
}

class Undone extends Error {}

/** Runs in a transaction that is rolled back, so that each round finds the same. */
async function undone({ store }: SideStore, work: (tx: Queryable) => Promise<unknown>): Promise<number> {
  let ms = 0;
  const run = store.db.transaction().execute(async (tx) => {
    ms = await timed(() => work(tx));
    throw new Undone();
  });
  await run.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
  return ms;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const LIMITS = { maxPods: 100, maxPodsPerOrganization: 100, parallelism: 2, setDeadlineSeconds: 3_600 };
const CONTEXT = { queue: { enqueue: () => Promise.resolve() }, publicUrl: 'https://tearsheet.example', resolved: [] };

export const STEPS: readonly Step[] = [
  { name: 'controller: admission of five sets', run: (side) => undone(side, (tx) => admitWaiting(tx, LIMITS)) },
  {
    name: 'controller: one job is read',
    run: (side) => timed(() => readJob(side.store.db, side.capturing[0]?.name ?? '')),
  },
  {
    name: 'controller: settlement of a set, with event and deliveries',
    run: (side) =>
      undone(side, (tx) => settleJob(tx, { jobId: side.capturing[0]?.id ?? '', cause: 'complete' }, CONTEXT)),
  },
  {
    name: 'controller: event of a set',
    run: ({ finished, ...side }) =>
      undone({ finished, ...side }, (tx) => {
        const setId = finished.at(-1) ?? '';
        return recordSetEvent(
          tx,
          { setId, organizationId: side.organizationId, topic: 'screenshot_set.approved' },
          CONTEXT,
        );
      }),
  },
  {
    name: 'controller: audit, work that waits',
    run: ({ store: { db } }) =>
      timed(async () => {
        await organizationsWithBacklog(db);
        await countWaiting(db);
        await unsettledNames(db);
      }),
  },
  {
    name: 'deliveries: claim of those that are due',
    run: (side) =>
      undone(side, async (tx) => {
        const lanes = await dueLanes(tx, 'webhook');
        const claims = lanes.map((lane) => ({ ...lane, take: 5 }));
        await claimDeliveries(tx, { channel: 'webhook', lanes: claims, leaseSeconds: 20 });
      }),
  },
  {
    name: 'retention: nothing is too old',
    run: ({ store: { db } }) =>
      timed(async () => {
        await expireSets(db, { defaultDays: 36_500, maxDays: undefined });
        await deleteOldEntries(db, { days: 36_500, most: 1_000 });
      }),
  },
  {
    name: 'retention: a set is deleted with all its content',
    run: ({ store: { db }, artifacts, organizationId, finished }) =>
      timed(async () => {
        const setId = finished.shift() ?? randomUUID();
        await db.transaction().execute((tx) => removeSet(tx, { organizationId, setId }, OPERATOR));
        while ((await removeSome({ db, artifacts })) !== undefined);
      }),
  },
];
