/** A controller that crashes at a chosen call and is replaced by a second one. The cluster and the database keep their state. */

import type pg from 'pg';
import { type ClusterPort, ConflictError } from '../../src/cluster/port.ts';
import { createLeaderContext, type LeaderContext, SOON } from '../../src/controller/leaderContext.ts';
import type { ControllerOptions } from '../../src/controller/options.ts';
import { reconcile } from '../../src/controller/reconcile.ts';
import { beginEpoch } from '../../src/core/jobs/installation.ts';
import { type Database, openStore, type Store } from '../../src/db/database.ts';
import type { Queue } from '../../src/db/queue.ts';
import { TEST_KEY_RING } from './testKeys.ts';
import { TEST_LOG } from './testLog.ts';

export const SETTINGS: ControllerOptions['settings'] = {
  ...{ maxPods: 10, maxPodsPerOrganization: 10, parallelism: 2, setDeadlineSeconds: 3_600, retries: 0 },
  ...{ podDeadlineSeconds: 600, schedulingDeadlineSeconds: 900, finishedTtlSeconds: 600, maxFinishedResources: 100 },
  ...{ internalUrl: 'http://internal.example', publicUrl: 'https://tearsheet.example', isLocal: false },
};

export interface ControllerEnvironment {
  readonly databaseUrl: string;
  /** Connections that stay open when a controller crashes. */
  readonly db: Database;
  readonly queue: Queue;
  readonly cluster: ClusterPort;
}

const MAX_RECONCILIATIONS = 300;

export class CrashingController {
  readonly #environment: ControllerEnvironment;
  readonly #crashPoint: CrashPoint;
  #store: Store | undefined;
  #context: LeaderContext | undefined;
  #hasFollower = false;
  #time = 0;

  constructor(environment: ControllerEnvironment, last?: number) {
    this.#environment = environment;
    this.#crashPoint = new CrashPoint(last);
  }

  /** The calls of the first controller. */
  get calls(): readonly string[] {
    return this.#crashPoint.calls;
  }

  get hasCrashed(): boolean {
    return this.#crashPoint.hasCrashed;
  }

  /** Reconciles until the controller has nothing to do before an external event. */
  async reconcileUntilIdle(name: string): Promise<void> {
    for (let looks = 0; looks < MAX_RECONCILIATIONS; looks++) {
      const again = await this.#look(name);
      if (again === undefined || again > SOON) return;
      await new Promise((resolve) => setTimeout(resolve, Math.min(again, 2)));
    }
    throw new Error(`${name} still asks for another reconciliation after ${MAX_RECONCILIATIONS}.`);
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }

  async #look(name: string): Promise<number | undefined> {
    this.#context ??= await this.#begin(this.#crashPoint);
    const isFirst = !this.#hasFollower;
    try {
      const again = await reconcile(this.#context, name);
      if (!isFirst || !this.#crashPoint.hasCrashed) return again;
    } catch (error) {
      if (error instanceof ConflictError) return 1;
      if (!isFirst || !this.#crashPoint.hasCrashed) throw error;
    }
    // A crash closes its connections and rolls their transactions back.
    await this.#store?.close();
    this.#hasFollower = true;
    this.#context = await this.#begin(undefined);
    return 0;
  }

  async #begin(crashPoint: CrashPoint | undefined): Promise<LeaderContext> {
    const { databaseUrl, db, queue, cluster } = this.#environment;
    const epoch = await beginEpoch(db);
    this.#store = openStore({ url: databaseUrl, maxConnections: 1, keyRing: TEST_KEY_RING });
    if (crashPoint !== undefined) crashPool(this.#store.pool, crashPoint);
    const notifications: ControllerOptions['notifications'] = {
      subscribe: () => () => undefined,
      ready: Promise.resolve(),
      close: async () => undefined,
    };
    const parts = { queue, notifications, store: this.#store, settings: SETTINGS, log: TEST_LOG };
    // More than a second passes between two reconciliations, so the status limiter never delays a write.
    const clock = () => {
      this.#time += 2_000;
      return this.#time;
    };
    const wired = crashPoint === undefined ? cluster : crashingCluster(cluster, crashPoint);
    return createLeaderContext({ ...parts, cluster: wired, clock, issueToken: () => 'token' }, epoch, () => undefined);
  }
}

/** Simulates the crash of a process at a chosen call: the call takes effect, and the process makes no further calls. */
class CrashPoint {
  /** The names of the calls so far. */
  readonly calls: string[] = [];
  #blown = false;
  readonly #last: number | undefined;

  /**
   * @param last the number of the last call that takes effect, counted from 1; the process never sees its result. A crash before a
   * call equals a crash after the call before it.
   */
  constructor(last?: number) {
    this.#last = last;
  }

  get hasCrashed(): boolean {
    return this.#blown;
  }

  async run<T>(name: string, call: () => Promise<T>): Promise<T> {
    if (this.#blown) throw new Error('The simulated process has crashed.');
    const isLast = this.calls.push(name) === this.#last;
    const result = await call();
    this.#blown ||= isLast;
    if (this.#blown) throw new Error('The simulated process has crashed.');
    return result;
  }
}

type Call = (...parameters: never[]) => unknown;

/** Routes every call to the cluster through the crash point. */
function crashingCluster(cluster: ClusterPort, crashPoint: CrashPoint): ClusterPort {
  return new Proxy(cluster, {
    get(target, name: string) {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== 'function') return call;
      if (name === 'watch' || name === 'close') return call.bind(target);
      return (...parameters: never[]) => crashPoint.run(name, async () => (call as Call).apply(target, parameters));
    },
  });
}

/** Routes every statement of a connection pool through the crash point. */
function crashPool(pool: pg.Pool, crashPoint: CrashPoint): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (config: unknown) => Promise<unknown>;
    const wired = (config: unknown) => crashPoint.run(summary(config), () => query(config));
    Object.assign(client, { query: wired });
  });
}

function summary(config: unknown): string {
  const text = typeof config === 'string' ? config : String((config as { text?: string }).text);
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 60);
}
