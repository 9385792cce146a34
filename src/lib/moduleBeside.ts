import path from 'node:path';

/** @param from `import.meta.url` of a module. @returns the URL of another one in its folder, which is compiled if that one is. */
export const moduleBeside = (from: string, name: string): string => new URL(name + path.extname(from), from).href;
