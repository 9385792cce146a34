/** The token of a capture: given once, or in a file that the kubelet exchanges now and then. */
import { readFile } from 'node:fs/promises';

export interface JobToken {
  /** For one call. */
  read(): Promise<string>;
  /** One that was refused may be another in a moment. */
  readonly isExchanged: boolean;
}

export function givenToken(token: string): JobToken {
  return { read: async () => token, isExchanged: false };
}

export function tokenOfFile(file: string): JobToken {
  return { read: async () => (await readFile(file, 'utf8')).trim(), isExchanged: true };
}
