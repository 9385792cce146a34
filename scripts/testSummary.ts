/** Reads vitest's JSON report: the counts, the slowest tests and the failed ones. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const TestResult = z.object({
  fullName: z.string(),
  status: z.string(),
  duration: z.number().nullish(),
  failureMessages: z.array(z.string()).nullish(),
});
const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().nullish(),
      assertionResults: z.array(TestResult),
    }),
  ),
});

/**
 * @param report the JSON reporter's output; undefined: it wrote none.
 * @param code vitest's exit code. A failed run without a failed test (an unhandled error, no test found) counts as one failure.
 */
export function countTests(report: string | undefined, code: number | null): Counts {
  if (report === undefined) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, testResults } = Report.parse(JSON.parse(report));
  const notLoaded = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  const failed = numFailedTests + notLoaded;
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

/** @returns the `count` slowest tests, one line each: seconds, file and name. Set-up in hooks does not count. */
export function slowestTests(report: string, root: string, count = 20): string[] {
  const tests = Report.parse(JSON.parse(report)).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, duration }) => ({
      file: path.relative(root, name),
      fullName,
      ms: duration ?? 0,
    })),
  );
  const slowest = tests.sort((a, b) => b.ms - a.ms).slice(0, count);
  return slowest.map(({ file, fullName, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${file}  ${fullName}`);
}

/** @returns the tests and files that failed, one line each: file, name and the first line of the error. */
export function failedTests(report: string, root: string): string[] {
  return Report.parse(JSON.parse(report)).testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = path.relative(root, name);
    if (assertionResults.length === 0 && status === 'failed') return [`${file}  ${firstLine(message ?? '')}`];
    const failed = assertionResults.filter((test) => test.status === 'failed');
    return failed.map(
      ({ fullName, failureMessages }) => `${file}  ${fullName}: ${firstLine(failureMessages?.[0] ?? '')}`,
    );
  });
}

const firstLine = (text: string) => text.split('\n', 1)[0] ?? '';

export function summaryLine({ passed, failed }: Counts): string {
  return `${passed} passed, ${failed} failed`;
}

export function addCounts(one: Counts, other: Counts): Counts {
  return { passed: one.passed + other.passed, failed: one.failed + other.failed };
}

export function writeSummary(file: string, counts: Counts): void {
  writeFileSync(file, `${summaryLine(counts)}\n`);
}

/** @throws Error when the text is no summary line. */
export function parseSummary(text: string): Counts {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed\s*$/.exec(text) ?? [];
  if (passed === undefined || failed === undefined) throw new Error(`This is no summary line: ${text}`);
  return { passed: Number(passed), failed: Number(failed) };
}
