import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface Program {
  /** The line of standard output that says that the program is ready. */
  readonly line: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Recognizes the line that says that the program is ready; any line unless given. */
  readonly ready?: (line: string) => boolean;
}

const READY_MS = 60_000;
const STOP_MS = 30_000;

/** Starts a Node program and waits until it says that it is ready. It ends with this process. */
export async function startProgram(args: readonly string[], options: ProgramOptions = {}): Promise<Program> {
  const { env = {}, ready = () => true } = options;
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
export async function runProgram(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: READY_MS,
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${args.join(' ')} ended with exit code ${code}.`);
  return said;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}
