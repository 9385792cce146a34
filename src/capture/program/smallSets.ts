/**
 * Takes small sets of the same organization after the program's own index. Each is a job with one index, and the program works on it as on
 * its own index. A set that fails does not change the exit code, because the program's own index is done.
 */
import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { type Log, withFields } from '../../lib/log.ts';
import type { Engine } from '../engine/engine.ts';
import { runAttempt } from './attempt.ts';
import { asCaptureEndError, type CaptureEndError, CaptureShutdown, deadlineTimer } from './captureShutdown.ts';
import type { CaptureOptions } from './options.ts';
import { openAttempt, type ProtocolClientOptions, type SmallSetClient } from './protocolClient.ts';

/** After these bounds the program ends, so that no browser runs for too long. */
const MAX_SETS = 100;
const MAX_MS = 300_000;
const RENEW_MS = 8_000;

export interface SmallSetsOptions {
  readonly smallSets: SmallSetClient;
  readonly client: ProtocolClientOptions;
  readonly pod: string;
  readonly getEngine: () => Promise<Engine>;
  /** Ends the program. */
  readonly shutdown: CaptureShutdown;
  readonly options: Omit<CaptureOptions, 'env' | 'stdin' | 'signals'>;
  /** The time until the deadline of the program. It takes sets for at most half of it. */
  readonly remainingMs: number;
}

/** Renews the lease until `stop` is called. A lost lease shows at the next claim. */
export function renewLease(
  smallSets: SmallSetClient,
  { log, signal }: { log: Log; signal: AbortSignal },
): { stop(): void } {
  const renew = () =>
    smallSets
      .renewLease(signal)
      .catch((error: unknown) => log.info({ reason: errorMessage(error) }, 'the lease could not be renewed'));
  const timer = setInterval(() => void renew(), RENEW_MS);
  return { stop: () => clearInterval(timer) };
}

/** Takes sets until there is none, a bound is reached, or a set fails. Never throws. */
export async function takeSmallSets(given: SmallSetsOptions): Promise<void> {
  const { smallSets, shutdown, options, remainingMs } = given;
  const { log } = options;
  const until = performance.now() + Math.min(MAX_MS, remainingMs / 2);
  try {
    for (let sets = 0; sets < MAX_SETS && performance.now() < until; sets++) {
      const job = await smallSets.claim(shutdown.stop);
      if (job === null) return;
      log.info({ job_id: job }, 'working on the next small set of this organization');
      const failure = await runSet(job, given);
      if (shutdown.reason !== undefined) break;
      if (failure === undefined || failure.exitCode === CAPTURE_EXIT.superseded) continue;
      log.warn({ job_id: job, err: failure }, 'a small set ended early, so this capture takes no further one');
      break;
    }
    await smallSets.leave(shutdown.abort);
  } catch (error) {
    log.info({ reason: errorMessage(error) }, 'this capture takes no further small set');
  }
}

/** @returns why the work on the set ended early; undefined if it is done. */
async function runSet(job: string, given: SmallSetsOptions): Promise<CaptureEndError | undefined> {
  const { pod, getEngine, shutdown: program } = given;
  // The API names the job, not its set.
  const options = {
    ...given.options,
    log: withFields(given.options.log, { job_id: job, set_id: undefined, index: 0 }),
  };
  const client = { ...given.client, jobId: job };
  const shutdown = new CaptureShutdown();
  const onProgramEnd = () => shutdown.begin(program.reason ?? asCaptureEndError(program.stop.reason));
  program.stop.addEventListener('abort', onProgramEnd, { once: true });
  if (program.stop.aborted) onProgramEnd();
  const work = async () => {
    const index = 0;
    const { attempt, remainingMs } = await openAttempt(client, { index, pod }, shutdown.stop);
    if (attempt.done) return;
    const timer = deadlineTimer(shutdown, { deadlineAt: attempt.deadline_at, remainingMs });
    try {
      await runAttempt({ attempt, index, client, shutdown, options, getEngine });
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    await Promise.race([work().catch((error: unknown) => shutdown.begin(asCaptureEndError(error))), shutdown.over]);
    return shutdown.reason;
  } finally {
    shutdown.close();
    program.stop.removeEventListener('abort', onProgramEnd);
  }
}
