import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CaptureJob } from '../../../src/cluster/port.ts';
import { createChat } from '../../../src/core/notices/chats.ts';
import { reviewSet, type SetReview } from '../../../src/core/reviews/reviews.ts';
import { SERVICE } from '../../../src/domain/auditLog.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { failWritesTo } from '../../support/failpoint.ts';
import { haveAllBegun, insertAd, insertOrganization, insertSet, launch } from '../../support/insertRows.ts';
import { type LocalInstallation, PUBLIC_URL, startLocalInstallation } from '../../support/localInstallation.ts';
import { overrideCluster } from '../../support/overrideCluster.ts';
import { expectLoggedErrors } from '../../support/testLog.ts';

let database: TestDatabase;
let shop: LocalInstallation;

beforeEach(async () => {
  database = await testDatabase();
  shop = await startLocalInstallation({ databaseUrl: database.url });
});

afterEach(async () => {
  await shop.close();
  await database.close();
});

const setOf = (id: string) =>
  shop.store.db.selectFrom('screenshot_sets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const picturesOf = (id: string) =>
  shop.store.db
    .selectFrom('screenshots')
    .select(['status', 'reason'])
    .where('set_id', '=', id)
    .orderBy('seq')
    .execute();
const topics = async () => {
  const rows = await shop.store.db.selectFrom('events').select('topic').orderBy('created_at').execute();
  return rows.map(({ topic }) => topic);
};
const eventContext = () => ({ queue: shop.queue, publicUrl: PUBLIC_URL });
const act = (review: Omit<SetReview, 'actor'>) =>
  shop.store.db.transaction().execute((tx) => reviewSet(tx, { ...review, actor: SERVICE }, eventContext()));

/** A set of which one ad is captured and the other never ends. Only a capture that waits (`wait`) surely hears of the end of its set. */
async function hangingSet({ subscribers = [{ webhook_url: 'https://hooks.example/' }], content = 'hang' } = {}) {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const hanging = await insertAd(db, organization, { content });
  const fine = await insertAd(db, organization);
  const pictures = [
    { adId: fine, site: 'https://a.example/' },
    { adId: hanging, site: 'https://b.example/' },
  ];
  const setId = await insertSet(db, organization, { pictures, subscribers });
  await launch(db, shop.queue, organization);
  await eventually(async () => {
    expect((await picturesOf(setId)).map(({ status }) => status)).toContain('uploaded');
    expect(await haveAllBegun(db)).toBe(true);
  });
  return { organization, setId, hanging };
}

test('a set is settled at its deadline with the results that it has', async () => {
  const { organization, setId, hanging } = await hangingSet();
  const chat = { name: 'Team', kind: 'slack', address: 'https://chat.example/', notices: ['set_ready'] } as const;
  await shop.store.db.transaction().execute((tx) => createChat(tx, organization.id, chat, SERVICE));
  await shop.store.db
    .updateTable('screenshot_jobs')
    .set({ deadline_at: new Date(0) })
    .execute();
  await shop.controller.audit();
  await eventually(async () => expect((await setOf(setId)).status).toBe('approved'));
  const [fine, late] = await picturesOf(setId);
  expect(fine?.status).toBe('uploaded');
  expect(late?.status).toBe('net_read_timeout');
  expect(late?.reason).toMatch(/It was not finished within/);
  const ad = await shop.store.db.selectFrom('ads').selectAll().where('id', '=', hanging).executeTakeFirstOrThrow();
  expect(ad.status).toBe('generic_error');
  await eventually(() => expect(shop.counted).toEqual(['uploaded', 'net_read_timeout']));
  expect(shop.reached.map(({ milestone }) => milestone)).toEqual(['admitted', 'first_picture', 'deadline']);
  expect(await topics()).toEqual(['screenshot_set.approved']);
  const notices = await shop.store.db.selectFrom('notices').select(['kind', 'pictures', 'facts']).execute();
  expect(notices).toEqual([{ kind: 'set_ready', pictures: 1, facts: { inReview: false, failed: 1 } }]);
  await eventually(async () => {
    expect((await shop.cluster.getScreenshotJob(`set-${setId}`))?.status).toMatchObject({
      reason: 'DeadlineExceeded',
      pods: 0,
    });
    expect(await shop.cluster.listJobs()).toEqual([]);
  });
});

test('a Job whose captures ended because their set was over is deleted like one whose captures still run', async () => {
  await shop.close();
  const isOver = () => shop.reached.some(({ milestone }) => milestone === 'deadline');
  let ended: CaptureJob | undefined;
  const wrapCluster = overrideCluster((cluster) => ({
    // The captures hear of the end before the controller looks at their Job.
    getJob: async (name) => {
      if (isOver() && ended === undefined)
        await eventually(async () => {
          ended = await cluster.getJob(name);
          expect(ended?.finished).toBe(true);
        });
      return cluster.getJob(name);
    },
  }));
  shop = await startLocalInstallation({ databaseUrl: database.url, wrapCluster });
  await hangingSet({ content: 'wait' });
  await shop.store.db
    .updateTable('screenshot_jobs')
    .set({ deadline_at: new Date(0) })
    .execute();
  await shop.controller.audit();
  await eventually(async () => expect(await shop.cluster.listJobs()).toEqual([]));
  expect(ended?.failedIndexes).not.toEqual([]);
});

test('admission, first picture and settlement of a set are timed, each once', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const adId = await insertAd(db, organization);
  const pictures = ['a', 'b', 'c'].map((site) => ({ adId, site: `https://${site}.example/` }));
  const setId = await insertSet(db, organization, { pictures });
  await db
    .updateTable('screenshot_sets')
    .set({ created_at: new Date(Date.now() - 90_000), priority: 'low' })
    .execute();
  await launch(db, shop.queue, organization);
  await eventually(async () => expect((await setOf(setId)).status).toBe('approved'));
  await eventually(() =>
    expect(shop.reached.map(({ milestone }) => milestone)).toEqual(['admitted', 'first_picture', 'complete']),
  );
  expect(new Set(shop.reached.map(({ priority }) => priority))).toEqual(new Set(['low']));
  const seconds = shop.reached.map((reached) => reached.seconds);
  expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
  expect(seconds[0]).toBeGreaterThanOrEqual(89);
  expect(seconds[2]).toBeLessThan(150);
});

test('a set that is canceled during its captures keeps its results, and its captures are terminated', async () => {
  const { organization, setId } = await hangingSet();
  await act({ action: 'cancel', organizationId: organization.id, setId, notes: null });
  await eventually(async () => expect((await setOf(setId)).status).toBe('canceled'));
  expect((await picturesOf(setId)).map(({ status }) => status)).toEqual(['uploaded', 'canceled']);
  await eventually(() => expect(shop.counted).toEqual(['uploaded', 'canceled']));
  expect(await topics()).toEqual([]);
  await eventually(async () => {
    expect((await shop.cluster.getScreenshotJob(`set-${setId}`))?.status?.reason).toBe('Canceled');
    expect(await shop.cluster.listJobs()).toEqual([]);
  });
  const again = act({ action: 'cancel', organizationId: organization.id, setId, notes: null });
  await expect(again).rejects.toMatchObject({ status: 409 });
});

test('a set whose ScreenshotJob an operator cancels is settled as canceled', async () => {
  const { setId } = await hangingSet();
  shop.cluster.cancelByHand(`set-${setId}`);
  await eventually(async () => expect((await setOf(setId)).status).toBe('canceled'));
});

test('a waiting set is canceled at once', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const adId = await insertAd(db, organization);
  const setId = await insertSet(db, organization, { pictures: [{ adId }] });
  await act({ action: 'cancel', organizationId: organization.id, setId, notes: null });
  expect((await setOf(setId)).status).toBe('canceled');
  expect(await picturesOf(setId)).toEqual([{ status: 'canceled', reason: 'The screenshot set was canceled.' }]);
  expect(await db.selectFrom('ads').select('status').execute()).toEqual([{ status: 'generic_error' }]);
  await launch(db, shop.queue, organization);
  await shop.controller.audit();
  expect(await db.selectFrom('screenshot_jobs').selectAll().execute()).toEqual([]);
});

test('a settlement that fails is rolled back and repeated', async () => {
  expectLoggedErrors(/could not be reconciled/);
  const { db } = shop.store;
  const telling = await failWritesTo(db, 'deliveries');
  const organization = await insertOrganization(db);
  const adId = await insertAd(db, organization);
  const subscribers = [{ webhook_url: 'https://hooks.example/' }];
  const setId = await insertSet(db, organization, { pictures: [{ adId }], subscribers });
  await launch(db, shop.queue, organization);
  await eventually(() =>
    expect(shop.warnings.map(({ msg }) => msg)).toContain('a ScreenshotJob could not be reconciled; retrying'),
  );
  expect(await setOf(setId)).toMatchObject({ status: 'capturing', settled_at: null });
  expect((await db.selectFrom('screenshot_jobs').selectAll().execute())[0]?.settled_at).toBeNull();
  expect(await topics()).toEqual([]);
  await telling.lift();
  await eventually(async () => expect((await setOf(setId)).status).toBe('approved'));
  expect(await topics()).toEqual(['screenshot_set.approved']);
  expect(await db.selectFrom('deliveries').selectAll().execute()).toHaveLength(1);
});

const ENDS_WITHOUT_RESULT = { captureCommand: [process.execPath, '-e', 'process.exit(1)'], settings: { retries: 0 } };

async function setOfFailingCaptures() {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const adId = await insertAd(db, organization);
  const subscribers = [{ webhook_url: 'https://hooks.example/', webhook_topics: ['screenshot_set.failed'] }];
  const setId = await insertSet(db, organization, { pictures: [{ adId }], subscribers });
  await launch(db, shop.queue, organization);
  return setId;
}

const onlyJob = () => shop.store.db.selectFrom('screenshot_jobs').selectAll().executeTakeFirstOrThrow();

test('a set whose captures always end without a result fails with the reason', async () => {
  await shop.close();
  shop = await startLocalInstallation({ databaseUrl: database.url, ...ENDS_WITHOUT_RESULT });
  const setId = await setOfFailingCaptures();
  await eventually(async () => expect((await setOf(setId)).status).toBe('failed'));
  const reason = 'The capture ended several times without a result.';
  expect(await picturesOf(setId)).toEqual([{ status: 'generic_error', reason }]);
  const problem = 'PodFailed: A capture ended with the exit code 1.';
  expect(await onlyJob()).toMatchObject({ generation: 3, outcome: 'lost', problem });
  expect(await topics()).toEqual(['screenshot_set.failed']);
});

test('no capture starts while the artifact store is unavailable, and at the deadline the set fails with its answer', async () => {
  await shop.close();
  const storeFault = () => 'the artifact store does not accept files: NoSuchBucket';
  shop = await startLocalInstallation({ databaseUrl: database.url, ...ENDS_WITHOUT_RESULT, storeFault });
  const setId = await setOfFailingCaptures();
  await eventually(async () =>
    expect((await shop.cluster.listScreenshotJobs())[0]?.status).toMatchObject({
      reason: 'Queued',
      message: 'Waiting until pictures can be stored: the artifact store does not accept files: NoSuchBucket',
    }),
  );
  expect(await shop.cluster.listJobs()).toEqual([]);
  await shop.store.db.updateTable('screenshot_jobs').set({ deadline_at: new Date() }).execute();
  await shop.controller.audit();
  await eventually(async () => expect((await setOf(setId)).status).toBe('failed'));
  const [picture] = await picturesOf(setId);
  expect(picture?.reason).toContain(
    'The service could not store the pictures: the artifact store does not accept files',
  );
  expect(await onlyJob()).toMatchObject({ generation: 1, outcome: 'deadline' });
});

test('a capture that ended because its pictures could not be stored is repeated once the artifact store is available', async () => {
  await shop.close();
  let fault: string | undefined;
  shop = await startLocalInstallation({ databaseUrl: database.url, ...ENDS_WITHOUT_RESULT, storeFault: () => fault });
  fault = undefined;
  const setId = await setOfFailingCaptures();
  fault = 'the artifact store does not accept files: TimeoutError';
  await shop.controller.audit();
  await eventually(async () => expect((await shop.cluster.listScreenshotJobs())[0]?.status?.message).toContain(fault));
  expect((await setOf(setId)).status).toBe('capturing');
  fault = undefined;
  await shop.controller.audit();
  await eventually(async () => expect((await setOf(setId)).status).toBe('failed'));
  expect(await onlyJob()).toMatchObject({ generation: 3, outcome: 'lost' });
});

test('an approval notifies all subscribers, and a rejection only those that asked for it', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db, { review: 'manual' });
  const sets: string[] = [];
  for (const topic of ['screenshot_set.approved', 'screenshot_set.rejected']) {
    const adId = await insertAd(db, organization);
    const subscribers = [{ webhook_url: `https://hooks.example/${topic}`, webhook_topics: [topic] }];
    sets.push(await insertSet(db, organization, { pictures: [{ adId }], subscribers }));
  }
  await launch(db, shop.queue, organization);
  for (const id of sets) await eventually(async () => expect((await setOf(id)).status).toBe('in_review'));
  expect(await topics()).toEqual([]);
  const [good = '', bad = ''] = sets;
  await act({ action: 'approve', organizationId: organization.id, setId: good, notes: 'Lovely.' });
  await act({ action: 'reject', organizationId: organization.id, setId: bad, notes: 'Too dark.' });
  expect(await topics()).toEqual(['screenshot_set.approved', 'screenshot_set.rejected']);
  expect(await setOf(good)).toMatchObject({ status: 'approved', review_notes: 'Lovely.' });
  expect((await setOf(good)).approved_at).not.toBeNull();
  const twice = act({ action: 'approve', organizationId: organization.id, setId: bad, notes: 'After all.' });
  await expect(twice).rejects.toMatchObject({ status: 409 });
});
