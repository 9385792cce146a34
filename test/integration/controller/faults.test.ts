/** A failed call to the cluster, before or after it took effect, does not change the result. */

import { expect, test } from 'vitest';
import type { ClusterPort } from '../../../src/cluster/port.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch } from '../../support/insertRows.ts';
import { startLocalInstallation } from '../../support/localInstallation.ts';
import { expectLoggedErrors } from '../../support/testLog.ts';

const CALLS = [
  'createScreenshotJob',
  'getScreenshotJob',
  'updateStatus',
  'createJob',
  'getJob',
  'deleteJob',
  'recordEvent',
] as const;

type Call = (...parameters: never[]) => Promise<unknown>;

/** Fails the first call of each method, before or after it took effect. */
function faulty(cluster: ClusterPort, when: 'before' | 'after', failed: Set<string>): ClusterPort {
  return new Proxy(cluster, {
    get(target, name: string) {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== 'function') return call;
      if (!CALLS.some((known) => known === name)) return call.bind(target);
      return async (...parameters: never[]) => {
        const isFirst = !failed.has(name);
        failed.add(name);
        if (isFirst && when === 'before') throw new Error(`${name} failed on purpose`);
        const result = await (call as Call).apply(target, parameters);
        if (isFirst) throw new Error(`${name} failed on purpose`);
        return result;
      };
    },
  });
}

test.each(['before', 'after'] as const)(
  'a set is approved although every call to the cluster fails once %s it took effect',
  async (when) => {
    expectLoggedErrors(/could not be reconciled/);
    const database = await testDatabase();
    const failed = new Set<string>();
    const shop = await startLocalInstallation({
      databaseUrl: database.url,
      wrapCluster: (cluster) => faulty(cluster, when, failed),
    });
    const { db } = shop.store;
    const organization = await insertOrganization(db);
    const adId = await insertAd(db, organization);
    const subscribers = [{ webhook_url: 'https://hooks.example/' }];
    const setId = await insertSet(db, organization, {
      pictures: [{ adId }, { adId, site: 'https://b.example/' }],
      subscribers,
    });
    await launch(db, shop.queue, organization);
    await eventually(async () => {
      expect(await db.selectFrom('screenshot_sets').select('status').execute()).toEqual([{ status: 'approved' }]);
      expect(await shop.cluster.listJobs()).toEqual([]);
      expect((await shop.cluster.getScreenshotJob(`set-${setId}`))?.status?.reason).toBe('Completed');
    });
    expect([...failed].sort()).toEqual([...CALLS].sort());
    // A Job of the next generation would have taken over if the answer to the first had been lost for good.
    expect(await db.selectFrom('screenshot_jobs').select('generation').execute()).toEqual([{ generation: 1 }]);
    expect(await db.selectFrom('deliveries').selectAll().execute()).toHaveLength(1);
    expect(await db.selectFrom('images').selectAll().execute()).toHaveLength(3);
    await shop.close();
    await database.close();
  },
);
