/** From vitest's JSON report to two numbers. */
import { writeFileSync } from 'node:fs';
import { z } from 'zod';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

/**
 * @param report what the JSON reporter wrote; undefined: nothing.
 * @param code vitest's exit code: red without a failed test (an unhandled error, no test found) is one failure.
 */
export function countTests(report: string | undefined, code: number | null): Counts {
  if (report === undefined) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, testResults } = Report.parse(JSON.parse(report));
  const notLoaded = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  const failed = numFailedTests + notLoaded;
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

export function summaryLine({ passed, failed }: Counts): string {
  return `${passed} passed, ${failed} failed`;
}

export function addCounts(one: Counts, other: Counts): Counts {
  return { passed: one.passed + other.passed, failed: one.failed + other.failed };
}

export function writeSummary(file: string, counts: Counts): void {
  writeFileSync(file, `${summaryLine(counts)}\n`);
}
