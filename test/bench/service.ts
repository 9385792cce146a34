/** Runs the compiled service and other Node programs for a bench. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findChromium } from '../../src/capture/browser/chromium.ts';
import { freePort } from '../../src/commands/dev/ports.ts';
import { TEST_KEYS } from '../support/testKeys.ts';

export const CHROMIUM = findChromium(process.env['CHROMIUM_PATH']);
export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const READY_MS = 60_000;
const STOP_MS = 30_000;

export interface Program {
  /** The line of standard output that says that the program is ready. */
  readonly line: string;
  readonly pid: number;
  stop(): Promise<void>;
}

interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Recognizes the line that says that the program is ready; any line unless given. */
  readonly ready?: (line: string) => boolean;
}

/** Starts a Node program and waits until it says that it is ready. It ends with this process. */
export async function startProgram(args: readonly string[], options: ProgramOptions = {}): Promise<Program> {
  const { ready = () => true } = options;
  const child = run(args, options.env);
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error(`${args[0]} was not ready after ${READY_MS / 1000} s.`)), READY_MS);
  child.once('error', reject);
  child.once('exit', (code, signal) => reject(new Error(`${args.join(' ')} ended: ${signal ?? `exit code ${code}`}.`)));
  const lines = createInterface({ input: child.stdout }).on('line', (line) => {
    if (!ready(line)) return;
    resolve(line);
    // Discards all later output with little work.
    lines.close();
    child.stdout.resume();
  });
  try {
    const line = await promise;
    return { line, pid: child.pid ?? 0, stop: () => stop(child).finally(() => process.off('exit', kill)) };
  } catch (error) {
    kill();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a Node program to its end. @returns its standard output. */
export async function runProgram(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = run(args, env);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const said = await text(child.stdout);
  const code = await ended;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with exit code ${code}.`);
  return said;
}

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}

/** Removes the folder after the work. PostgreSQL's account may enter it, because its data may be in it. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-bench-'));
  await chmod(folder, 0o755);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param artifacts the folder of the artifact store.
 * @returns settings of `tearsheet api` on free ports of this machine, with rates that no bench reaches.
 */
export async function apiSettings(artifacts: string) {
  const [port, internal, metrics] = [await freePort(), await freePort(), await freePort()];
  return {
    ARTIFACTS_URL: pathToFileURL(artifacts).href,
    SECRETS_KEYS: TEST_KEYS,
    HOST: '127.0.0.1',
    PORT: String(port),
    INTERNAL_PORT: String(internal),
    METRICS_PORT: String(metrics),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    INTERNAL_URL: `http://127.0.0.1:${internal}`,
    RATE_LIMIT_PER_SECOND: '1000000',
  };
}

/** A `tearsheet dev`, as the first line of its output describes it. */
export interface DevService {
  readonly url: string;
  readonly organization: string;
  readonly api_key: string;
}

/** Runs `tearsheet dev` during the work. */
export function withDev<T>(work: (service: DevService, pid: number) => Promise<T>): Promise<T> {
  return withFolder(async (data) => {
    const args = [CLI, 'dev', '--json', '--port', '0', '--data', data, '--allow', '127.0.0.0/8'];
    const ready = (line: string) => line.includes('"api_key"');
    const program = await startProgram(args, { env: { LOG_LEVEL: 'warn' }, ready });
    try {
      return await work(JSON.parse(program.line) as DevService, program.pid);
    } finally {
      await program.stop();
    }
  });
}

/** Posts `body`, or reads if there is none. @throws Error unless the answer is a success. */
export async function ask<T>({ url, organization, api_key }: DevService, route: string, body?: object): Promise<T> {
  const response = await fetch(`${url}/api/v1/orgs/${organization}${route}`, {
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(30_000),
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${route} failed with status ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** A request of these ads, by their URLs, on all sites and devices. */
export function requestOf(ads: readonly string[], sites: readonly string[], devices: readonly string[]): object {
  const screenshots = sites.flatMap((url) => devices.map((name) => ({ site: { url }, device: { name } })));
  const requests = ads.map((content, index) => ({
    ad: { name: `Ad ${index + 1}`, media: { type: 'url', content } },
    screenshots,
  }));
  return { campaign: { name: 'Bench' }, screenshot_requests: requests };
}

/** Other work on the machine: the average number of running or waiting processes in the last minute. */
export function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}
