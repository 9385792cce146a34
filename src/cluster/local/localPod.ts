/** One capture as a child process: a process group of its own, ended with its parent, its lines forwarded to the log. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import type { Log } from '../../lib/log.ts';

export interface PodOptions {
  readonly command: readonly string[];
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly log: Log;
  /** Goes with every line of it. */
  readonly fields: object;
}

export interface PodEnd {
  /** Null: ended by a signal, or never begun. */
  readonly code: number | null;
  /** In words, for what was no exit of its own accord. */
  readonly reason?: string;
  readonly started: boolean;
}

export interface Pod {
  readonly ended: Promise<PodEnd>;
  /** SIGTERM, and SIGKILL after the grace. */
  terminate(): void;
}

/** A browser that lost its parent writes for a moment still. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

/** The child's standard input stays open as long as this process lives: when it ends, the child is to exit. */
export function startPod(options: PodOptions): Pod {
  const { command, env, deadlineMs, graceMs, log, fields } = options;
  const [program = '', ...args] = command;
  // Of its own, so that a capture that is killed leaves no profile behind, however large a hostile page made it.
  const folder = mkdtempSync(join(tmpdir(), 'tearsheet-pod-'));
  const childEnv = { ...env, TMPDIR: folder };
  const child = spawn(program, args, { env: childEnv, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  // A child that has closed its end breaks the pipe; that it exits is seen below.
  child.stdin.on('error', () => undefined);
  forward(child.stdout, (line) => log.info({ ...fields, ...readLine(line) }, 'capture'));
  forward(child.stderr, (line) => log.warn({ ...fields, line }, 'capture'));
  let kill: NodeJS.Timeout | undefined;
  let late = false;
  const terminate = () => {
    if (kill !== undefined) return;
    kill = setTimeout(() => killGroup(child), graceMs);
    // Only the program: its browser must live until claims are given back.
    child.kill('SIGTERM');
  };
  const deadline = setTimeout(() => {
    late = true;
    terminate();
  }, deadlineMs);
  const ended = endOf(child).then(async (end) => {
    clearTimeout(deadline);
    clearTimeout(kill);
    // What it may have left behind, a browser above all.
    killGroup(child);
    await removeFolder(folder, options);
    return late ? { code: null, reason: `It did not end within ${deadlineMs / 1000} s.`, started: true } : end;
  });
  return { ended, terminate };
}

function endOf(child: ChildProcess): Promise<PodEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined)
        resolve({ code: null, reason: `It could not be started: ${error.message}.`, started: false });
    });
    child.once('exit', (code, signal) => {
      if (signal === null) return resolve({ code, started: true });
      // SIGTERM kills a capture that does not yet handle it. Like an orderly end, that costs no retry.
      const exitCode = signal === 'SIGTERM' ? CAPTURE_EXIT.terminated : null;
      resolve({ code: exitCode, started: true, reason: `It was ended by ${signal}.` });
    });
  });
}

async function removeFolder(folder: string, { log, fields }: PodOptions): Promise<void> {
  try {
    await rm(folder, REMOVAL);
  } catch (error) {
    log.warn({ ...fields, folder, err: error }, 'a folder of a capture was not removed');
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

const MAX_LINE = 8_192;

/** Calls back for each line, a line without an end for each 8 KB. */
function forward(stream: Readable, told: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') told(line.slice(0, MAX_LINE));
    if (rest.length > MAX_LINE) {
      told(rest.slice(0, MAX_LINE));
      rest = '';
    }
  });
  stream.on('end', () => {
    if (rest !== '') told(rest);
  });
}

/** A line of JSON as fields, any other as it is. */
function readLine(line: string): object {
  if (!line.startsWith('{')) return { line };
  try {
    const value: unknown = JSON.parse(line);
    return { capture: value };
  } catch {
    return { line };
  }
}
