/**
 * `make verify`: the long tests. First the project `matrix` (crashes at every call), then the project `e2e-alone` (tests that kill parts
 * of the cluster). On success it records the digests of the guarded source in test/matrix/verified. With --if-changed it runs only
 * when a digest differs from the record. Writes `N passed, N failed` to .cache/verify-summary.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { changedParts, digestGuardedFiles, RECORD, writeRecord } from './guardedFiles.ts';
import { ROOT, run, runVitest } from './runVitest.ts';
import { addCounts, type Counts, parseSummary, summaryLine, writeSummary } from './testSummary.ts';

const SUMMARY = path.join(ROOT, '.cache/verify-summary');
const CLUSTER_SUMMARY = path.join(ROOT, '.cache/e2e-alone-summary');
const MATRIX_MS = 30 * 60_000;
const CLUSTER_MS = 30 * 60_000;

/** Without `E2E_PROJECT`, scripts/e2e.sh would run the tests of `make e2e`. */
async function runOnCluster(): Promise<Counts> {
  rmSync(CLUSTER_SUMMARY, { force: true });
  await run('env', ['E2E_PROJECT=e2e-alone', 'scripts/e2e.sh'], { deadlineMs: CLUSTER_MS });
  try {
    return parseSummary(readFileSync(CLUSTER_SUMMARY, 'utf8'));
  } catch {
    console.error('The tests in test/e2e/alone ended before they wrote a summary (see above).');
    return { passed: 0, failed: 1 };
  }
}

async function verify(): Promise<Counts> {
  const before = digestGuardedFiles(ROOT);
  const matrix = await runVitest({ projects: ['matrix'], args: [], deadlineMs: MATRIX_MS });
  const cluster = await runOnCluster();
  const total = addCounts(matrix, cluster);
  if (total.failed > 0) return total;
  if (cluster.passed === 0) {
    console.error(`The tests in test/e2e/alone were skipped on this cluster, so ${RECORD} stays as it was.`);
  } else if (digestGuardedFiles(ROOT).join() === before.join()) {
    writeRecord(ROOT, before);
    console.log(`The guarded source is verified. Commit ${RECORD}.`);
  } else {
    console.error(`Guarded files changed during the run, so ${RECORD} stays as it was. Run make verify again.`);
  }
  return total;
}

mkdirSync(path.dirname(SUMMARY), { recursive: true });
rmSync(SUMMARY, { force: true });
const changed = changedParts(ROOT);
if (process.argv.includes('--if-changed') && changed.length === 0) {
  writeSummary(SUMMARY, { passed: 0, failed: 0 });
  console.log('The long tests are not needed: the source that they guard is the same as in the last verified state.');
} else {
  console.log(`Changed since the last verified state: ${changed.join(', ') || 'nothing'}`);
  const total = await verify();
  writeSummary(SUMMARY, total);
  console.log(`\nLong tests: ${summaryLine(total)}`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}
