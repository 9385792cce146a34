import { type DestinationStream, destination as openDestination, pino } from 'pino';
import { errorMessage } from '../lib/errorMessage.ts';
import { redactLine } from './redact.ts';

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
}

/** Creates a logger of JSON lines without secrets: `{"level":"info","time":"…Z","name":"api",…,"msg":"…"}`. */
export function createLogger({ level, name, destination, stream = 'stdout' }: LoggerOptions): Logger {
  const out = destination ?? batching(openDestination({ fd: stream === 'stdout' ? 1 : 2, sync: true }));
  const redacting: DestinationStream = { write: (line) => out.write(redactLine(line)) };
  return pino(
    {
      level,
      base: { name },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: shownError, error: shownError },
      hooks: { logMethod: logSafely },
    },
    redacting,
  );
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

/** A value that cannot be written must not end the work that logs it, so the line then only has its message. */
function logSafely(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn): void {
  try {
    method.apply(this, args);
  } catch (error) {
    const message = args.find((arg) => typeof arg === 'string') ?? '';
    const fault = `The fields of this line could not be written: ${errorMessage(error)}`;
    method.apply(this, [{ log_fault: fault }, message]);
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
