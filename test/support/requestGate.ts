/** A redirecting server for sites and creatives. A test can hold the requests of a named gate and release them later. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { withDeadline } from '../../src/lib/deadline.ts';
import { type Listener, listenHttp } from './listeners.ts';

const REQUEST_MS = 240_000;

export interface RequestGate {
  /** @returns an address that redirects to `target` while `gate` is not held. A gate starts unheld. */
  urlFor(gate: string, target: string): string;
  hold(gate: string): void;
  release(gate: string): void;
  /** Resolves when a request waits at the held gate. @throws Error if none arrives within four minutes. */
  waitForRequest(gate: string): Promise<void>;
  close(): Promise<void>;
}

/** @param host an address of this machine; loopback unless given. */
export async function startRequestGate(host?: string): Promise<RequestGate> {
  const held = new Map<string, (() => void)[]>();
  const watchers = new Map<string, (() => void)[]>();
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://gate.test');
    const gate = url.pathname.slice(1);
    const pass = () => response.writeHead(302, { location: url.searchParams.get('to') ?? '/' }).end();
    const waiting = held.get(gate);
    if (waiting === undefined) {
      pass();
      return;
    }
    waiting.push(pass);
    for (const notify of watchers.get(gate) ?? []) notify();
    watchers.delete(gate);
  };
  const server: Listener = await listenHttp(answer, host);
  return {
    urlFor: (gate, target) => `${server.url}/${gate}?to=${encodeURIComponent(target)}`,
    hold: (gate) => void held.set(gate, held.get(gate) ?? []),
    release: (gate) => {
      const waiting = held.get(gate) ?? [];
      held.delete(gate);
      for (const pass of waiting) pass();
    },
    waitForRequest: (gate) => {
      if ((held.get(gate)?.length ?? 0) > 0) return Promise.resolve();
      const request = new Promise<void>((resolve) => watchers.set(gate, [...(watchers.get(gate) ?? []), resolve]));
      return withDeadline(REQUEST_MS, request).catch((cause: unknown) => {
        throw new Error(`No request reached the gate "${gate}".`, { cause });
      });
    },
    close: () => server.close(),
  };
}
