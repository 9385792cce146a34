/** A server in front of sites and creatives: each address can be held until the test lets it go. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Listener, listenHttp } from './listeners.ts';

export interface Gates {
  /** An address that leads to `target` once `gate` is open. Gates are open unless shut. */
  through(gate: string, target: string): string;
  shut(gate: string): void;
  open(gate: string): void;
  /** Resolves when somebody stands before the shut gate. */
  reached(gate: string): Promise<void>;
  close(): Promise<void>;
}

/** @param host an address of this machine; loopback unless given. */
export async function startGates(host?: string): Promise<Gates> {
  const held = new Map<string, (() => void)[]>();
  const watchers = new Map<string, (() => void)[]>();
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://gates');
    const gate = url.pathname.slice(1);
    const pass = () => response.writeHead(302, { location: url.searchParams.get('to') ?? '/' }).end();
    const waiting = held.get(gate);
    if (waiting === undefined) {
      pass();
      return;
    }
    waiting.push(pass);
    for (const tell of watchers.get(gate) ?? []) tell();
    watchers.delete(gate);
  };
  const server: Listener = await listenHttp(answer, host);
  return {
    through: (gate, target) => `${server.url}/${gate}?to=${encodeURIComponent(target)}`,
    shut: (gate) => void held.set(gate, held.get(gate) ?? []),
    open: (gate) => {
      const waiting = held.get(gate) ?? [];
      held.delete(gate);
      for (const pass of waiting) pass();
    },
    reached: (gate) => {
      if ((held.get(gate)?.length ?? 0) > 0) return Promise.resolve();
      return new Promise((resolve) => watchers.set(gate, [...(watchers.get(gate) ?? []), resolve]));
    },
    close: () => server.close(),
  };
}
