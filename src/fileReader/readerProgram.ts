/** The program of a child process that reads files: it calls the function that a message names, and sends back the result. */
import { setPriority } from 'node:os';
import { Failure, type FailureOptions } from '../domain/failure.ts';

export interface Question {
  /** The URL of the module that exports the function. */
  readonly module: string;
  readonly run: string;
  readonly input: unknown;
}

export type Answer<Output> =
  | { readonly value: Output }
  | { readonly failure: FailureOptions }
  | { readonly error: string };

export interface Message<Output> {
  readonly answer: Answer<Output>;
  /** Bytes that the process takes now. Some of the memory that a file needed is not freed. */
  readonly memory: number;
}

const MEBIBYTE = 1024 ** 2;
const LOOK_MS = 20;
/** The processors serve other requests first. */
const NICENESS = 10;

async function answer({ module, run, input }: Question): Promise<Answer<unknown>> {
  try {
    const functions = await import(module);
    return { value: await functions[run](input) };
  } catch (error) {
    if (!(error instanceof Failure)) return { error: (error instanceof Error && error.stack) || String(error) };
    const { status, code, errors, headers } = error;
    return { failure: { status, code, errors, headers } };
  }
}

/** Nothing that runs in another thread can delay this end. */
const end = () => process.kill(process.pid, 'SIGKILL');

setPriority(NICENESS);
const mostBytes = Number(process.argv[2]) * MEBIBYTE;
// The memory of image libraries is not on the heap, which has a limit of its own.
setInterval(() => process.memoryUsage.rss() > mostBytes && end(), LOOK_MS);
// The process that asks has ended.
process.once('disconnect', end);
process.on('message', (question: Question) => {
  void answer(question).then((given) =>
    process.send?.({ answer: given, memory: process.memoryUsage.rss() } satisfies Message<unknown>),
  );
});
