/**
 * Ends a controller at each call that it makes to the cluster and to Postgres, without exception. The next controller
 * brings everything to the same state.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admitWaiting } from '../../src/core/jobs/admission.ts';
import { openStore, type Store } from '../../src/db/database.ts';
import { type Queue, startQueue } from '../../src/db/queue.ts';
import { CrashingController, SETTINGS } from '../support/crashingController.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../support/insertRows.ts';
import { OperatedCluster } from '../support/operatedCluster.ts';
import { required } from '../support/required.ts';
import { simulateIndex, startIndex } from '../support/simulatedIndex.ts';
import { TEST_KEY_RING } from '../support/testKeys.ts';
import { TEST_LOG } from '../support/testLog.ts';

let database: TestDatabase;
let store: Store;
let queue: Queue;
let organization: TestOrganization;

beforeAll(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  organization = await insertOrganization(store.db);
  queue = await startQueue({ databaseUrl: database.url, onError: () => undefined, supervise: false });
});

afterAll(async () => {
  await queue.stop({ timeoutMs: 1_000 });
  await store.close();
  await database.close();
});

const eventContext = () => ({ queue, publicUrl: SETTINGS.publicUrl });

interface Scene {
  readonly cluster: OperatedCluster;
  readonly setId: string;
  readonly jobId: string;
  readonly name: string;
  /** The controller, or its successor, does all that it can at this moment. */
  rest(): Promise<void>;
  /** So many seconds pass for the job, on Postgres's clock. */
  pass(seconds: number): Promise<void>;
  play(index: number): Promise<void>;
}

interface Story {
  readonly title: string;
  /** Programs of captures; none does anything by itself. */
  readonly capture: readonly string[];
  readonly maxPods?: number;
  perform(scene: Scene): Promise<void>;
}

const LIMITS = { ...SETTINGS, maxPods: 1_000_000, maxPodsPerOrganization: 1_000_000 };
const STAY = ['/bin/sleep', '600'];

const STORIES: readonly Story[] = [
  {
    title: 'A set is captured, settled, shown for a while and deleted from the cluster',
    capture: STAY,
    async perform({ rest, play, pass }) {
      await rest();
      await play(0);
      await rest();
      await play(1);
      await rest();
      await pass(11);
      await rest();
      await pass(601);
      await rest();
    },
  },
  {
    title: 'A set is canceled through its ScreenshotJob',
    capture: STAY,
    async perform({ rest, play, cluster, name }) {
      await rest();
      await play(0);
      cluster.cancelByHand(name);
      await rest();
    },
  },
  {
    title: 'An operator deletes the ScreenshotJob of a set',
    capture: STAY,
    async perform({ rest, cluster, name }) {
      await rest();
      cluster.deleteByHand(name);
      await rest();
    },
  },
  {
    title: 'The ScreenshotJob of an open set is lost and recreated',
    capture: STAY,
    async perform({ rest, play, cluster, name }) {
      await rest();
      await cluster.deleteScreenshotJob(required(await cluster.getScreenshotJob(name)));
      await rest();
      await play(0);
      await play(1);
      await rest();
    },
  },
  {
    title: 'The captures of a set end without a result in three generations of its Job',
    capture: ['/bin/false'],
    async perform({ rest, pass, cluster, jobId }) {
      await eventually(async () => {
        await rest();
        const job = await store.db.selectFrom('screenshot_jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
        expect(job?.settled_at).not.toBeNull();
      });
      await rest();
      // The last Job stays with the logs of its captures as long as its ScreenshotJob.
      expect((await cluster.listJobs()).map(({ finished }) => finished)).toEqual([true]);
      await pass(601);
      await rest();
      expect(await cluster.listJobs()).toEqual([]);
    },
  },
  {
    title: 'No capture of a set ever starts',
    capture: STAY,
    maxPods: 0,
    async perform({ rest, pass }) {
      await rest();
      await pass(901);
      await rest();
    },
  },
  {
    title: 'The claims of a set are lost, and its deadline comes',
    capture: STAY,
    async perform({ rest, pass, jobId }) {
      await rest();
      await startIndex(store.db, { jobId, index: 0, eventContext: eventContext() });
      await pass(700);
      await rest();
      await pass(3_000);
      await rest();
    },
  },
];

async function admitted() {
  const { db } = store;
  const adId = await insertAd(db, organization);
  const pictures = [{ adId }, { adId, site: 'https://b.example/' }];
  const subscribers = [
    { webhook_url: 'https://hooks.example/', webhook_topics: ['screenshot_set.approved', 'screenshot_set.failed'] },
  ];
  const setId = await insertSet(db, organization, { pictures, subscribers });
  const { admitted: jobs } = await db.transaction().execute((tx) => admitWaiting(tx, LIMITS, { reached: [] }));
  return { setId, ...required(jobs[0]) };
}

/** All that the story leaves, without what differs by nature: ids and times. */
async function outcome(cluster: OperatedCluster, { setId, jobId }: { setId: string; jobId: string }) {
  const { db } = store;
  const plain = (text: string) =>
    text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T');
  const known = {
    set: await db.selectFrom('screenshot_sets').select('status').where('id', '=', setId).executeTakeFirst(),
    job: await db
      .selectFrom('screenshot_jobs')
      .select(['outcome', 'generation', 'problem'])
      .where('id', '=', jobId)
      .executeTakeFirst(),
    pictures: await db
      .selectFrom('screenshots')
      .select(['status', 'reason'])
      .where('set_id', '=', setId)
      .orderBy('seq')
      .execute(),
    creatives: await db
      .selectFrom('job_creatives')
      .select(['status', 'claims_lost'])
      .where('job_id', '=', jobId)
      .execute(),
    deliveries: await db.selectFrom('deliveries').select(['channel', 'target']).where('set_id', '=', setId).execute(),
    resources: (await cluster.listScreenshotJobs()).map(({ name, deleting, spec, status }) => ({
      name,
      deleting,
      spec,
      status,
    })),
    jobs: (await cluster.listJobs()).map(({ name, deleting, finished }) => ({ name, deleting, finished })),
  };
  return plain(JSON.stringify(known, undefined, 1)).replaceAll(/"duration": "[^"]*"/g, '"duration": "D"');
}

async function run({ capture, maxPods = 4, perform }: Story, last?: number) {
  const cluster = new OperatedCluster({
    captureCommand: capture,
    maxPods,
    log: TEST_LOG,
    env: {},
    graceMs: 500,
    backoffMs: 1,
  });
  const controller = new CrashingController({ databaseUrl: database.url, db: store.db, queue, cluster }, last);
  const job = await admitted();
  const { db } = store;
  const rest = async () => {
    await controller.reconcileUntilIdle(job.name);
    await eventually(async () => expect((await cluster.listJobs()).filter(({ deleting }) => deleting)).toEqual([]));
    await controller.reconcileUntilIdle(job.name);
  };
  const pass = async (seconds: number) => {
    const ago = (column: string) => `${column} = ${column} - make_interval(secs => ${seconds})`;
    const times = ['admitted_at', 'deadline_at', 'launched_at', 'settled_at'].map(ago);
    await store.pool.query(`update screenshot_jobs set ${times} where id = $1`, [job.jobId]);
    await store.pool.query(`update job_creatives set ${ago('claim_expires_at')} where job_id = $1`, [job.jobId]);
  };
  const play = (index: number) => simulateIndex(db, { jobId: job.jobId, index, eventContext: eventContext() });
  try {
    await perform({ cluster, ...job, rest, pass, play });
    return { calls: controller.calls, hasEnded: controller.hasCrashed, left: await outcome(cluster, job) };
  } finally {
    await controller.close();
    await cluster.close();
  }
}

const isRead = (call = '') => /^(select|begin) |^(get|list)[A-Z]|^begin$/.test(call);

for (const story of STORIES) {
  test(`${story.title}, also when a controller ends at any call`, { timeout: 400_000 }, async () => {
    const whole = await run(story);
    expect(whole.calls.length).toBeGreaterThan(10);
    // Those that follow may make more calls, or fewer: the end is where the first one did not end.
    for (let last = 1; ; last++) {
      // An end after a read equals an end before it, and one story covers that.
      if (story !== STORIES[0] && isRead(whole.calls[last - 1])) continue;
      const broken = await run(story, last);
      if (!broken.hasEnded) break;
      expect(broken.left, `ended with call ${last}, ${broken.calls.at(-1)}`).toBe(whole.left);
    }
  });
}
