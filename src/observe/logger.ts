import { type DestinationStream, destination as openDestination, pino } from 'pino';
import { errorMessage } from '../lib/errorMessage.ts';
import type { Outage } from './outage.ts';
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
  /** Errors of these outages are written as DEBUG lines, and each outage itself as one warning. */
  readonly outages?: readonly Outage[];
}

/** Creates a logger of JSON lines without secrets: `{"level":"info","time":"…Z","name":"api",…,"msg":"…"}`. */
export function createLogger({ level, name, destination, stream = 'stdout', outages = [] }: LoggerOptions): Logger {
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
            const isCovered = levelNumber >= ERROR && outages.some((outage) => outage.claims(errorOf(args[0]), root));
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
  return [{ log_fault: `The fields of this line could not be written: ${errorMessage(error)}` }, message];
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
