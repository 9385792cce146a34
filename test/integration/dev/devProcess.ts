/** Runs `tearsheet dev` from its source in a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { DevReady } from '../../../src/commands/dev/dev.ts';
import type { ServiceFolders } from './serviceFolders.ts';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));
const START_MS = 110_000;
const STOP_MS = 100_000;

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A started process that may not be ready yet. */
export interface DevProcess {
  readonly pid: number;
  /** Rejects with the last output when the process ends before it is ready. */
  readonly ready: Promise<DevReady>;
  readonly ended: Promise<ExitStatus>;
  /** All output so far, of both streams, with the ready line. */
  output(): string;
  /** Standard output so far. */
  stdout(): string;
  /** Sends the signal and waits until the process has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<ExitStatus>;
}

export interface DevFlags {
  readonly port?: number;
  readonly cli?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function startDev(folders: ServiceFolders, { port = 0, cli = CLI, env = {} }: DevFlags = {}): DevProcess {
  const args = [cli, 'dev', '--json', '--port', String(port), '--data', folders.data, '--allow', '127.0.0.0/8'];
  const child = spawn(process.execPath, args, {
    env: { ...environment(), TMPDIR: folders.temporary, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = printed(child.stdout, child.stderr);
  const ended = new Promise<ExitStatus>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const ready = readyLine(child, { text, ended });
  // A test that kills the process early does not await this promise.
  ready.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ready,
    ended,
    output: text,
    stdout: printed(child.stdout),
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return inTime(ended, { ms: STOP_MS, what: `The service did not end after ${signal}`, text });
    },
  };
}

/** The environment of this process without the variables that would change the service. */
function environment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, RATE_LIMIT_PER_SECOND: __, NODE_OPTIONS: ___, ...rest } = process.env;
  return { ...rest, LOG_LEVEL: 'info' };
}

function printed(...streams: Readable[]): () => string {
  let text = '';
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}

interface Watched {
  readonly text: () => string;
  readonly ended: Promise<ExitStatus>;
}

async function readyLine(child: ChildProcess, { text, ended }: Watched): Promise<DevReady> {
  const line = new Promise<DevReady>((resolve) => {
    child.stdout?.on('data', () => {
      const found = text()
        .split('\n')
        .slice(0, -1)
        .find((one) => one.startsWith('{"url":'));
      if (found !== undefined) resolve(JSON.parse(found) as DevReady);
    });
  });
  const early = ended.then(({ code, signal }): never => {
    throw new Error(`It ended before it was ready (${signal ?? `exit code ${code}`}): ${text().slice(-2_000)}`);
  });
  return inTime(Promise.race([line, early]), { ms: START_MS, what: 'It was not ready', text });
}

async function inTime<T>(work: Promise<T>, late: { ms: number; what: string; text: () => string }): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${late.what} within ${late.ms / 1000} s: ${late.text().slice(-2_000)}`)),
      late.ms,
    );
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
