/**
 * The tests of `make e2e`, or with BENCH=1 the figures of `make bench-cluster`, on the cluster that scripts/e2e.sh found or started.
 * Leaves `N passed, N failed` in .cache/e2e-summary.
 */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { ROOT, runVitest } from './runVitest.ts';
import { summaryLine, writeSummary } from './testSummary.ts';

const SUMMARY = path.join(ROOT, '.cache/e2e-summary');
const DEADLINE_MS = 25 * 60_000;

rmSync(SUMMARY, { force: true });
const counts = await runVitest({
  projects: process.env['BENCH'] === '1' ? ['bench-cluster'] : ['e2e', 'e2e-alone'],
  args: process.argv.slice(2),
  deadlineMs: DEADLINE_MS,
});
writeSummary(SUMMARY, counts);
console.log(`\nOn the cluster: ${summaryLine(counts)}`);
process.exitCode = counts.failed === 0 ? 0 : 1;
