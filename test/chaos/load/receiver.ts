/** A client's webhook receiver. It writes each webhook with a valid signature into the ledger before it answers. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { type Listener, listenHttp } from '../../support/listeners.ts';
import type { Ledger } from '../ledger.ts';

export interface Receiver {
  readonly url: string;
  /** Calls back for each webhook. */
  onEvent(listener: (topic: string, object: string) => void): void;
  close(): Promise<void>;
}

interface Envelope {
  readonly topic: string;
  readonly data: { readonly object: { readonly id: string } };
}

/** @param host the address of this machine on which it listens. */
export async function startReceiver(ledger: Ledger, secret: string, host?: string): Promise<Receiver> {
  const listeners: ((topic: string, object: string) => void)[] = [];
  const server: Listener = await listenHttp(async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const body = await text(request);
      const { topic, data } = new Webhook(secret).verify(body, headers) as Envelope;
      const digest = createHash('sha256').update(body).digest('hex');
      ledger.add({ kind: 'webhook', event: headers['webhook-id'] ?? '', topic, object: data.object.id, digest });
      response.writeHead(204).end();
      for (const listener of listeners) listener(topic, data.object.id);
    } catch (error) {
      // A killed sender breaks its request off, and a clock that jumped makes a signature too old or too new.
      ledger.add({ kind: 'note', text: `a webhook was not accepted: ${String(error)}` });
      response.writeHead(401).end();
    }
  }, host);
  return {
    url: `${server.url}/hooks`,
    onEvent: (listener) => void listeners.push(listener),
    close: () => server.close(),
  };
}
