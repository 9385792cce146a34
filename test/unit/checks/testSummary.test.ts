import { describe, expect, it } from 'vitest';
import { countTests, summaryLine } from '../../../scripts/testSummary.ts';

const report = (passed: number, failed: number, files: { status: string; assertionResults: unknown[] }[] = []) =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, testResults: files });

describe('the last line of the tests', () => {
  it('holds the numbers of the report', () => {
    expect(summaryLine(countTests(report(12, 3), 1))).toBe('12 passed, 3 failed');
  });

  it('counts a file that could not be loaded as one failure', () => {
    expect(countTests(report(5, 0, [{ status: 'failed', assertionResults: [] }]), 1)).toEqual({ passed: 5, failed: 1 });
  });

  it('is never all green where the run was red', () => {
    expect(countTests(report(5, 0), 1)).toEqual({ passed: 5, failed: 1 });
    expect(countTests(report(5, 0), null)).toEqual({ passed: 5, failed: 1 });
  });

  it('tells a run that left no report as a failure', () => {
    expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1 });
  });
});
