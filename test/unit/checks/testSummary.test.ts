import { describe, expect, it, test } from 'vitest';
import { countTests, parseSummary, slowestTests, summaryLine } from '../../../scripts/testSummary.ts';

const report = (passed: number, failed: number, files: { status: string; assertionResults: unknown[] }[] = []) =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    testResults: files.map((file) => ({ name: '/repo/test/a.test.ts', ...file })),
  });

describe('the summary of a test run', () => {
  it('the summary contains the numbers of the report', () => {
    expect(summaryLine(countTests(report(12, 3), 1))).toBe('12 passed, 3 failed');
  });

  it('a file that could not be loaded counts as one failure', () => {
    expect(countTests(report(5, 0, [{ status: 'failed', assertionResults: [] }]), 1)).toEqual({ passed: 5, failed: 1 });
  });

  it('a run that failed without a failed test counts as one failure', () => {
    expect(countTests(report(5, 0), 1)).toEqual({ passed: 5, failed: 1 });
    expect(countTests(report(5, 0), null)).toEqual({ passed: 5, failed: 1 });
  });

  it('a run without a report counts as one failure', () => {
    expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1 });
  });
});

test('the slowest tests come first, each with its file', () => {
  const tests = [
    { fullName: 'fast', duration: 40 },
    { fullName: 'skipped', duration: null },
    { fullName: 'slow', duration: 2_340 },
  ];
  expect(slowestTests(report(3, 0, [{ status: 'passed', assertionResults: tests }]), '/repo', 2)).toEqual([
    '   2.3 s  test/a.test.ts  slow',
    '   0.0 s  test/a.test.ts  fast',
  ]);
});

test('a written summary is read back, and other text is rejected', () => {
  expect(parseSummary(`${summaryLine({ passed: 12, failed: 3 })}\n`)).toEqual({ passed: 12, failed: 3 });
  expect(() => parseSummary('nothing')).toThrow('no summary line: nothing');
});
