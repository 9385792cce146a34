import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface ReceivedEvent {
  readonly id: string;
  readonly topic: string;
  readonly data: { readonly object: Record<string, unknown> };
}

/** A client's own webhook endpoint: it verifies the signature of each event before it uses the event. */
export interface Listener {
  readonly url: string;
  /** Resolves with the first event of that topic whose object has that id; rejects after `timeoutMs`. */
  next(topic: string, objectId: string, timeoutMs: number): Promise<ReceivedEvent>;
  close(): void;
}

export async function startListener(secret: () => string): Promise<Listener> {
  const received: ReceivedEvent[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      try {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        received.push(new Webhook(secret()).verify(body, headers) as ReceivedEvent);
        response.writeHead(204).end();
      } catch (error) {
        console.error(`A webhook with a wrong signature was refused: ${String(error)}`);
        response.writeHead(401).end();
      }
      for (const wake of waiting) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const next = (topic: string, objectId: string, timeoutMs: number) =>
    new Promise<ReceivedEvent>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(look);
        const seen = received.map((event) => event.topic).join(', ') || 'nothing';
        reject(new Error(`No ${topic} for ${objectId} after ${timeoutMs / 1000} s; received: ${seen}.`));
      }, timeoutMs);
      const look = () => {
        const found = received.find((event) => event.topic === topic && event.data.object['id'] === objectId);
        if (found === undefined) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { url: `http://127.0.0.1:${port}/tearsheet`, next, close: () => server.close() };
}
