/** A child process that reads files, one after the other. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { moduleBeside } from '../lib/moduleBeside.ts';
import type { Answer, Message, Question } from './readerProgram.ts';

/** A function that reads a file. Its input and its output are copied between the processes. */
export interface FileTask extends Omit<Question, 'input'> {
  readonly seconds: number;
  /** @param limit that the file exceeds, such as "took longer than 5 s". @returns the error for its sender. */
  readonly fault: (limit: string) => Error;
}

/** MiB of the heap, and of the whole process. A process that has only loaded sharp takes 75. */
const HEAP = 256;
const MEMORY = 384;
/** Ended by the process itself, or by V8 because of too little memory. */
const OUT_OF_MEMORY: readonly (string | null)[] = ['SIGKILL', 'SIGABRT', 'SIGTRAP'];
/** The variables that a process gets. Others are secrets. */
const PASSED = /^(PATH|HOME|TMPDIR|NODE_COMPILE_CACHE|LD_LIBRARY_PATH|FONTCONFIG_\w+|XDG_\w+)$/;

export class ReaderProcess {
  readonly #child: ChildProcess;
  #memory = 0;

  constructor() {
    this.#child = fork(fileURLToPath(moduleBeside(import.meta.url, './readerProgram')), [String(MEMORY)], {
      execArgv: [`--max-old-space-size=${HEAP}`],
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name))),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  }

  /** Whether it can read another file, with at least half of the memory. */
  get isReusable(): boolean {
    const { connected, exitCode, signalCode } = this.#child;
    return connected && exitCode === null && signalCode === null && this.#memory < (MEMORY * 1024 ** 2) / 2;
  }

  /** Ends the process if the file exceeds a limit. @throws the fault of the task, or Error if the process cannot run. */
  async ask<Output>({ module, run, seconds, fault }: FileTask, input: unknown): Promise<Answer<Output>> {
    const child = this.#child;
    const { promise, resolve, reject } = Promise.withResolvers<Message<Output>>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.end();
      // A process that ended before this question emits no further exit.
      if (child.exitCode !== null || child.signalCode !== null) reject(fault(`took longer than ${seconds} s`));
    }, seconds * 1_000);
    const onExit = (code: number | null, signal: string | null) => {
      if (isLate) reject(fault(`took longer than ${seconds} s`));
      else if (OUT_OF_MEMORY.includes(signal)) reject(fault(`needed more than ${MEMORY} MB of memory`));
      else if (signal !== null) reject(fault(`ended its reader with ${signal}`));
      else reject(new Error(`The process that reads files ended with exit code ${code}.`));
    };
    child.ref();
    child.channel?.ref();
    child.once('message', resolve).once('error', reject).once('exit', onExit);
    try {
      // Without a channel the process did not start, and its error says why. If it has ended, its exit does.
      if (child.channel) child.send({ module, run, input } satisfies Question, () => undefined);
      const { answer, memory } = await promise;
      this.#memory = memory;
      return answer;
    } finally {
      clearTimeout(timer);
      child.off('message', resolve).off('error', reject).off('exit', onExit);
      // While it waits, it does not keep this process from exiting.
      child.unref();
      child.channel?.unref();
    }
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}
