/** What runs in a capture pod: one attempt at one index of a job, over the capture protocol. */
import { z } from 'zod';
import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import { runAttempt } from './attempt.ts';
import { deadlineOver, Ending, endOf, terminated } from './ending.ts';
import { givenToken, type JobToken, tokenOfFile } from './jobToken.ts';
import type { CaptureOptions } from './options.ts';
import { openAttempt, type ProtocolClientOptions } from './protocolClient.ts';
import { type Termination, writeTermination } from './terminationLog.ts';

const GRACE_MS = 5_000;
/** The parent that ran captures served the internal API too: there is nobody to upload to. */
const ORPHAN_GRACE_MS = 5_000;

const Environment = z
  .object({
    TEARSHEET_INTERNAL_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
    TEARSHEET_JOB: z.uuid(),
    JOB_COMPLETION_INDEX: z.coerce.number().int().min(0),
    TEARSHEET_TOKEN: z.string().min(1).optional(),
    TEARSHEET_TOKEN_FILE: z.string().min(1).optional(),
    TEARSHEET_POD: z.string().min(1).max(128),
    TEARSHEET_PARENT_STDIN: z.string().optional(),
  })
  .refine((env) => env.TEARSHEET_TOKEN !== undefined || env.TEARSHEET_TOKEN_FILE !== undefined, {
    path: ['TEARSHEET_TOKEN'],
    message: 'neither it nor TEARSHEET_TOKEN_FILE is set',
  });
type Environment = z.infer<typeof Environment>;

/** @returns the exit code, one of {@link CAPTURE_EXIT}; never throws. */
export async function runCapture(options: CaptureOptions): Promise<number> {
  const complain = options.complain ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const end = (termination: Termination) => {
    if (termination.exitCode !== CAPTURE_EXIT.done) complain(`tearsheet capture: ${termination.message}`);
    if (options.terminationLog !== undefined) writeTermination(options.terminationLog, termination);
    return termination.exitCode;
  };
  const env = Environment.safeParse(options.env);
  if (!env.success) {
    const faults = env.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    const message = `It is started by the controller, with settings that are missing here: ${faults.join('; ')}`;
    return end({ exitCode: CAPTURE_EXIT.usage, message });
  }
  const ending = new Ending();
  const stopListening = listenForEnd(env.data, options, ending);
  try {
    await Promise.race([work(env.data, options, ending), ending.over]);
  } finally {
    ending.close();
    stopListening();
  }
  if (ending.reason === undefined) return end({ exitCode: CAPTURE_EXIT.done, message: 'All was done.' });
  options.log.warn(
    { exit_code: ending.reason.exitCode, err: ending.reason },
    'the capture ended before its work was done',
  );
  return end(ending.reason);
}

/** Never throws: what goes wrong is told to `ending`. */
async function work(env: Environment, options: CaptureOptions, ending: Ending): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const client: ProtocolClientOptions = {
      internalUrl: env.TEARSHEET_INTERNAL_URL,
      jobId: env.TEARSHEET_JOB,
      token: tokenOf(env),
      ...(options.timing && { timing: options.timing }),
    };
    const index = env.JOB_COMPLETION_INDEX;
    const pod = { index, pod: env.TEARSHEET_POD };
    const { attempt, remainingMs } = await openAttempt(client, pod, ending.stop);
    if (attempt.done) return;
    const end = () => ending.end(deadlineOver(`The capture's time was over at ${attempt.deadline_at}.`));
    timer = setTimeout(end, Math.min(Math.max(0, remainingMs), MAX_TIMER_MS));
    await runAttempt({ attempt, index, client, ending, options });
  } catch (error) {
    ending.end(endOf(error));
  } finally {
    clearTimeout(timer);
  }
}

function tokenOf({ TEARSHEET_TOKEN_FILE: file, TEARSHEET_TOKEN: token = '' }: Environment): JobToken {
  return file === undefined ? givenToken(token) : tokenOfFile(file);
}

/** Node takes longer timers for none at all. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function listenForEnd(env: Environment, options: CaptureOptions, ending: Ending): () => void {
  const { signals = process, stdin = process.stdin, timing } = options;
  const graceMs = timing?.graceMs ?? GRACE_MS;
  const onSignal = () => ending.end(terminated('It was asked to end.', graceMs));
  const onParentGone = () =>
    ending.end(terminated('The process that started it is gone.', Math.min(graceMs, ORPHAN_GRACE_MS)));
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
