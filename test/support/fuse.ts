/** Ends a process at one of its calls, as far as the rest of the world can tell: everything it calls goes through a fuse. */
import type pg from 'pg';
import type { ClusterPort } from '../../src/cluster/port.ts';

export class Fuse {
  /** Of the calls so far. */
  readonly names: string[] = [];
  #blown = false;
  readonly #last: number | undefined;

  /**
   * @param last the call, counted from 1, that takes effect and is not heard of any more. To end before a call is to end after the
   * one before it.
   */
  constructor(last?: number) {
    this.#last = last;
  }

  get blown(): boolean {
    return this.#blown;
  }

  async pass<T>(name: string, call: () => Promise<T>): Promise<T> {
    if (this.#blown) throw new Error('This process is gone.');
    const isLast = this.names.push(name) === this.#last;
    const result = await call();
    this.#blown ||= isLast;
    if (this.#blown) throw new Error('This process is gone.');
    return result;
  }
}

type Call = (...parameters: never[]) => unknown;

/** Every function of the port that answers. */
export function wireCluster(cluster: ClusterPort, fuse: Fuse): ClusterPort {
  return new Proxy(cluster, {
    get(target, name: string) {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== 'function') return call;
      if (name === 'watch' || name === 'close') return call.bind(target);
      return (...parameters: never[]) => fuse.pass(name, async () => (call as Call).apply(target, parameters));
    },
  });
}

/** Every statement that a pool's connections send. */
export function wirePool(pool: pg.Pool, fuse: Fuse): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (config: unknown) => Promise<unknown>;
    const wired = (config: unknown) => fuse.pass(summary(config), () => query(config));
    Object.assign(client, { query: wired });
  });
}

function summary(config: unknown): string {
  const text = typeof config === 'string' ? config : String((config as { text?: string }).text);
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 60);
}
