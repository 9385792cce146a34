/** The token of a capture: given once, or in a file that the kubelet exchanges now and then. */
import { readFile } from 'node:fs/promises';

export interface TokenSource {
  /** For one call. */
  read(): Promise<string>;
  /** One that was refused may be another in a moment. */
  readonly isRotated: boolean;
}

export function fixedToken(token: string): TokenSource {
  return { read: async () => token, isRotated: false };
}

export function tokenFromFile(file: string): TokenSource {
  return { read: async () => (await readFile(file, 'utf8')).trim(), isRotated: true };
}
