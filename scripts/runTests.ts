/**
 * `make test`: all checks, then the tests of the projects unit, integration and cluster, also when a check fails. Writes
 * `N passed, N failed` to .cache/test-summary. A check counts as one test, and a file that cannot be loaded as one failure.
 */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runChecks } from './checks.ts';
import { ROOT, run, runVitest } from './runVitest.ts';
import { addCounts, summaryLine, writeSummary } from './testSummary.ts';

const SUMMARY = path.join(ROOT, '.cache/test-summary');
const DEADLINE_MS = 36 * 60_000;
const BUILD_MS = 30 * 60_000;

/** The tier uses a real API server, Helm and promtool. A machine that cannot build them skips the tier; CI never does. */
async function projects(): Promise<string[]> {
  const code = await run('test/cluster/cluster', ['build', 'tests'], { deadlineMs: BUILD_MS });
  if (code === 0 || process.env['CI'] === 'true') return ['unit', 'integration', 'integration-isolated', 'cluster'];
  console.log('The tests in test/cluster are skipped, because their programs could not be built (see above).');
  return ['unit', 'integration', 'integration-isolated'];
}

mkdirSync(path.dirname(SUMMARY), { recursive: true });
rmSync(SUMMARY, { force: true });
const checks = await runChecks((line) => console.log(line));
const tests = await runVitest({ projects: await projects(), args: process.argv.slice(2), deadlineMs: DEADLINE_MS });
const total = addCounts(checks, tests);
writeSummary(SUMMARY, total);
console.log(`\nChecks: ${summaryLine(checks)}\nTests:  ${summaryLine(tests)}`);
process.exitCode = total.failed === 0 ? 0 : 1;
