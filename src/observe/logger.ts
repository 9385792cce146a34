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
  const out = destination ?? gathering(openDestination({ fd: 1, sync: true }));
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

/** Writes the lines of one turn of the event loop in one piece: to write costs more than to make a line. */
function gathering(out: DestinationStream): DestinationStream {
  let lines = '';
  const write = () => {
    const gathered = lines;
    lines = '';
    if (gathered !== '') out.write(gathered);
  };
  process.on('exit', write);
  return {
    write: (line) => {
      if (lines === '') setImmediate(write);
      lines += line;
    },
  };
}
