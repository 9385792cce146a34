/**
 * The ledger of a run: what the service acknowledged, the webhooks that arrived, and the kills. It is a file outside of the
 * service, to which lines are only appended.
 */
import { appendFileSync } from 'node:fs';

/** The operations whose acknowledgement is a promise. */
export type Operation = 'request' | 'ad' | 'upload' | 'review' | 'cancel' | 'delete' | 'export';

/** The service answered with success. */
export interface Acknowledged {
  readonly kind: 'acknowledged';
  readonly operation: Operation;
  /** The id of the set, ad, upload or export; for a review, that of the screenshot. */
  readonly id: string;
  /** The id of the set of an export, and the comment of a review. */
  readonly about?: string;
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

export type Entry =
  | Acknowledged
  | Received
  | { readonly kind: 'kill'; readonly what: string; readonly detail: string }
  | { readonly kind: 'note'; readonly text: string };

export class Ledger {
  readonly #file: string;
  readonly entries: Entry[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    appendFileSync(this.#file, `${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`);
  }
}
