/**
 * The ledger of a run: all that the service acknowledged, all webhooks that arrived, and all faults. It is a file outside of
 * the service, to which lines are only appended.
 */
import { appendFileSync, readFileSync } from 'node:fs';

/** The operations whose acknowledgement is a promise. */
export const OPERATIONS = ['request', 'ad', 'upload', 'review', 'cancel', 'delete', 'export'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** The service answered with success. */
export interface Acknowledged {
  readonly kind: 'acknowledged';
  readonly operation: Operation;
  /** The id of the set, ad, upload or export; for a review, that of the screenshot. */
  readonly id: string;
  /** The Idempotency-Key. A request is repeated with the same key until an answer arrives. */
  readonly key: string;
  /** How often it was sent. */
  readonly sent: number;
  /** The number of screenshots of a request. */
  readonly screenshots?: number;
}

export interface Received {
  readonly kind: 'webhook';
  readonly event: string;
  readonly topic: string;
  /** The id of the set or ad. */
  readonly object: string;
  /** SHA-256 of the body. */
  readonly digest: string;
}

/** The service answered a request with an error that no repetition changes. */
export interface Refused {
  readonly kind: 'refused';
  readonly operation: Operation;
  readonly key: string;
  readonly status: number;
  readonly answer: string;
}

export interface Fault {
  readonly kind: 'kill' | 'disturbance';
  readonly what: string;
  readonly detail: string;
}

export interface Note {
  readonly kind: 'note';
  readonly text: string;
}

export type Entry = Acknowledged | Received | Refused | Fault | Note;
export type TimedEntry = Entry & { readonly at: string };

export interface Ledger {
  add(entry: Entry): void;
  /** All lines so far, read from the file. */
  entries(): TimedEntry[];
}

export function openLedger(file: string): Ledger {
  return {
    add: (entry) => appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`),
    entries: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as TimedEntry),
  };
}
