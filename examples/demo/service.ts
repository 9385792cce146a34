import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { DevReady } from '../../src/commands/dev/dev.ts';
import { type Publishers, startPublishers } from '../../test/fixtures/publisherServer.ts';

export interface Service extends DevReady {
  stop(): Promise<void>;
}

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Runs `tearsheet dev` with a folder of its own, beside the publishers, as long as the work lasts. */
export async function withService(
  navigationTimeoutMs: number,
  work: (service: Service, publishers: Publishers) => Promise<void>,
): Promise<void> {
  const data = await mkdtemp(path.join(tmpdir(), 'tearsheet-demo-'));
  // PostgreSQL's account needs access, because its data is in this folder and is removed with it.
  await chmod(data, 0o755);
  const publishers = await startPublishers();
  const service = await startService(data, { NAVIGATION_TIMEOUT_MS: String(navigationTimeoutMs) });
  try {
    await work(service, publishers);
  } finally {
    await service.stop();
    await publishers.close();
    await rm(data, { recursive: true, force: true });
  }
}

/** Waits until the service reports that it is ready, at most 90 s. */
async function startService(data: string, env: Readonly<Record<string, string>>): Promise<Service> {
  const args = [CLI, 'dev', '--json', '--port', '0', '--data', data, '--allow', '127.0.0.0/8'];
  const child = spawn(process.execPath, args, {
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
