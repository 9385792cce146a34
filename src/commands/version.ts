import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @returns the version in package.json, one folder above `src` and `dist`. */
export function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

/** @returns the command that starts this program again, compiled or from source: Node, its flags, `cli` and `args`. */
export function ownCommand(...args: string[]): string[] {
  const entry = import.meta.url.endsWith('.ts') ? '../cli.ts' : '../cli.js';
  return [process.execPath, ...process.execArgv, fileURLToPath(new URL(entry, import.meta.url)), ...args];
}
