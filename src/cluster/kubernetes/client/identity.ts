/** With which server a process talks, and how it proves who it is. */
import type { Dispatcher } from 'undici';

export interface Access {
  readonly server: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
}

/** What a source says at this moment. */
export interface Identity extends Omit<Access, 'dispatcher'> {
  /** Other certificates have another one. */
  readonly digest: string;
  connect(): Dispatcher | Promise<Dispatcher>;
}

/** @param anew nothing that was read before is right any more. */
export type ReadIdentity = (anew: boolean) => Promise<Identity>;
