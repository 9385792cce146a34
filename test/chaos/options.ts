/** The options of `make chaos`, from environment variables. */

export interface ChaosOptions {
  /** Decides the schedule of faults and the requests. */
  readonly seed: number;
  /** The faults end after this time, whether or not all kills happened. */
  readonly minutes: number;
  /** The faults end after so many kills. */
  readonly kills: number;
  /** The service as separate processes on this machine, or the chart on the cluster of test/cluster. */
  readonly target: 'dev' | 'cluster';
  /** The longest wait until the service is quiet after the faults. */
  readonly quietMinutes: number;
  /** Adds the figures of this run to test/chaos/runs.json and writes docs/reliability.md again. */
  readonly record: boolean;
}

/** @throws Error that names the invalid option. */
export function readOptions(env: Readonly<Record<string, string | undefined>>): ChaosOptions {
  const target = env['TARGET'] || 'dev';
  if (target !== 'dev' && target !== 'cluster')
    throw new Error(`TARGET is ${JSON.stringify(target)}. It must be dev or cluster.`);
  return {
    seed: numberOf(env, 'SEED', { fallback: Math.floor(Date.now() / 1000) % 100_000, least: 0 }),
    minutes: numberOf(env, 'MINUTES', { fallback: 10, least: 0.1 }),
    kills: numberOf(env, 'KILLS', { fallback: 1_000, least: 1 }),
    quietMinutes: numberOf(env, 'QUIET_MINUTES', { fallback: 10, least: 0.1 }),
    target,
    record: env['RECORD'] === '1',
  };
}

function numberOf(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  { fallback, least }: { readonly fallback: number; readonly least: number },
): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isFinite(value) || value < least)
    throw new Error(`${name} is ${JSON.stringify(text)}. It must be a number of at least ${least}.`);
  return value;
}
