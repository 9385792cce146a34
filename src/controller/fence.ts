import type { ClusterPort } from '../cluster/port.ts';

const WRITES = [
  'createScreenshotJob',
  'updateStatus',
  'deleteScreenshotJob',
  'releaseScreenshotJob',
  'labelScreenshotJob',
  'createJob',
  'deleteJob',
  'recordEvent',
] as const satisfies readonly (keyof ClusterPort)[];

type Call = (...parameters: never[]) => Promise<unknown>;

/**
 * The cluster as a leader may use it: before each write `isCurrent` is asked, and throws when another leader has begun. What is left
 * to chance is a pause between that answer and the write; against it writes name the uid or the version that they mean, and
 * creates a name that is made once.
 */
export function fenced(cluster: ClusterPort, isCurrent: () => Promise<void>): ClusterPort {
  return new Proxy(cluster, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== 'function') return call;
      if (!WRITES.some((known) => known === name)) return call.bind(target);
      return async (...parameters: never[]) => {
        await isCurrent();
        return (call as Call).apply(target, parameters);
      };
    },
  });
}
