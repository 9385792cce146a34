import { readFileSync } from 'node:fs';

/** @returns the version in package.json, one folder above `src` and `dist`. */
export function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
