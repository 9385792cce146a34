/**
 * Runs vitest projects on the cluster that scripts/e2e.sh found or started: `e2e`, or those that E2E_PROJECT names. Writes
 * `N passed, N failed` to .cache/PROJECT-summary.
 */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { ROOT, runVitest } from './runVitest.ts';
import { summaryLine, writeSummary } from './testSummary.ts';

const project = process.env['E2E_PROJECT'] ?? 'e2e';
const SUMMARY = path.join(ROOT, `.cache/${project}-summary`);
const DEADLINE_MS = 25 * 60_000;

rmSync(SUMMARY, { force: true });
const counts = await runVitest({
  projects: [project],
  args: process.argv.slice(2),
  deadlineMs: DEADLINE_MS,
});
writeSummary(SUMMARY, counts);
console.log(`\nOn the cluster: ${summaryLine(counts)}`);
process.exitCode = counts.failed === 0 ? 0 : 1;
