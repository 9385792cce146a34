/** The service of the bench of the event loop: `tearsheet api` as a process of its own that measures itself. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TEST_KEYS } from '../../support/testKeys.ts';
import { apiSettings } from '../apiSettings.ts';
import type { LoopFigures } from './meter.ts';

export const CLI_SOURCE = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));
const METER = new URL('meter.ts', import.meta.url).href;
const READY_MS = 60_000;
const STOP_MS = 10_000;

export interface MeasuredService {
  readonly origin: string;
  /** Forgets what was measured before. */
  reset(): Promise<void>;
  read(): Promise<LoopFigures>;
  stop(): Promise<void>;
}

/** @param more settings of the service. @throws Error if it is not ready in time. */
export async function startMeasured(
  { databaseUrl, artifacts }: { readonly databaseUrl: string; readonly artifacts: string },
  more: Readonly<Record<string, string>> = {},
): Promise<MeasuredService> {
  const settings = await apiSettings(artifacts);
  const origin = settings.PUBLIC_URL;
  const env = { ...process.env, DATABASE_URL: databaseUrl, SECRETS_KEYS: TEST_KEYS, ...settings, ...more };
  const child = fork(CLI_SOURCE, ['api'], {
    env,
    execArgv: ['--import', METER],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  await ready(child);
  const ask = async (wish: string) => {
    const answer = once(child, 'message', { signal: AbortSignal.timeout(READY_MS) });
    child.send(wish);
    return (await answer)[0] as unknown;
  };
  return {
    origin,
    reset: async () => void (await ask('reset')),
    read: async () => (await ask('read')) as LoopFigures,
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(kill, STOP_MS);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      clearTimeout(timer);
      process.off('exit', kill);
    },
  };
}

/** Reads the log to the line that says that the program is ready, and drops the rest. */
async function ready(child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('The service was not ready in time.')), READY_MS);
  child.once('exit', (code) => reject(new Error(`The service ended with ${code}.`)));
  const { stdout } = child;
  if (stdout === null) throw new Error('unreachable: the output of the service is a pipe');
  const lines = createInterface({ input: stdout }).on('line', (line) => {
    if (!line.includes('"msg":"ready"')) return;
    lines.close();
    stdout.resume();
    resolve();
  });
  await promise.finally(() => clearTimeout(timer));
}
