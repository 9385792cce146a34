/**
 * Reads files of strangers in child processes. A library that draws an SVG or reads a workbook may need minutes or gigabytes for a small
 * file, and cannot be interrupted. Its process can be killed, so that only the sender of such a file gets an error.
 */
import { Failure, tooMany } from '../domain/failure.ts';
import { KeyedConcurrencyLimit, type TurnOptions } from '../lib/concurrencyLimit.ts';
import { type FileTask, ReaderProcess } from './readerProcess.ts';

/** A key is an organization. */
interface FileReaderOptions extends TurnOptions {
  /** How long a process waits for the next file of its organization. Unless given, it reads only one. */
  readonly idleMs?: number;
}

export class FileReader {
  readonly #options: FileReaderOptions;
  readonly #limit: KeyedConcurrencyLimit;
  readonly #idle: { readonly organizationId: string; readonly reader: ReaderProcess }[] = [];
  #running = 0;

  constructor(options: FileReaderOptions) {
    this.#options = options;
    this.#limit = new KeyedConcurrencyLimit(options);
  }

  /**
   * Calls the function of the task in a child process. `Run` is its type.
   * @param input is called when it is the turn of the file.
   * @throws Failure (429), the errors of the function, and the fault of the task if the file exceeds a limit.
   */
  async read<Run extends (input: never) => unknown>(
    organizationId: string,
    task: FileTask,
    input: () => Parameters<Run>[0] | Promise<Parameters<Run>[0]>,
  ): Promise<Awaited<ReturnType<Run>>> {
    const readInTurn = async () => this.#readNow<ReturnType<Run>>(organizationId, task, await input());
    return await this.#limit.run(organizationId, readInTurn, tooManyFiles);
  }

  async #readNow<Output>(organizationId: string, task: FileTask, input: unknown): Promise<Output> {
    const reader = this.#takeIdle(organizationId) ?? new ReaderProcess();
    this.#running += 1;
    try {
      const answer = await reader.ask<Output>(task, input);
      this.#keep(organizationId, reader);
      if ('value' in answer) return answer.value;
      throw 'failure' in answer ? new Failure(answer.failure) : new Error(answer.error);
    } finally {
      this.#running -= 1;
    }
  }

  /** Files of two organizations never meet in one process. */
  #takeIdle(organizationId: string): ReaderProcess | undefined {
    const at = this.#idle.findIndex((one) => one.organizationId === organizationId && one.reader.isReusable);
    if (at >= 0) return this.#idle.splice(at, 1)[0]?.reader;
    if (this.#idle.length + this.#running >= this.#options.inAll) this.#idle.shift()?.reader.end();
    return undefined;
  }

  #keep(organizationId: string, reader: ReaderProcess): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined || !reader.isReusable) {
      reader.end();
      return;
    }
    const idle = { organizationId, reader };
    this.#idle.push(idle);
    const end = () => {
      if (!this.#idle.includes(idle)) return;
      this.#idle.splice(this.#idle.indexOf(idle), 1);
      reader.end();
    };
    setTimeout(end, idleMs).unref();
  }
}

function tooManyFiles(): Failure {
  const text = 'Too many files of the organization are being read at the same time: try again in a few seconds.';
  return tooMany('rate_limit', text, 5);
}

/** Reads what people send and wait for. The sizes of these files are bounded, so this process holds those that wait. */
export const sentFiles = new FileReader({ inAll: 2, ofEach: 1, waiting: 3, waitMs: 20_000 });
