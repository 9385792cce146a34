import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { CaptureOptions, CaptureTiming } from '../../../../src/capture/program/attempt.ts';
import { runCapture } from '../../../../src/capture/program/program.ts';
import { TEST_LOG } from '../../../support/testLog.ts';
import { type EngineDouble, engineDouble } from './engine.ts';

/** A busy machine needs seconds for a call. A claim whose call is aborted stays held until its lease expires. */
const TIMING: CaptureTiming = {
  callMs: 10_000,
  retryForMs: 20_000,
  firstDelayMs: 5,
  graceMs: 5_000,
  holdMs: 2_000,
  idleMs: 20,
};

export interface ProgramRun {
  /** The exit code. */
  readonly exit: Promise<number>;
  readonly engine: EngineDouble;
  readonly signals: EventEmitter;
  readonly stdin: PassThrough;
  /** The lines that the program prints as errors. */
  readonly errors: string[];
}

/** Runs the capture program in this process, with a fake engine and short times. */
export function runProgram({
  engine = engineDouble(),
  timing,
  ...options
}: Pick<CaptureOptions, 'env' | 'timing' | 'terminationLog'> & { engine?: EngineDouble }): ProgramRun {
  const signals = new EventEmitter();
  const stdin = new PassThrough();
  const errors: string[] = [];
  const exit = runCapture({
    ...options,
    startEngine: async () => engine,
    log: TEST_LOG,
    signals,
    stdin,
    printError: (line) => errors.push(line),
    timing: { ...TIMING, ...timing },
  });
  return { exit, engine, signals, stdin, errors };
}
