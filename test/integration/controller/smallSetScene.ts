import { expect } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch, type TestOrganization } from '../../support/insertRows.ts';
import {
  type LocalInstallation,
  type LocalInstallationOptions,
  startLocalInstallation,
} from '../../support/localInstallation.ts';
import { overrideCluster } from '../../support/overrideCluster.ts';

/** One capture runs at a time, so small sets wait for it. */
const ONE_CAPTURE = { maxPods: 1, parallelism: 1 };

/** The controller, the internal API and fake captures that take small sets. */
export class SmallSetScene {
  shop!: LocalInstallation;
  organization!: TestOrganization;
  /** The names of created Jobs. */
  created: string[] = [];
  #database!: TestDatabase;

  async open(): Promise<void> {
    this.created = [];
    this.#database = await testDatabase();
    await this.start();
    this.organization = await insertOrganization(this.shop.store.db);
  }

  async close(): Promise<void> {
    await this.shop.close();
    await this.#database.close();
  }

  async start(options: Partial<LocalInstallationOptions> = {}): Promise<void> {
    const countJobs = overrideCluster((cluster) => ({
      createJob: (spec) => {
        this.created.push(spec.name);
        return cluster.createJob(spec);
      },
    }));
    this.shop = await startLocalInstallation({
      ...{ databaseUrl: this.#database.url, hosts: true, settings: ONE_CAPTURE, wrapCluster: countJobs },
      ...options,
    });
  }

  async insertSmallSet(content = 'fine', owner = this.organization): Promise<string> {
    const { db } = this.shop.store;
    return insertSet(db, owner, { pictures: [{ adId: await insertAd(db, owner, { content }) }] });
  }

  launchAll(): Promise<unknown> {
    return launch(this.shop.store.db, this.shop.queue, this.organization);
  }

  async statusOf(id: string): Promise<string> {
    const { db } = this.shop.store;
    const set = await db.selectFrom('screenshot_sets').select('status').where('id', '=', id).executeTakeFirstOrThrow();
    return set.status;
  }

  jobOf(setId: string) {
    const { db } = this.shop.store;
    return db.selectFrom('screenshot_jobs').selectAll().where('set_id', '=', setId).executeTakeFirstOrThrow();
  }

  hasStatus(id: string, status: string): Promise<void> {
    return eventually(async () => expect(await this.statusOf(id)).toBe(status));
  }

  hasNoJobs(): Promise<void> {
    return eventually(async () => expect(await this.shop.cluster.listJobs()).toEqual([]));
  }

  /** A host that works on a guest whose capture hangs once. The first set is the host's own. */
  async startGuest(): Promise<{ host: string; guest: string }> {
    const host = await this.insertSmallSet();
    const guest = await this.insertSmallSet('wait');
    await this.launchAll();
    await this.hasStatus(host, 'approved');
    await eventually(async () => {
      const { claim_expires_at } = await this.shop.store.db
        .selectFrom('job_creatives')
        .innerJoin('screenshot_jobs', 'screenshot_jobs.id', 'job_id')
        .select('claim_expires_at')
        .where('set_id', '=', guest)
        .executeTakeFirstOrThrow();
      expect(claim_expires_at).not.toBeNull();
      expect(await this.shop.cluster.getScreenshotJob(`set-${guest}`)).toBeDefined();
    });
    return { host, guest };
  }
}
