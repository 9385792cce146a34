/** A process that is started again whenever it ends, as Kubernetes or systemd does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { sleep } from '../../../src/lib/sleep.ts';

export interface SupervisedOptions {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets all that the process prints. */
  readonly logFile: string;
}

const RESTART_MS = 300;
const STOP_MS = 60_000;

export class Supervised {
  readonly name: string;
  readonly #options: SupervisedOptions;
  readonly #log: WriteStream;
  #child: ChildProcess | undefined;
  #stopping = false;
  #ended = Promise.resolve();
  starts = 0;

  constructor(options: SupervisedOptions) {
    this.name = options.name;
    this.#options = options;
    this.#log = createWriteStream(options.logFile, { flags: 'a' });
  }

  get pid(): number | undefined {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null ? undefined : child.pid;
  }

  start(): void {
    const [program = '', ...args] = this.#options.command;
    this.starts += 1;
    const child = spawn(program, args, { env: this.#options.env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.pipe(this.#log, { end: false });
    child.stderr.pipe(this.#log, { end: false });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    void this.#ended.then(() => this.#restart(child));
  }

  /** @returns whether a process got the signal. */
  signal(signal: NodeJS.Signals): boolean {
    return this.pid !== undefined && this.#child?.kill(signal) === true;
  }

  /** The process is not started again when it ends. */
  retire(): void {
    this.#stopping = true;
  }

  /** Stops the process for good. @throws Error if it does not end within a minute after SIGTERM. */
  async stop(): Promise<void> {
    this.retire();
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    const late = new AbortController();
    const deadline = sleep(STOP_MS, late.signal).then(
      () => true,
      () => false,
    );
    const isLate = await Promise.race([this.#ended.then(() => false), deadline]);
    late.abort();
    if (isLate) this.signal('SIGKILL');
    await this.#ended;
    this.#log.end();
    if (isLate) throw new Error(`${this.name} did not end within ${STOP_MS / 1000} s after SIGTERM.`);
  }

  async #restart(child: ChildProcess): Promise<void> {
    await sleep(RESTART_MS);
    if (!this.#stopping && this.#child === child) this.start();
  }
}
