/** One capture as a child process. It has its own process group, exits when this process ends, and its output goes to the log. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import type { Log } from '../../lib/log.ts';
import { secondsText } from '../../lib/secondsText.ts';

const PREFIX = 'tearsheet-pod-';

/** A killed browser may still write files for a moment, so the removal is retried. */
const REMOVE_OPTIONS = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

export interface LocalPodOptions {
  readonly command: readonly string[];
  /** The complete environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly log: Log;
  /** Added to each log line of the capture. */
  readonly fields: object;
}

export interface PodEnd {
  /** The exit code; null if a signal ended the process or it could not be started. */
  readonly code: number | null;
  /** Why the process ended, unless it exited by itself. */
  readonly reason?: string;
  readonly started: boolean;
}

export interface Pod {
  readonly ended: Promise<PodEnd>;
  /** Sends SIGTERM, and SIGKILL after the grace period. */
  terminate(): void;
}

/** The standard input of the child is open as long as this process lives. The child exits when it closes. */
export function startPod(options: LocalPodOptions): Pod {
  const { command, env, deadlineMs, graceMs, log, fields } = options;
  const [program = '', ...args] = command;
  // Each capture has its own temporary folder, so that the browser profile of a killed capture can be removed.
  const folder = createPodFolder();
  const childEnv = { ...env, TMPDIR: folder };
  const child = spawn(program, args, { env: childEnv, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  // The pipe breaks when the child exits. The exit is handled below.
  child.stdin.on('error', () => undefined);
  forward(child.stdout, (line) => log.info({ ...fields, ...readLine(line) }, 'capture'));
  forward(child.stderr, (line) => log.warn({ ...fields, line }, 'capture'));
  let kill: NodeJS.Timeout | undefined;
  let timedOut = false;
  const terminate = () => {
    if (kill !== undefined) return;
    kill = setTimeout(() => killGroup(child), graceMs);
    // Only the program gets the signal, because it needs its browser until it has returned its claims.
    child.kill('SIGTERM');
  };
  const deadline = setTimeout(() => {
    timedOut = true;
    terminate();
  }, deadlineMs);
  const ended = endOf(child).then(async (end) => {
    clearTimeout(deadline);
    clearTimeout(kill);
    // Ends processes that the capture has left behind, usually a browser.
    killGroup(child);
    await removeFolder(folder, options);
    return timedOut
      ? { code: null, reason: `The capture did not end within ${secondsText(deadlineMs)}.`, started: true }
      : end;
  });
  return { ended, terminate };
}

function endOf(child: ChildProcess): Promise<PodEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined)
        resolve({ code: null, reason: `The capture could not be started: ${error.message}.`, started: false });
    });
    child.once('exit', (code, signal) => {
      if (signal === null) return resolve({ code, started: true });
      // SIGTERM kills a capture that does not yet handle it. Like an orderly end, that costs no retry.
      const exitCode = signal === 'SIGTERM' ? CAPTURE_EXIT.terminated : null;
      resolve({ code: exitCode, started: true, reason: `The capture was ended by ${signal}.` });
    });
  });
}

async function removeFolder(folder: string, { log, fields }: LocalPodOptions): Promise<void> {
  try {
    await removePodFolder(folder);
  } catch (error) {
    log.warn({ ...fields, folder, err: error }, 'the temporary folder of a capture could not be removed');
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

/** Calls back for each line, and for each 8 KB of a line that is longer. */
function forward(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line.slice(0, MAX_LINE));
    if (rest.length > MAX_LINE) {
      onLine(rest.slice(0, MAX_LINE));
      rest = '';
    }
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}

/** @returns a line of JSON as an object, any other line as text. */
function readLine(line: string): object {
  if (!line.startsWith('{')) return { line };
  try {
    const value: unknown = JSON.parse(line);
    return { capture: value };
  } catch {
    return { line };
  }
}

/**
 * The temporary folders of captures on one machine. Each name contains the id of the process that runs the capture, so that
 * folders of a process that was killed can be found.
 */
export function createPodFolder(): string {
  return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

function removePodFolder(folder: string): Promise<void> {
  return rm(folder, REMOVE_OPTIONS);
}

/**
 * Removes the folders that killed processes have left behind. Call it before the first capture starts.
 * @returns how many. @throws Error if one cannot be removed.
 */
export async function removeLeftPodFolders(): Promise<number> {
  const left = readdirSync(tmpdir()).filter((name) => {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    return owner !== undefined && !isAlive(Number(owner));
  });
  for (const name of left) await removePodFolder(join(tmpdir(), name));
  return left.length;
}

/** In a container, a restarted process often has the id of the one before it. It has no folders yet. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
