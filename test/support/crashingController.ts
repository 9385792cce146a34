/** A controller that may end at any call, and is followed by another one; the world around it stays. */
import type { ClusterPort } from '../../src/cluster/port.ts';
import { ConflictError } from '../../src/cluster/port.ts';
import { beginTerm, type LeaderContext, SOON } from '../../src/controller/leaderContext.ts';
import type { ControllerOptions } from '../../src/controller/options.ts';
import { reconcile } from '../../src/controller/reconcile.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { type Database, openStore, type Store } from '../../src/store/database/database.ts';
import { beginEpoch } from '../../src/store/installation/installation.ts';
import { Fuse, wireCluster, wirePool } from './fuse.ts';
import { SILENT } from './silentLog.ts';

export const SETTINGS: ControllerOptions['settings'] = {
  ...{ maxPods: 10, maxPodsPerOrganization: 10, parallelism: 2, setDeadlineSeconds: 3_600, retries: 0 },
  ...{ podDeadlineSeconds: 600, schedulingDeadlineSeconds: 900, finishedTtlSeconds: 600, mostFinishedResources: 100 },
  ...{ internalUrl: 'http://internal.example', publicUrl: 'https://tearsheet.example', isLocal: false },
};

export interface WorldOfController {
  readonly databaseUrl: string;
  /** Connections that outlive every controller. */
  readonly db: Database;
  readonly queue: Queue;
  readonly cluster: ClusterPort;
}

const MAX_LOOKS = 300;

export class CrashingController {
  readonly #world: WorldOfController;
  readonly #fuse: Fuse;
  #store: Store | undefined;
  #term: LeaderContext | undefined;
  #hasFollower = false;
  #time = 0;

  constructor(world: WorldOfController, last?: number) {
    this.#world = world;
    this.#fuse = new Fuse(last);
  }

  /** The calls that the first one made. */
  get calls(): readonly string[] {
    return this.#fuse.names;
  }

  get hasEnded(): boolean {
    return this.#fuse.blown;
  }

  /** Reconciles until nothing is to be done before something happens. */
  async comeToRest(name: string): Promise<void> {
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      const again = await this.#look(name);
      if (again === undefined || again > SOON) return;
      await new Promise((resolve) => setTimeout(resolve, Math.min(again, 2)));
    }
    throw new Error(`${name} does not come to rest.`);
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }

  async #look(name: string): Promise<number | undefined> {
    this.#term ??= await this.#begin(this.#fuse);
    const isFirst = !this.#hasFollower;
    try {
      const again = await reconcile(this.#term, name);
      if (!isFirst || !this.#fuse.blown) return again;
    } catch (error) {
      if (error instanceof ConflictError) return 1;
      if (!isFirst || !this.#fuse.blown) throw error;
    }
    // Its connections end with it, and what they had begun.
    await this.#store?.close();
    this.#hasFollower = true;
    this.#term = await this.#begin(undefined);
    return 0;
  }

  async #begin(fuse: Fuse | undefined): Promise<LeaderContext> {
    const { databaseUrl, db, queue, cluster } = this.#world;
    const epoch = await beginEpoch(db);
    this.#store = openStore({ url: databaseUrl, maxConnections: 1 });
    if (fuse !== undefined) wirePool(this.#store.pool, fuse);
    const notifications: ControllerOptions['notifications'] = {
      subscribe: () => () => undefined,
      ready: Promise.resolve(),
      close: async () => undefined,
    };
    const parts = { queue, notifications, store: this.#store, settings: SETTINGS, log: SILENT };
    // A second and more passes between any two looks, so that every status can be written.
    const clock = () => {
      this.#time += 2_000;
      return this.#time;
    };
    const wired = fuse === undefined ? cluster : wireCluster(cluster, fuse);
    return beginTerm({ ...parts, cluster: wired, clock, issueToken: () => 'token' }, epoch, () => undefined);
  }
}
