/** A log that nobody reads. */
export const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
