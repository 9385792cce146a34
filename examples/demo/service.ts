import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { DevReady } from '../../src/commands/dev/dev.ts';

export interface Service extends DevReady {
  stop(): Promise<void>;
}

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Starts `tearsheet dev` as a child process and waits until it reports that it is ready, at most 90 s. */
export async function startService(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const child = spawn(process.execPath, [CLI, 'dev', '--json', ...args], {
    env: { ...process.env, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // The service ends when this process ends, for any reason.
  process.once('exit', () => child.kill('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(`The service ended before it was ready (${signal ?? `exit code ${code}`}); its log above says why.`),
    );
  });
  const late = new Promise<string>((resolve) => {
    setTimeout(
      () => resolve('The service was not ready after 90 s; its log above says how far it came.'),
      90_000,
    ).unref();
  });
  const line = await Promise.race([firstLine(child), ended.then(fail), late.then(fail)]);
  return { ...(JSON.parse(line) as DevReady), stop: () => stop(child) };
}

function fail(message: string): never {
  throw new Error(message);
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    if (child.stdout) createInterface({ input: child.stdout }).once('line', resolve);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 40_000);
  await ended;
  clearTimeout(timer);
}
