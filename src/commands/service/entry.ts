import { fileURLToPath } from 'node:url';

/** How this program is started again, from its source as from its compiled form: Node, its flags, and the entry. */
export function ownCommand(...args: string[]): string[] {
  const entry = import.meta.url.endsWith('.ts') ? '../../cli.ts' : '../../cli.js';
  return [process.execPath, ...process.execArgv, fileURLToPath(new URL(entry, import.meta.url)), ...args];
}
