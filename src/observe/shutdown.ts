import { withDeadline } from '../lib/deadline.ts';
import type { Logger } from './logger.ts';

export interface ShutdownStep {
  readonly name: string;
  readonly run: () => Promise<unknown> | unknown;
  readonly deadlineMs: number;
}

/** What of a process is used here; `process` itself outside of tests. */
export interface Signals {
  on(signal: 'SIGTERM' | 'SIGINT', listener: (signal: string) => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: (signal: string) => void): unknown;
  exit(code: number): unknown;
}

export interface ShutdownOptions {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** At once, so that no new work comes. */
  readonly unready: () => void;
  /** One after the other; what fails or is late is logged, and the next one runs. */
  readonly steps: readonly ShutdownStep[];
  readonly signals?: Signals;
}

/**
 * On SIGTERM or SIGINT: unready, the steps, exit 0 (1 when a step failed). A second signal exits at once with 1.
 * @returns a function that does the same without a signal; the exit code, when done.
 */
export function gracefulShutdown({ log, unready, steps, signals = process }: ShutdownOptions): () => Promise<number> {
  let running: Promise<number> | undefined;
  const shutDown = (): Promise<number> => {
    running ??= runSteps(log, unready, steps);
    return running;
  };
  const onSignal = (signal: string): void => {
    if (running !== undefined) {
      log.warn({ signal }, 'second signal, leaving at once');
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
      log.error({ err: error, step: name }, `shutdown: ${name} failed`);
    }
  }
  return code;
}
