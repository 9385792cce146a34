/** The token of a capture: a fixed one, or one in a file that the kubelet replaces from time to time. */
import { readFile } from 'node:fs/promises';

export interface TokenSource {
  /** @returns the token for one call. */
  read(): Promise<string>;
  /** True if a rejected token may be replaced by a valid one soon. */
  readonly isRotated: boolean;
}

export function fixedToken(token: string): TokenSource {
  return { read: async () => token, isRotated: false };
}

export function tokenFromFile(file: string): TokenSource {
  return { read: async () => (await readFile(file, 'utf8')).trim(), isRotated: true };
}
