/** The program in a capture pod: it makes one attempt of one index of a job, may take small sets after it, and calls the internal API. */

import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import { withFields } from '../../lib/log.ts';
import type { Engine } from '../engine/engine.ts';
import { runAttempt } from './attempt.ts';
import { asCaptureEndError, CaptureShutdown, deadlineTimer, terminatedError } from './captureShutdown.ts';
import type { CaptureOptions } from './options.ts';
import { openAttempt, type ProtocolClientOptions, SmallSetClient } from './protocolClient.ts';
import { renewLease, takeSmallSets } from './smallSets.ts';
import { fixedToken, type TokenSource, tokenFromFile } from './tokenSource.ts';

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
    /** The time for open uploads after SIGTERM. */
    TEARSHEET_GRACE_SECONDS: z.coerce.number().int().min(1).default(25),
  })
  .refine((env) => env.TEARSHEET_TOKEN !== undefined || env.TEARSHEET_TOKEN_FILE !== undefined, {
    path: ['TEARSHEET_TOKEN'],
    message: 'set it, or TEARSHEET_TOKEN_FILE',
  });
type Environment = z.infer<typeof Environment>;

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
    await Promise.race([runIndex(env.data, options, shutdown), shutdown.over]);
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
    const { attempt, remainingMs } = await openAttempt(client, { index, pod, hosts: true }, shutdown.stop);
    if (attempt.done) return;
    timer = deadlineTimer(shutdown, { deadlineAt: attempt.deadline_at, remainingMs });
    const work = { attempt, index, client, shutdown, options, getEngine };
    if (!attempt.hosting) return await runAttempt(work);
    const smallSets = new SmallSetClient(client, { index, attempt: attempt.attempt });
    const lease = renewLease(smallSets, { log: options.log, signal: shutdown.abort });
    try {
      await runAttempt(work);
      if (shutdown.reason === undefined)
        await takeSmallSets({ smallSets, client, pod, getEngine, shutdown, options, remainingMs });
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

/** The kubelet keeps only this many bytes. */
const MAX_BYTES = 4_096;

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
  const line = (words: string) => `${JSON.stringify({ exit_code: exitCode, message: words })}\n`;
  // More cannot fit. `toWellFormed` replaces half a surrogate pair at the cut.
  const points = [...message.slice(0, MAX_BYTES).toWellFormed()];
  let words = message.length > MAX_BYTES ? `${points.join('')}…` : points.join('');
  for (let kept = points.length; Buffer.byteLength(line(words)) > MAX_BYTES; ) {
    kept = Math.floor(kept * 0.95);
    words = `${points.slice(0, kept).join('')}…`;
  }
  return line(words);
}
