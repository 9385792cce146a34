import { describe, expect, it, test } from 'vitest';
import { countTests, failedTests, parseSummary, slowestTests, summaryLine } from '../../../scripts/testSummary.ts';

const report = (
  passed: number,
  failed: number,
  files: { status: string; message?: string; assertionResults: unknown[] }[] = [],
) =>
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
    { fullName: 'fast', status: 'passed', duration: 40 },
    { fullName: 'skipped', status: 'skipped', duration: null },
    { fullName: 'slow', status: 'passed', duration: 2_340 },
  ];
  expect(slowestTests(report(3, 0, [{ status: 'passed', assertionResults: tests }]), '/repo', 2)).toEqual([
    '   2.3 s  test/a.test.ts  slow',
    '   0.0 s  test/a.test.ts  fast',
  ]);
});

test('failed tests and files that could not be loaded are listed with the first line of the error', () => {
  const tests = [
    { fullName: 'good', status: 'passed', duration: 40 },
    { fullName: 'bad', status: 'failed', duration: 40, failureMessages: ['Error: expected 1\n    at a.test.ts:1'] },
  ];
  const files = [
    { status: 'failed', assertionResults: tests },
    { status: 'failed', message: 'no such module', assertionResults: [] },
  ];
  expect(failedTests(report(1, 1, files), '/repo')).toEqual([
    'test/a.test.ts  bad: Error: expected 1',
    'test/a.test.ts  no such module',
  ]);
});

test('a written summary is read back, and other text is rejected', () => {
  expect(parseSummary(`${summaryLine({ passed: 12, failed: 3 })}\n`)).toEqual({ passed: 12, failed: 3 });
  expect(() => parseSummary('nothing')).toThrow('no summary line: nothing');
});
