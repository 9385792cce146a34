import type { Socket } from 'node:net';

/** A connection that the guard did not allow. `message` is for the user. */
export class EgressRefusedError extends Error {
  override readonly name = 'EgressRefusedError';
}

/** Judges and makes every outbound connection: resolve once, refuse unless all answers are allowed, connect to that address. */
export interface Guard {
  /** @throws EgressRefusedError when the address may not be reached; the resolver's own error when there is none. */
  resolve(host: string, port: number): Promise<{ address: string; family: 4 | 6 }>;
  /** Resolves, judges and connects, with a deadline. */
  connect(host: string, port: number): Promise<Socket>;
}
