/** Runs kubectl and helm. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface RunOptions {
  readonly timeoutMs?: number;
  /** Written to standard input. */
  readonly input?: string;
}

/** Never rejects; the result has the exit code. */
export function tryRun(
  program: 'kubectl' | 'helm',
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const { timeoutMs = 180_000, input } = options;
  return new Promise((resolve) => {
    const limits = { timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(program, [...args], limits, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ stdout, stderr: error?.killed ? `${stderr}\n(ended after ${timeoutMs / 1_000} s)` : stderr, code });
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}

/** @throws Error with the output when the exit code is not 0. */
export async function kubectl(args: readonly string[], options?: RunOptions): Promise<string> {
  return said('kubectl', args, await tryRun('kubectl', args, options));
}

export async function helm(args: readonly string[], options?: RunOptions): Promise<string> {
  return said('helm', args, await tryRun('helm', args, options));
}

function said(program: string, args: readonly string[], { stdout, stderr, code }: RunResult): string {
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: exit code ${code}\n${stderr}${stdout}`);
  return stdout;
}

/** Saves console output for people to read, in E2E_CONSOLE or .cache/e2e-console. */
export function keepConsole(name: string, text: string): void {
  const folder = process.env['E2E_CONSOLE'] ?? path.join(import.meta.dirname, '../../../.cache/e2e-console');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${name}.txt`), `${text.trimEnd()}\n`);
}
