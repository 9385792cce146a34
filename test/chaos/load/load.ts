/** The load of a run: clients that request, upload, review, cancel, export and delete, and write each promise into the ledger. */
import { sleep } from '../../../src/lib/sleep.ts';
import type { Ledger, Operation } from '../ledger.ts';
import { adBody, type BodyContext, requestBody, uploadFile } from './bodies.ts';
import { type Answer, type Call, type ClientOptions, callUntilAnswered, newKey } from './client.ts';

export interface LoadOptions extends BodyContext {
  readonly seed: number;
  readonly ledger: Ledger;
  readonly client: ClientOptions;
  /** The most sets and ads that are open at the same time. */
  readonly maxOpen: number;
  /** No new requests after this. Those that were sent are repeated until `client.signal`. */
  readonly stop: AbortSignal;
}

const CLIENTS = 4;
const PAUSE_MS = 250;

export class Load {
  readonly #options: LoadOptions;
  /** Sets and ads that were acknowledged and have not ended, as far as the client knows. */
  readonly #open = new Set<string>();
  /** Sets that have ended with pictures. */
  readonly #approved: string[] = [];
  #number = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Resolves when all clients have ended. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: CLIENTS }, () => this.#client()));
  }

  /** The client learns by a webhook that a set or an ad has ended. */
  ended(topic: string, object: string): void {
    if (topic === 'screenshot_set.progress') return;
    if (this.#open.delete(object) && topic === 'screenshot_set.approved') this.#approved.push(object);
  }

  async #client(): Promise<void> {
    const { stop, client, ledger } = this.#options;
    while (!stop.aborted) {
      try {
        await this.#next();
        await sleep(PAUSE_MS, stop);
      } catch (error) {
        if (stop.aborted || client.signal.aborted) return;
        ledger.add({ kind: 'note', text: `a client failed: ${String(error)}` });
        throw error;
      }
    }
  }

  async #next(): Promise<void> {
    const { random, maxOpen } = this.#options;
    const choice = random.next();
    if (choice < 0.25) return this.#useApproved();
    if (choice < 0.4) return this.#upload();
    if (this.#open.size >= maxOpen) return;
    if (choice < 0.75) await this.#request();
    else await this.#ad();
  }

  async #request(): Promise<void> {
    const { random } = this.#options;
    const key = this.#key();
    const { body, screenshots } = requestBody(this.#options, key);
    const id = await this.#send(
      'request',
      { method: 'POST', path: '/screenshot_requests', body, key },
      { screenshots },
    );
    if (id === undefined) return;
    this.#open.add(id);
    if (random.next() >= 0.3) return;
    await sleep(random.between(0, 4_000));
    await this.#send('cancel', { method: 'POST', path: `/screenshot_sets/${id}/cancel` }, { key, id });
    // A set that had ended before sends its event, any other one sends none.
    this.#open.delete(id);
  }

  async #ad(upload?: string): Promise<void> {
    const key = this.#key();
    const body = adBody(this.#options, key, upload);
    const id = await this.#send('ad', { method: 'POST', path: '/ads', body, key });
    if (id !== undefined) this.#open.add(id);
  }

  async #upload(): Promise<void> {
    const key = this.#key();
    const body = uploadFile(this.#options, key);
    const id = await this.#send('upload', { method: 'POST', path: `/uploads?name=${key}-300x250.html`, body }, { key });
    if (id !== undefined && this.#options.random.next() < 0.6 && this.#open.size < this.#options.maxOpen)
      await this.#ad(id);
  }

  async #useApproved(): Promise<void> {
    const { random } = this.#options;
    const set = this.#approved.shift();
    if (set === undefined) return;
    const key = this.#key();
    const choice = random.next();
    if (choice < 0.4) {
      const body = { format: random.pick(['zip', 'pdf', 'pptx']) };
      await this.#send('export', { method: 'POST', path: `/screenshot_sets/${set}/exports`, body }, { key });
    } else if (choice < 0.7) await this.#review(set, key);
    else await this.#send('delete', { method: 'DELETE', path: `/screenshot_sets/${set}` }, { key, id: set });
  }

  async #review(set: string, key: string): Promise<void> {
    const { client } = this.#options;
    const { text } = await callUntilAnswered({ method: 'GET', path: `/screenshot_sets/${set}` }, client);
    const { screenshots } = JSON.parse(text) as { screenshots?: { id: string }[] };
    const id = screenshots?.[0]?.id;
    if (id === undefined) return;
    const body = { decision: this.#options.random.pick(['approved', 'rejected']), comment: key };
    await this.#send('review', { method: 'POST', path: `/screenshots/${id}/review`, body }, { key, id });
  }

  /** Sends a request until it is answered, and writes the answer into the ledger. @returns the id; undefined if it was refused. */
  async #send(
    operation: Operation,
    call: Call,
    given: { readonly key?: string; readonly id?: string; readonly screenshots?: number } = {},
  ): Promise<string | undefined> {
    const { ledger, client } = this.#options;
    const key = call.key ?? given.key ?? '';
    const answer = await callUntilAnswered(call, client);
    if (answer.status >= 300) {
      ledger.add({ kind: 'refused', operation, key, status: answer.status, answer: answer.text.slice(0, 500) });
      return undefined;
    }
    const id = given.id ?? idIn(answer);
    const { sent } = answer;
    const { screenshots } = given;
    ledger.add({ kind: 'acknowledged', operation, id, key, sent, ...(screenshots !== undefined && { screenshots }) });
    return id;
  }

  #key(): string {
    this.#number += 1;
    return newKey(this.#options.seed, this.#number);
  }
}

function idIn({ text, status }: Answer): string {
  const { id } = JSON.parse(text) as { id?: string };
  if (id === undefined) throw new Error(`An answer with the status ${status} has no id: ${text.slice(0, 300)}`);
  return id;
}
