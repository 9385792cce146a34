/**
 * Continues with small sets of the same organization after the program's own index: it hosts them. Each of these guests is a job with one
 * index, and the program works on it with its own token, as it does on its own index. A guest that fails does not change the exit
 * code, because the program's own index is done.
 */
import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { type Log, withFields } from '../../lib/log.ts';
import type { Engine } from '../engine/engine.ts';
import { runAttempt } from './attempt.ts';
import { asCaptureEndError, type CaptureEndError, CaptureShutdown } from './captureShutdown.ts';
import { deadlineTimer } from './deadlineTimer.ts';
import type { CaptureOptions } from './options.ts';
import { type HostClient, openAttempt, type ProtocolClientOptions } from './protocolClient.ts';

/** After these bounds the program ends, so that no browser runs for too long. */
const MAX_GUESTS = 100;
const MAX_HOSTING_MS = 300_000;
const RENEW_MS = 8_000;

export interface HostingOptions {
  readonly host: HostClient;
  readonly client: ProtocolClientOptions;
  readonly pod: string;
  readonly getEngine: () => Promise<Engine>;
  /** Ends the program. */
  readonly shutdown: CaptureShutdown;
  readonly options: Omit<CaptureOptions, 'env' | 'stdin' | 'signals'>;
  /** The time until the deadline of the program. It hosts for at most half of it. */
  readonly remainingMs: number;
}

/** Renews the lease of the host until `stop` is called. A lost lease shows at the next call for a guest. */
export function renewLease(host: HostClient, { log, signal }: { log: Log; signal: AbortSignal }): { stop(): void } {
  const renew = () =>
    host
      .renew(signal)
      .catch((error: unknown) =>
        log.info({ reason: errorMessage(error) }, 'the lease of the host could not be renewed'),
      );
  const timer = setInterval(() => void renew(), RENEW_MS);
  return { stop: () => clearInterval(timer) };
}

/** Takes guests until there is none, a bound is reached, or a guest fails. Never throws. */
export async function hostGuests(given: HostingOptions): Promise<void> {
  const { host, shutdown, options, remainingMs } = given;
  const { log } = options;
  const until = performance.now() + Math.min(MAX_HOSTING_MS, remainingMs / 2);
  try {
    for (let guests = 0; guests < MAX_GUESTS && performance.now() < until; guests++) {
      const guest = await nextGuest(host, { until, signal: shutdown.stop });
      if (guest === undefined) break;
      log.info({ job_id: guest }, 'working on the next small set of this organization');
      const failure = await runGuest(guest, given);
      if (shutdown.reason !== undefined) break;
      if (failure === undefined || failure.exitCode === CAPTURE_EXIT.superseded) continue;
      log.warn({ job_id: guest, err: failure }, 'a small set ended early, so this capture takes no further one');
      break;
    }
    await host.leave(shutdown.abort);
  } catch (error) {
    log.info({ reason: errorMessage(error) }, 'this capture takes no further small set');
  }
}

/** @returns undefined if the API ended the hosting, or if `until` has passed. */
async function nextGuest(
  host: HostClient,
  { until, signal }: { readonly until: number; readonly signal: AbortSignal },
): Promise<string | undefined> {
  while (performance.now() < until) {
    const { guest, hosting } = await host.next(signal);
    if (guest !== null) return guest.job;
    if (!hosting) return undefined;
  }
  return undefined;
}

/** @returns why the work on the guest ended early; undefined if it is done. */
async function runGuest(job: string, given: HostingOptions): Promise<CaptureEndError | undefined> {
  const { pod, getEngine, shutdown: program } = given;
  // The API names the job of a guest, not its set.
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
