/** The API server that this process calls, and the proof of who calls. */
import type { Dispatcher } from 'undici';

export interface Access {
  readonly server: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
}

export interface Identity extends Omit<Access, 'dispatcher'> {
  /** Changes with the certificates. Connections are kept as long as it is the same. */
  readonly digest: string;
  connect(): Dispatcher | Promise<Dispatcher>;
}

/** @param unauthorized the API server rejected the last identity, so nothing that was read before may be used again. */
export type ReadIdentity = (unauthorized: boolean) => Promise<Identity>;
