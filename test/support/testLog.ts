/** The real logger for tests. Its lines stay in memory, and an ERROR line that a test does not expect fails the test. */
import { afterAll, afterEach, expect } from 'vitest';
import type { Log } from '../../src/lib/log.ts';
import { createLogger } from '../../src/observe/logger.ts';

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

let errors: LogLine[] = [];
let expected: RegExp[] = [];

/** @param onLine called with each line as it was written. */
export function createTestLog(onLine: (line: LogLine) => void = () => undefined): Log {
  const write = (text: string) => {
    const line = JSON.parse(text) as LogLine;
    noteErrors([line]);
    onLine(line);
  };
  const logger = createLogger({ level: 'debug', name: 'test', destination: { write } });
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

export const TEST_LOG: Log = createTestLog();

/** Lets the current test log errors with this message. */
export function expectLoggedErrors(message: RegExp): void {
  expected.push(message);
}

/** Adds the lines of another process to those of the current test. */
export function noteErrors(lines: readonly LogLine[]): void {
  errors.push(...lines.filter(({ level }) => level === 'error' || level === 'fatal'));
}

/** For the setup file of a tier. */
export function failOnLoggedErrors(): void {
  const check = () => {
    const unexpected = errors.filter(({ msg }) => !expected.some((pattern) => pattern.test(msg)));
    errors = [];
    expected = [];
    expect(unexpected, 'ERROR lines in the log that the test does not expect').toEqual([]);
  };
  afterEach(check);
  afterAll(check);
}
