/**
 * `make test`: all checks, then all tests, also when a check has failed. Leaves `N passed, N failed` in
 * .cache/test-summary; a check counts as one, a test file that could not be loaded as one failure.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks } from './checks.ts';
import { type Counts, countTests, summaryLine } from './testSummary.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = path.join(ROOT, '.cache/test-results.json');
const SUMMARY = path.join(ROOT, '.cache/test-summary');
const DEADLINE_MS = 20 * 60_000;

async function runVitest(): Promise<Counts> {
  rmSync(RESULTS, { force: true });
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json'];
  const child = spawn(process.execPath, [...args, `--outputFile.json=${RESULTS}`, ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
    timeout: DEADLINE_MS,
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return countTests(readResults(), code);
}

/** undefined: vitest ended before it could write. */
function readResults(): string | undefined {
  try {
    return readFileSync(RESULTS, 'utf8');
  } catch (error) {
    console.error(`vitest left no results: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

mkdirSync(path.dirname(SUMMARY), { recursive: true });
rmSync(SUMMARY, { force: true });
const checks = await runChecks((line) => console.log(line));
const tests = await runVitest();
const total = { passed: checks.passed + tests.passed, failed: checks.failed + tests.failed };
writeFileSync(SUMMARY, `${summaryLine(total)}\n`);
console.log(`\nChecks: ${summaryLine(checks)}\nTests:  ${summaryLine(tests)}`);
process.exitCode = total.failed === 0 ? 0 : 1;
