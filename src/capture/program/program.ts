/** The program in a capture pod: it makes one attempt of one index of a job, may take small sets after it, and calls the internal API. */
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import { createGatewayClient } from '../../egress/gatewayClient.ts';
import type { Connector } from '../../egress/guard.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { type Log, withFields } from '../../lib/log.ts';
import { activeTraceparent, type SpanOptions, withinSpan, withSpan } from '../../observe/tracing.ts';
import type { Engine } from '../engine/engine.ts';
import { type AttemptOptions, type CaptureOptions, runAttempt } from './attempt.ts';
import {
  asCaptureEndError,
  type CaptureEndError,
  CaptureShutdown,
  deadlineTimer,
  terminatedError,
} from './captureShutdown.ts';
import { openAttempt, ProtocolClient, type ProtocolClientOptions, type TimedAttempt } from './protocolClient.ts';
import { fixedToken, type TokenSource, tokenFromFile } from './transport.ts';

/** After these bounds the program ends, so that no browser runs for too long. */
const MAX_SETS = 100;
const MAX_MS = 300_000;
const RENEW_MS = 8_000;

interface SmallSetsOptions {
  /** The client of the program's own attempt. */
  readonly host: ProtocolClient;
  readonly client: ProtocolClientOptions;
  readonly pod: string;
  readonly getEngine: () => Promise<Engine>;
  /** Ends the program. */
  readonly shutdown: CaptureShutdown;
  readonly options: AttemptOptions['options'];
  /** The time until the deadline of the program. It takes sets for at most half of it. */
  readonly remainingMs: number;
}

/** A parent process also serves the internal API, so without it every upload fails. */
const ORPHAN_GRACE_MS = 5_000;

const Environment = z
  .object({
    TEARSHEET_INTERNAL_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
    TEARSHEET_JOB: z.uuid(),
    /** Missing for ads without pages. It is only in log lines. */
    TEARSHEET_SET: z.uuid().optional(),
    JOB_COMPLETION_INDEX: z.coerce.number().int().min(0),
    TEARSHEET_TOKEN: z.string().min(1).optional(),
    TEARSHEET_TOKEN_FILE: z.string().min(1).optional(),
    TEARSHEET_POD: z.string().min(1).max(128),
    TEARSHEET_PARENT_STDIN: z.string().optional(),
    /** The span of the request, if it is traced. */
    TRACEPARENT: z.string().optional(),
    /** The time for open uploads after SIGTERM. */
    TEARSHEET_GRACE_SECONDS: z.coerce.number().int().min(1).default(25),
  })
  .refine((env) => env.TEARSHEET_TOKEN !== undefined || env.TEARSHEET_TOKEN_FILE !== undefined, {
    path: ['TEARSHEET_TOKEN'],
    message: 'set it, or TEARSHEET_TOKEN_FILE',
  });
type Environment = z.infer<typeof Environment>;

/** @returns the way out to each location: the gateway of the internal API. @throws ZodError for an invalid environment. */
export function gatewayOf(given: CaptureOptions['env']): (location: string) => Connector {
  const env = Environment.parse(given);
  const token = tokenOf(env);
  const gateway = { url: env.TEARSHEET_INTERNAL_URL, jobId: env.TEARSHEET_JOB, readToken: () => token.read() };
  return (location) => createGatewayClient({ ...gateway, location });
}

/** @returns the exit code, one of {@link CAPTURE_EXIT}; never throws. */
export async function runCapture(options: CaptureOptions): Promise<number> {
  const printError = options.printError ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const end = (termination: Termination) => {
    if (termination.exitCode !== CAPTURE_EXIT.done) printError(`tearsheet capture: ${termination.message}`);
    if (options.terminationLog !== undefined) writeTerminationLog(options.terminationLog, termination);
    return termination.exitCode;
  };
  const env = Environment.safeParse(options.env);
  if (!env.success) {
    const faults = env.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    const message = `The controller starts this command and sets its environment. Missing or invalid here: ${faults.join('; ')}`;
    return end({ exitCode: CAPTURE_EXIT.usage, message });
  }
  const shutdown = new CaptureShutdown();
  const stopListening = listenForTermination(env.data, options, shutdown);
  try {
    const run = () => runIndex(env.data, options, shutdown);
    await Promise.race([withinSpan(env.data.TRACEPARENT, run), shutdown.over]);
  } finally {
    shutdown.close();
    stopListening();
  }
  if (shutdown.reason === undefined) return end({ exitCode: CAPTURE_EXIT.done, message: 'All work is done.' });
  options.log.warn(
    { exit_code: shutdown.reason.exitCode, err: shutdown.reason },
    'the capture ended before its work was done',
  );
  return end(shutdown.reason);
}

/** Never throws: an error becomes the reason of `shutdown`. */
async function runIndex(env: Environment, given: CaptureOptions, shutdown: CaptureShutdown): Promise<void> {
  const ids = { job_id: env.TEARSHEET_JOB, set_id: env.TEARSHEET_SET, index: env.JOB_COMPLETION_INDEX };
  const options = { ...given, log: withFields(given.log, ids) };
  let timer: NodeJS.Timeout | undefined;
  let engine: Promise<Engine> | undefined;
  // It stays for the small sets that the capture takes later, because starting browsers is most of their cost.
  const getEngine = () => (engine ??= options.startEngine());
  try {
    const client: ProtocolClientOptions = {
      internalUrl: env.TEARSHEET_INTERNAL_URL,
      jobId: env.TEARSHEET_JOB,
      token: tokenOf(env),
      ...(options.timing && { timing: options.timing }),
    };
    const [index, pod] = [env.JOB_COMPLETION_INDEX, env.TEARSHEET_POD];
    const startMs = Math.round(performance.timeOrigin);
    const traced = { attributes: { 'tearsheet.index': index }, startMs };
    const { attempt, remainingMs, traceparent } = await openTraced(traced, () =>
      openAttempt(client, { index, pod, hosts: true }, shutdown.stop),
    );
    if (attempt.done) return;
    timer = deadlineTimer(shutdown, { deadlineAt: attempt.deadline_at, remainingMs });
    const work = { attempt, index, remainingMs, client, shutdown, options, getEngine };
    const run = () => withinSpan(traceparent, () => runAttempt(work));
    if (!attempt.hosting) return await run();
    const host = new ProtocolClient(client, { index, attempt: attempt.attempt });
    const lease = renewLease(host, { log: options.log, signal: shutdown.abort });
    try {
      await run();
      if (shutdown.reason === undefined)
        await takeSmallSets({ host, client, pod, getEngine, shutdown, options, remainingMs });
    } finally {
      lease.stop();
    }
  } catch (error) {
    shutdown.begin(asCaptureEndError(error));
  } finally {
    clearTimeout(timer);
    await (await engine?.catch(() => undefined))?.close();
  }
}

/** @returns the attempt, with the span of its start. The spans of its work belong below this one, and it is sent first. */
async function openTraced(options: SpanOptions, open: () => Promise<TimedAttempt>) {
  return withSpan('start capture', options, async () => {
    const traceparent = activeTraceparent();
    return { ...(await open()), traceparent };
  });
}

function tokenOf({ TEARSHEET_TOKEN_FILE: file, TEARSHEET_TOKEN: token = '' }: Environment): TokenSource {
  return file === undefined ? fixedToken(token) : tokenFromFile(file);
}

function listenForTermination(env: Environment, options: CaptureOptions, shutdown: CaptureShutdown): () => void {
  const { signals = process, stdin = process.stdin, timing } = options;
  const graceMs = timing?.graceMs ?? env.TEARSHEET_GRACE_SECONDS * 1_000;
  const onSignal = () => shutdown.begin(terminatedError('The capture received SIGTERM or SIGINT.', graceMs));
  const onParentGone = () =>
    shutdown.begin(terminatedError('The parent process is gone.', Math.min(graceMs, ORPHAN_GRACE_MS)));
  signals.on('SIGTERM', onSignal);
  signals.on('SIGINT', onSignal);
  const hasParent = env.TEARSHEET_PARENT_STDIN === '1';
  if (hasParent) {
    for (const event of ['end', 'close', 'error']) stdin.on(event, onParentGone);
    stdin.resume();
  }
  return () => {
    signals.off('SIGTERM', onSignal);
    signals.off('SIGINT', onSignal);
    if (!hasParent) return;
    for (const event of ['end', 'close', 'error']) stdin.removeListener(event, onParentGone);
    stdin.pause();
  };
}

/** The kubelet keeps 4096 bytes, and a character may need six of them in JSON. */
const MAX_CHARACTERS = 650;

interface Termination {
  readonly exitCode: number;
  readonly message: string;
}

/** Writes into an existing file. Outside of a pod the file does not exist, and the function does not create it. Never throws. */
export function writeTerminationLog(file: string, termination: Termination): void {
  try {
    writeFileSync(file, terminationLine(termination), { flag: 'r+' });
  } catch {
    // The log contains the message as well.
  }
}

export function terminationLine({ exitCode, message }: Termination): string {
  const words = message.length > MAX_CHARACTERS ? `${message.slice(0, MAX_CHARACTERS)}…` : message;
  return `${JSON.stringify({ exit_code: exitCode, message: words.toWellFormed() })}\n`;
}

/** Renews the lease until `stop` is called. A lost lease is detected at the next claim. */
function renewLease(host: ProtocolClient, { log, signal }: { log: Log; signal: AbortSignal }): { stop(): void } {
  const renew = () =>
    host
      .renewHosting(signal)
      .catch((error: unknown) => log.info({ reason: errorMessage(error) }, 'the lease could not be renewed'));
  const timer = setInterval(() => void renew(), RENEW_MS);
  return { stop: () => clearInterval(timer) };
}

/**
 * Takes small sets of the same organization after the program's own index, until there is none, a bound is reached, or a set fails.
 * Each is a job with one index. A set that fails does not change the exit code, because the program's own index is done. Never throws.
 */
async function takeSmallSets(given: SmallSetsOptions): Promise<void> {
  const { host, shutdown, options, remainingMs } = given;
  const { log } = options;
  const until = performance.now() + Math.min(MAX_MS, remainingMs / 2);
  try {
    for (let sets = 0; sets < MAX_SETS && performance.now() < until; sets++) {
      const { job, traceparent } = await host.claimSmallSet(shutdown.stop);
      if (job === null) return;
      log.info({ job_id: job }, 'working on the next small set of this organization');
      // The set belongs to the trace of its own request.
      const failure = await withinSpan(traceparent, () => runSet(job, given));
      if (shutdown.reason !== undefined) break;
      if (failure === undefined || failure.exitCode === CAPTURE_EXIT.superseded) continue;
      log.warn({ job_id: job, err: failure }, 'a small set ended early; this capture takes no more small sets');
      break;
    }
    await host.endHosting(shutdown.abort);
  } catch (error) {
    log.info({ reason: errorMessage(error) }, 'this capture takes no more small sets');
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
    const traced = { attributes: { 'tearsheet.index': index, 'tearsheet.hosted': true } };
    const { attempt, remainingMs, traceparent } = await openTraced(traced, () =>
      openAttempt(client, { index, pod }, shutdown.stop),
    );
    if (attempt.done) return;
    const timer = deadlineTimer(shutdown, { deadlineAt: attempt.deadline_at, remainingMs });
    try {
      await withinSpan(traceparent, () =>
        runAttempt({ attempt, index, remainingMs, client, shutdown, options, getEngine }),
      );
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
