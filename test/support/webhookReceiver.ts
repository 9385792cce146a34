/** A client's webhook receiver that can also fail, or accept a request and never respond. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { eventually } from './eventually.ts';
import { listenHttp } from './listeners.ts';

export interface WebhookReceiver {
  readonly url: string;
  mode: 'accepts' | 'refuses' | 'never answers';
  /** The webhook-ids with which a topic of an object was accepted, one for each request. */
  accepted(topic: string, objectId: string): string[];
  /** Waits until a request about it has come in, whatever became of that. */
  asked(topic: string, objectId: string): Promise<void>;
  /** Requests whose signature was wrong. */
  readonly forged: number;
  close(): Promise<void>;
}

interface Envelope {
  readonly topic: string;
  readonly data: { readonly object: { readonly id: string } };
}

/** @param host an address of this machine; loopback unless given. */
export async function startWebhookReceiver(secret: () => string, host?: string): Promise<WebhookReceiver> {
  const seen: { about: string; id: string; accepted: boolean }[] = [];
  const server = await listenHttp(async (request: IncomingMessage, response: ServerResponse) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    try {
      const { topic, data } = new Webhook(secret()).verify(await text(request), headers) as Envelope;
      const { mode } = receiver;
      seen.push({
        about: `${topic} ${data.object.id}`,
        id: headers['webhook-id'] ?? '',
        accepted: mode === 'accepts',
      });
      if (mode !== 'never answers') response.writeHead(mode === 'accepts' ? 204 : 503).end();
    } catch {
      receiver.forged += 1;
      response.writeHead(401).end();
    }
  }, host);
  const of = (topic: string, objectId: string) => seen.filter(({ about }) => about === `${topic} ${objectId}`);
  const receiver = {
    url: `${server.url}/hooks`,
    mode: 'accepts' as WebhookReceiver['mode'],
    forged: 0,
    accepted: (topic: string, objectId: string) =>
      of(topic, objectId)
        .filter(({ accepted }) => accepted)
        .map(({ id }) => id),
    asked: (topic: string, objectId: string) =>
      eventually(() => {
        if (of(topic, objectId).length === 0) throw new Error(`No webhook ${topic} of ${objectId} came in.`);
      }),
    close: () => server.close(),
  };
  return receiver;
}
