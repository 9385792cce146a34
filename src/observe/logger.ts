import { type DestinationStream, destination as openDestination, pino } from 'pino';
import { redactLine } from './redact.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
export type Logger = pino.Logger;

export interface LoggerOptions {
  readonly level: LogLevel;
  /** The process: api, controller, capture, … */
  readonly name: string;
  /** Where lines go; standard output if missing. Each is redacted before. */
  readonly destination?: DestinationStream;
}

/** JSON lines: `{"level":"info","time":"…Z","name":"api",…,"msg":"…"}`, without anything that opens a door. */
export function createLogger({ level, name, destination }: LoggerOptions): Logger {
  const out = destination ?? openDestination({ fd: 1, sync: true });
  const redacting: DestinationStream = { write: (line) => out.write(redactLine(line)) };
  return pino(
    {
      level,
      base: { name },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.err, error: pino.stdSerializers.err },
    },
    redacting,
  );
}

/** What a line is about; the field is called `<name>_id`. */
export interface LoggedIds {
  readonly request?: string;
  readonly organization?: string;
  readonly set?: string;
  readonly ad?: string;
  readonly job?: string;
  readonly delivery?: string;
}

/** A logger whose every line carries these ids. */
export function withIds(log: Logger, ids: LoggedIds): Logger {
  return log.child(Object.fromEntries(Object.entries(ids).map(([name, id]) => [`${name}_id`, id])));
}
