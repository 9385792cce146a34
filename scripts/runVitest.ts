/** Runs vitest with a deadline, prints the slowest and the failed tests, and counts the results. */

import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../src/lib/errorMessage.ts';
import { type Counts, countTests, failedTests, slowestTests } from './testSummary.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Run {
  readonly projects: readonly string[];
  /** Files and options for vitest. */
  readonly args: readonly string[];
  readonly deadlineMs: number;
}

export async function runVitest({ projects, args, deadlineMs }: Run): Promise<Counts> {
  const results = path.join(ROOT, `.cache/test-results-${projects.join('-')}.json`);
  rmSync(results, { force: true });
  const chosen = projects.map((name) => `--project=${name}`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const code = await run(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...chosen, ...args],
    { deadlineMs },
  );
  const report = readResults(results);
  if (report !== undefined) {
    console.log(`\nThe slowest tests:\n${slowestTests(report, ROOT).join('\n')}`);
    const failed = failedTests(report, ROOT);
    // The log of a CI run is often read from its end.
    if (failed.length > 0) console.log(`\nThe failed tests:\n${failed.join('\n')}`);
  }
  return countTests(report, code);
}

/** Runs a program with our standard output and error. @returns its exit code; null: a signal ended it. */
export function run(program: string, args: readonly string[], { deadlineMs = 60_000 } = {}): Promise<number | null> {
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  const terminated = setTimeout(() => {
    console.error(
      `${path.basename(program)} did not end within ${Math.round(deadlineMs / 60_000)} min, so it is terminated.`,
    );
    child.kill('SIGTERM');
  }, deadlineMs);
  const killed = setTimeout(() => child.kill('SIGKILL'), deadlineMs + 20_000);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(terminated);
      clearTimeout(killed);
      resolve(code);
    });
  });
}

/** @returns undefined when vitest ended before it wrote the report. */
function readResults(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    console.error(`vitest wrote no report: ${errorMessage(error)}`);
    return undefined;
  }
}
