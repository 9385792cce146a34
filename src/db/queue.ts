/** Durable work on Postgres (pg-boss). Jobs carry ids. Deliveries have a queue of their own, see `core/webhooks/deliveryQueue.ts`. */

import type { Kysely } from 'kysely';
import { fromKysely, type Job, PgBoss, type Queue as QueueSettings } from 'pg-boss';

/** Payloads of the queues. They hold ids only; the tables of Tearsheet hold the data. */
export interface Payloads {
  /** Admission: a set or an ad of this organization waits for a job. */
  launch: { readonly organization_id: string };
  /** Build the file of one export. */
  export: { readonly export_id: string };
  /** Pending deliveries must follow a webhook endpoint that was disabled, deleted or given another address. */
  update_deliveries: { readonly endpoint_id: string };
  /** The connector waits for its check. */
  check_connector: { readonly organization_id: string; readonly name: string };
  /** A run of a schedule is due. The time is ISO 8601. */
  run_schedule: { readonly schedule_id: string; readonly due_at: string };
}

type QueueName = keyof Payloads;

interface EnqueueOptions {
  readonly startAfter?: Date;
}

/** Enqueues inside the caller's transaction, so that the entry exists exactly if the transaction commits. */
export interface Enqueuer {
  enqueue<N extends QueueName>(
    // biome-ignore lint/suspicious/noExplicitAny: any schema will do, the queue only runs its own SQL on it.
    transaction: Kysely<any>,
    name: N,
    payload: Payloads[N],
    options?: EnqueueOptions,
  ): Promise<void>;
}

export interface WorkerOptions {
  /** Handlers that run at the same time in this process. */
  readonly concurrency: number;
  /** Jobs handed to one call of the handler at most; 1 unless given. */
  readonly batchSize?: number;
}

/** A handler that throws has its jobs tried again. `signal` aborts when the job has expired or is lost. */
export type QueueHandler<N extends QueueName> = (
  payloads: readonly Payloads[N][],
  signal: AbortSignal,
) => Promise<void>;

export interface QueueDepth {
  readonly name: QueueName;
  /** Jobs that could run now. */
  readonly depth: number;
  /** How long the oldest of them has been able to run. */
  readonly oldestAgeSeconds: number;
}

export interface Queue extends Enqueuer {
  work<N extends QueueName>(name: N, options: WorkerOptions, handler: QueueHandler<N>): Promise<void>;
  depth(): Promise<QueueDepth[]>;
  /** Takes no more jobs, waits for running handlers, at most `timeoutMs`; what still runs then is tried again later. */
  stop(options: { timeoutMs: number }): Promise<void>;
}

export interface QueueOptions {
  readonly databaseUrl: string;
  /** Errors of background work: lost connections, failed polls. The queue recovers by itself. */
  readonly onError: (error: Error) => void;
  readonly schema?: string;
  readonly maxConnections?: number;
  /** False where only `enqueue` is used, as in the public API's processes. */
  readonly supervise?: boolean;
}

const SECONDS = { hour: 3_600, day: 86_400 };

/** A killed worker's job returns after 10 s without a heartbeat, seen by a check every 5 s. */
const COMMON: Omit<QueueSettings, 'name'> = {
  heartbeatSeconds: 10,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  retentionSeconds: 14 * SECONDS.day,
  deleteAfterSeconds: SECONDS.hour,
  notify: true,
};
const QUEUES: Readonly<Record<QueueName, Omit<QueueSettings, 'name'>>> = {
  launch: { ...COMMON, retryLimit: 30, expireInSeconds: 300 },
  // An export counts its attempts itself; a large one takes many minutes.
  export: { ...COMMON, retryLimit: 30, expireInSeconds: 2 * SECONDS.hour },
  update_deliveries: { ...COMMON, retryLimit: 30, expireInSeconds: 2 * SECONDS.hour },
  check_connector: { ...COMMON, retryLimit: 5, expireInSeconds: 300 },
  run_schedule: { ...COMMON, retryLimit: 30, expireInSeconds: 300 },
};
const NAMES = Object.keys(QUEUES) as QueueName[];
const CHECK_SECONDS = 5;
const POLL_SECONDS = { withoutNotify: 0.5, withNotify: 2 };

/** Makes the queue's own tables where they are missing. */
export async function startQueue(options: QueueOptions): Promise<Queue> {
  const { databaseUrl, onError, schema = 'pgboss', maxConnections = 4, supervise = true } = options;
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'tearsheet-queue',
    schema,
    max: maxConnections,
    connectionTimeoutMillis: 10_000,
    useListenNotify: supervise,
    supervise,
    schedule: false,
    superviseIntervalSeconds: CHECK_SECONDS,
    monitorIntervalSeconds: CHECK_SECONDS,
  });
  const queue = new BossQueue(boss, schema);
  boss.on('error', (error) => {
    // The pool of pg-boss resolves `end` before its sockets have closed; a server that stops then ends them with an error.
    if (!queue.isClosing) onError(error);
  });
  try {
    await boss.start();
    for (const name of NAMES) await boss.createQueue(name, QUEUES[name]);
  } catch (error) {
    await boss.stop({ graceful: false, close: true }).catch(() => undefined);
    throw error;
  }
  return queue;
}

class BossQueue implements Queue {
  readonly #boss: PgBoss;
  readonly #schema: string;
  isClosing = false;

  constructor(boss: PgBoss, schema: string) {
    this.#boss = boss;
    this.#schema = schema;
  }

  enqueue: Queue['enqueue'] = async (transaction, name, payload, { startAfter } = {}) => {
    const id = await this.#boss.send(name, payload, {
      db: fromKysely(transaction),
      ...(startAfter && { startAfter }),
    });
    if (id === null) throw new Error(`The queue rejected an entry for ${name}.`);
  };

  async work<N extends QueueName>(name: N, options: WorkerOptions, handler: QueueHandler<N>): Promise<void> {
    const { concurrency, batchSize = 1 } = options;
    const settings = {
      batchSize,
      localConcurrency: concurrency,
      pollingIntervalSeconds: POLL_SECONDS.withoutNotify,
      notifyPollingIntervalSeconds: POLL_SECONDS.withNotify,
    };
    await this.#boss.work<Payloads[N], void>(name, settings, async (jobs: Job<Payloads[N]>[]) => {
      const signal = AbortSignal.any(jobs.map((job) => job.signal));
      const payloads = jobs.map(({ data }) => data);
      await handler(payloads, signal);
      // A worker that has just ended fetches more at once, not at its next poll.
      for (const worker of this.#boss.getWipData()) if (worker.name === name) this.#boss.notifyWorker(worker.id);
    });
  }

  async depth(): Promise<QueueDepth[]> {
    const { rows } = await this.#boss.getDb().executeSql(
      `select name, count(*)::integer as depth,
         greatest(0, extract(epoch from now() - min(start_after)))::float8 as age
       from ${this.#schema}.job where state < 'active' and start_after <= now() and name = any($1) group by name`,
      [NAMES],
    );
    return NAMES.map((name) => {
      const row: unknown = rows.find((candidate: { name: string }) => candidate.name === name);
      return { name, ...readDepth(row) };
    });
  }

  async stop({ timeoutMs }: { timeoutMs: number }): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: timeoutMs, close: false });
    this.isClosing = true;
    await this.#boss.stop({ close: true });
  }
}

function readDepth(row: unknown): { depth: number; oldestAgeSeconds: number } {
  if (typeof row !== 'object' || row === null || !('depth' in row) || !('age' in row)) {
    return { depth: 0, oldestAgeSeconds: 0 };
  }
  return { depth: Number(row.depth), oldestAgeSeconds: Number(row.age) };
}
