/** Simulates the crash of a process at a chosen call: the call takes effect, and the process makes no further calls. */
import type pg from 'pg';
import type { ClusterPort } from '../../src/cluster/port.ts';

export class CrashPoint {
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
export function crashingCluster(cluster: ClusterPort, crashPoint: CrashPoint): ClusterPort {
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
export function crashPool(pool: pg.Pool, crashPoint: CrashPoint): void {
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
