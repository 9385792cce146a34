import { withDeadline } from '../lib/deadline.ts';
import type { Logger } from './logger.ts';

/** The time for work in progress to end after SIGTERM. The chart's grace periods of pods allow for it. */
export const SHUTDOWN_GRACE_MS = 25_000;

export interface ShutdownStep {
  readonly name: string;
  readonly run: () => Promise<unknown> | unknown;
  readonly deadlineMs: number;
}

/** The part of `process` that shutdown needs. */
export interface Signals {
  on(signal: 'SIGTERM' | 'SIGINT', listener: (signal: string) => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: (signal: string) => void): unknown;
  exit(code: number): unknown;
}

export interface ShutdownOptions {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called first, so that no new work arrives. */
  readonly unready: () => void;
  /** Run one after the other. A step that fails or exceeds its deadline is logged, and the next step runs. */
  readonly steps: readonly ShutdownStep[];
  readonly signals?: Signals;
}

/**
 * On SIGTERM or SIGINT, calls `unready`, runs the steps and exits with 0, or with 1 if a step failed. A second signal
 * exits at once with 1.
 * @returns a function that shuts down without a signal and resolves with the exit code.
 */
export function gracefulShutdown({ log, unready, steps, signals = process }: ShutdownOptions): () => Promise<number> {
  let running: Promise<number> | undefined;
  const shutDown = (): Promise<number> => {
    running ??= runSteps(log, unready, steps);
    return running;
  };
  const onSignal = (signal: string): void => {
    if (running !== undefined) {
      log.warn({ signal }, 'received a second signal, exiting at once');
      signals.exit(1);
      return;
    }
    log.info({ signal }, 'shutting down');
    void shutDown().then((code) => signals.exit(code));
  };
  signals.on('SIGTERM', onSignal);
  signals.on('SIGINT', onSignal);
  return () =>
    shutDown().finally(() => {
      signals.off('SIGTERM', onSignal);
      signals.off('SIGINT', onSignal);
    });
}

async function runSteps(
  log: ShutdownOptions['log'],
  unready: () => void,
  steps: readonly ShutdownStep[],
): Promise<number> {
  let code = 0;
  unready();
  for (const { name, run, deadlineMs } of steps) {
    try {
      await withDeadline(deadlineMs, Promise.resolve().then(run));
    } catch (error) {
      code = 1;
      log.error({ err: error, step: name }, `shutdown step "${name}" failed`);
    }
  }
  return code;
}
