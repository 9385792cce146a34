import type { Log } from '../../src/lib/log.ts';

/** A log that drops every line. */
export const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
