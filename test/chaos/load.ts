/** The load of a run: clients that request, upload, review, cancel, export and delete, and write each promise into the ledger. */
import { randomUUID } from 'node:crypto';
import { sleep } from '../../src/lib/sleep.ts';
import type { Publishers } from '../fixtures/publisherServer.ts';
import type { Random } from '../support/seededRandom.ts';
import type { Call, Client } from './client.ts';
import type { Acknowledged, Ledger, Operation } from './ledger.ts';

export interface LoadOptions {
  readonly random: Random;
  readonly ledger: Ledger;
  readonly client: Client;
  readonly publishers: Publishers;
  readonly webhookUrl: string;
  /** The customer's bucket; undefined without an S3 server. */
  readonly bucket: string | undefined;
  /** No new requests after this. */
  readonly stop: AbortSignal;
  /** Requests without an answer are no longer repeated after this. */
  readonly giveUp: AbortSignal;
}

const CLIENTS = 4;
const PAUSE_MS = 250;
/** The most sets and ads that are open at the same time. */
const MOST_OPEN = 10;
const TOPICS = ['ad.uploaded', 'ad.failed', 'screenshot_set.approved', 'screenshot_set.failed'];

export class Load {
  readonly #options: LoadOptions;
  /** Sets and ads that have not ended, as far as the client knows. */
  readonly #open = new Set<string>();
  /** Sets that have ended with pictures. */
  readonly #approved: string[] = [];

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Resolves when all clients have ended. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: CLIENTS }, () => this.#client()));
  }

  /** The client learns by a webhook that a set or an ad has ended. */
  ended(topic: string, object: string): void {
    if (this.#open.delete(object) && topic === 'screenshot_set.approved') this.#approved.push(object);
  }

  async #client(): Promise<void> {
    const { stop, giveUp } = this.#options;
    while (!stop.aborted) {
      try {
        await this.#next();
        await sleep(PAUSE_MS, stop);
      } catch (error) {
        if (!stop.aborted && !giveUp.aborted) throw error;
      }
    }
  }

  async #next(): Promise<void> {
    const choice = this.#options.random.next();
    if (choice < 0.25) return this.#useApproved();
    if (choice < 0.4) return this.#upload();
    if (this.#open.size >= MOST_OPEN) return;
    await (choice < 0.75 ? this.#request() : this.#ad(this.#media()));
  }

  async #request(): Promise<void> {
    const { random, publishers } = this.#options;
    const key = randomUUID();
    const shots = Array.from({ length: random.between(1, 2) }, (_, index) => ({
      site: { url: `${publishers.url('blog')}?page=${index}` },
      device: { name: random.pick(['desktop', 'iphone']) },
    }));
    const ads = Array.from({ length: random.between(1, 2) }, (_, index) => ({
      ad: { lookup_key: `ad-${index}`, name: `Ad ${index}`, media: this.#media() },
      screenshots: shots,
    }));
    const body = { campaign: { name: key }, screenshot_requests: ads, subscribers: this.#subscribers() };
    const id = await this.#promise('request', { method: 'POST', path: '/screenshot_requests', body, key }, (set) => ({
      id: set,
      screenshots: ads.length * shots.length,
    }));
    if (id === undefined) return;
    this.#open.add(id);
    if (random.next() >= 0.3) return;
    await sleep(random.between(0, 4_000));
    await this.#promise('cancel', { method: 'POST', path: `/screenshot_sets/${id}/cancel` }, () => ({ id }));
    // A set that had ended before sends its event, any other one sends none.
    this.#open.delete(id);
  }

  async #ad(media: object): Promise<void> {
    const key = randomUUID();
    const ad = { lookup_key: 'alone', name: 'An ad alone', media };
    const body = { campaign: { name: key }, ad, subscribers: this.#subscribers() };
    const id = await this.#promise('ad', { method: 'POST', path: '/ads', body, key });
    if (id !== undefined) this.#open.add(id);
  }

  async #upload(): Promise<void> {
    const { random, publishers } = this.#options;
    const name = randomUUID();
    const picture = `<img src="${publishers.cdn}/media/marlow.jpg" width="300" height="250">`;
    // Each file has other bytes, because equal ones share a row.
    const body = Buffer.from(`<!doctype html><title>${name}</title><style>body{margin:0}</style>${picture}`);
    const id = await this.#promise('upload', { method: 'POST', path: `/uploads?name=${name}-300x250.html`, body });
    if (id !== undefined && random.next() < 0.6 && this.#open.size < MOST_OPEN)
      await this.#ad({ type: 'upload', content: id });
  }

  async #useApproved(): Promise<void> {
    const { random, client, giveUp } = this.#options;
    const id = this.#approved.shift();
    if (id === undefined) return;
    const path = `/screenshot_sets/${id}`;
    const choice = random.next();
    if (choice < 0.4) {
      const body = { format: random.pick(['zip', 'pdf', 'pptx']) };
      const about = (made: string) => ({ id: made, about: id });
      await this.#promise('export', { method: 'POST', path: `${path}/exports`, body }, about);
    } else if (choice < 0.7) {
      const { text } = await client.call({ method: 'GET', path }, giveUp);
      const { screenshots } = JSON.parse(text) as { screenshots: { id: string }[] };
      const [shot] = screenshots;
      if (shot === undefined) return;
      const body = { decision: random.pick(['approved', 'rejected']), comment: randomUUID() };
      await this.#promise('review', { method: 'POST', path: `/screenshots/${shot.id}/review`, body }, () => ({
        id: shot.id,
        about: body.comment,
      }));
    } else await this.#promise('delete', { method: 'DELETE', path }, () => ({ id }));
  }

  /** Sends a request until it is answered, and writes the promise into the ledger. @returns its id; undefined if it was refused. */
  async #promise(
    operation: Operation,
    call: Call,
    promised: (id: string) => Omit<Acknowledged, 'kind' | 'operation'> = (id) => ({ id }),
  ): Promise<string | undefined> {
    const { ledger, client, giveUp } = this.#options;
    const { status, text } = await client.call(call, giveUp);
    if (status >= 300) {
      ledger.add({ kind: 'note', text: `${operation} was refused with ${status}: ${text.slice(0, 300)}` });
      return undefined;
    }
    const { id = '' } = text === '' ? {} : (JSON.parse(text) as { id?: string });
    const entry = { kind: 'acknowledged', operation, ...promised(id) } as const;
    ledger.add(entry);
    return entry.id;
  }

  #subscribers(): object[] {
    const { random, webhookUrl: url, bucket } = this.#options;
    const webhook = { webhook: { url, topics: TOPICS } };
    const hasBucket = bucket !== undefined && random.next() < 0.3;
    return [hasBucket ? { ...webhook, s3: { bucket, key_prefix: 'pictures/' } } : webhook];
  }

  #media(): object {
    const { random, publishers } = this.#options;
    const jpeg = `${publishers.cdn}/media/marlow.jpg`;
    const tag = `<img src="${jpeg}" width="300" height="250" alt="">`;
    return random.pick([
      { type: 'html_tag', content: tag },
      { type: 'html_tag', content: `${tag}<script>document.title = 'ad';</script>` },
      { type: 'url', content: jpeg },
    ]);
  }
}
