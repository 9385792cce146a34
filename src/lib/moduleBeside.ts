import path from 'node:path';

/** @param from `import.meta.url` of a module. @returns the URL of a module in the same folder, compiled if this one is. */
export const moduleBeside = (from: string, name: string): string => new URL(name + path.extname(from), from).href;
