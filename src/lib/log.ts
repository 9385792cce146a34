/** The part of pino that the program uses. Tests pass an object of their own. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** @returns a log whose lines have these fields too, unless a line has its own of that name. */
export function withFields(log: Log, fields: object): Log {
  return {
    debug: (own, message) => log.debug({ ...fields, ...own }, message),
    info: (own, message) => log.info({ ...fields, ...own }, message),
    warn: (own, message) => log.warn({ ...fields, ...own }, message),
    error: (own, message) => log.error({ ...fields, ...own }, message),
  };
}
