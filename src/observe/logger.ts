import { type DestinationStream, destination as openDestination, pino } from 'pino';
import { errorMessage } from '../lib/errorMessage.ts';
import type { Log } from '../lib/log.ts';
import { redactLine } from './redact.ts';
import { traceFields } from './tracing.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
export type Logger = pino.Logger;

export interface LoggerOptions {
  readonly level: LogLevel;
  /** The process: api, controller, capture, … */
  readonly name: string;
  /** Receives the redacted lines; the stream by default. */
  readonly destination?: DestinationStream;
  /** Standard output unless given. */
  readonly stream?: 'stdout' | 'stderr' | undefined;
  /** Errors of this outage are written as DEBUG lines, and the outage itself as one warning. */
  readonly outage?: Outage | undefined;
}

/** Creates a logger of JSON lines without secrets: `{"level":"info","time":"…Z","name":"api",…,"msg":"…"}`. */
export function createLogger({ level, name, destination, stream = 'stdout', outage }: LoggerOptions): Logger {
  const out = destination ?? batching(openDestination({ fd: stream === 'stdout' ? 1 : 2, sync: true }));
  const redacting: DestinationStream = { write: (line) => out.write(redactLine(line)) };
  const root: Logger = pino(
    {
      level,
      base: { name },
      mixin: traceFields,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: shownError, error: shownError },
      hooks: {
        logMethod(args, method, levelNumber) {
          try {
            const isCovered = levelNumber >= ERROR && outage?.claims(errorOf(args[0]), root) === true;
            (isCovered ? this.debug : method).apply(this, args);
          } catch (error) {
            method.apply(this, messageOnly(args, error));
          }
        },
      },
    },
    redacting,
  );
  return root;
}

/** PostgreSQL puts rows and values into these fields of its errors, for example "Failing row contains (…)". */
const FIELDS_WITH_ROWS = ['detail', 'where', 'internalQuery'];

/** Callers also put codes and messages into the field `error`, so its value can be anything. */
function shownError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const shown = pino.stdSerializers.err(error);
  const isOfPostgres = 'severity' in error && 'routine' in error;
  return isOfPostgres
    ? Object.fromEntries(Object.entries(shown).filter(([name]) => !FIELDS_WITH_ROWS.includes(name)))
    : shown;
}

const ERROR = pino.levels.values['error'] ?? 50;

function errorOf(fields: unknown): unknown {
  return typeof fields === 'object' && fields !== null && 'err' in fields ? fields.err : fields;
}

/** A value that cannot be read or written must not end the work that logs it, so the line then only has its message. */
function messageOnly(args: Parameters<pino.LogFn>, error: unknown): Parameters<pino.LogFn> {
  const message = args.find((arg) => typeof arg === 'string') ?? '';
  return [{ log_fault: `The fields of this line could not be written: ${causeOf(error)}` }, message];
}

/** A getter or a proxy can throw a value that cannot be read either. */
function causeOf(error: unknown): string {
  try {
    return errorMessage(error);
  } catch {
    return 'the error has no text form';
  }
}

/** Writes all lines of one turn of the event loop at once, because a system call costs more than making a line. */
function batching(out: DestinationStream): DestinationStream {
  let lines = '';
  const write = () => {
    const batch = lines;
    lines = '';
    if (batch !== '') out.write(batch);
  };
  process.on('exit', write);
  return {
    write: (line) => {
      if (lines === '') setImmediate(write);
      lines += line;
    },
  };
}

/**
 * Reports that a part of the installation does not answer: one warning when it is lost, one line when it is back. Everything
 * that needs the part fails meanwhile, and an ERROR line for each failure would hide what else goes wrong.
 */
export class Outage {
  readonly #what: string;
  readonly #isCause: (error: unknown) => boolean;
  #isLost = false;

  /** @param isCause whether the error says that this part does not answer. */
  constructor(what: string, isCause: (error: unknown) => boolean) {
    this.#what = what;
    this.#isCause = isCause;
  }

  /** @returns whether the error is one of this outage, which is then reported. */
  claims(error: unknown, log: Pick<Log, 'warn'>): boolean {
    if (!this.#isCause(error)) return false;
    if (!this.#isLost) log.warn({ err: error }, `${this.#what} does not answer; work that needs it is retried`);
    this.#isLost = true;
    return true;
  }

  /** Called when the part answers. */
  ended(log: Pick<Log, 'info'>): void {
    if (this.#isLost) log.info({}, `${this.#what} answers again`);
    this.#isLost = false;
  }
}
