/** Sends requests from published research on request smuggling through the egress proxy, and watches the sockets of servers. */
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGuard } from '../../src/egress/guard.ts';
import { type EgressProxy, startEgressProxy } from '../../src/egress/proxy.ts';
import { eventually } from '../support/eventually.ts';
import { listen, startListener } from '../support/listeners.ts';
import { readStrictly } from '../support/strictRequest.ts';
import { CONNECTIONS } from './egressCorpus/connections.ts';
import { FRAMING } from './egressCorpus/framing.ts';
import { HEADS } from './egressCorpus/heads.ts';
import type { CorpusCase } from './egressCorpus/types.ts';

const GROUPS = Object.entries({ ...FRAMING, ...HEADS, ...CONNECTIONS }).map(([group, cases]) => ({ group, cases }));
const CASES = GROUPS.flatMap(({ cases }) => cases);
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';

interface Observation {
  /** Connections to the address that the proxy must never connect to. */
  readonly forbidden: number;
  /** Why parsers may read what a server got in different ways. */
  readonly faults: readonly string[];
  /** Whether a server got a whole request. */
  readonly isServed: boolean;
}

let proxy: EgressProxy;
const observations = new Map<string, Promise<Observation>>();

beforeAll(async () => {
  proxy = await startEgressProxy({ guard: createGuard({ allow: ['127.0.0.1/32', '::1/128'] }), idleMs: 10_000 });
  // Some connections wait for timeouts of the proxy, so all run at the same time.
  for (const one of CASES) observations.set(one.name, play(one, Number(new URL(proxy.url).port)));
});
afterAll(() => proxy.close());

describe.each(GROUPS)('$group', ({ cases }) => {
  test.each(cases)('$name: no server gets more than one clear request', async ({ name }) => {
    expect(await observations.get(name)).toMatchObject({ forbidden: 0, faults: [] });
  });
});

test('the proxy serves about a third of the corpus, and rejects the rest', async () => {
  const all = await Promise.all(observations.values());
  expect(all).toHaveLength(CASES.length);
  const served = all.filter(({ isServed }) => isServed).length;
  expect(served).toBeGreaterThan(80);
  expect(served).toBeLessThan(140);
});

async function play(one: CorpusCase, proxyPort: number): Promise<Observation> {
  const seen: string[] = [];
  const open = await listen((socket) => record(socket, seen));
  const shut = await startListener(
    createServer((socket) => socket.resume()),
    '127.0.0.2',
  );
  try {
    const targets = { open: `127.0.0.1:${open.port}`, port: open.port, shut: `127.0.0.2:${shut.port}` };
    await exchange(one, one.bytes(targets), proxyPort);
    // The proxy closes its connections to the server a moment after those of the client.
    await eventually(() => expect(open.open).toBe(0), 30_000);
    const requests = seen.map(readStrictly);
    const hosts = requests.flatMap(({ host }) => host ?? []);
    const strange = hosts.filter((host) => host !== 'inside' && !host.endsWith(`:${open.port}`));
    return {
      forbidden: shut.connections,
      faults: [...requests.flatMap(({ fault }) => fault ?? []), ...strange, ...seen.flatMap(upgradeFault)],
      isServed: requests.length > 0 && requests.every(({ isComplete }) => isComplete),
    };
  } finally {
    await Promise.all([open.close(), shut.close()]);
  }
}

/** After an upgrade the proxy sees no requests, so only websockets may have one, and only without a body. */
function upgradeFault(bytes: string): string[] {
  const [head = ''] = bytes.split('\r\n\r\n');
  const protocol = /^upgrade: (.*)$/im.exec(head)?.[1];
  if (protocol === undefined) return [];
  if (protocol.toLowerCase() !== 'websocket') return [`an upgrade to ${protocol}`];
  return /^(content-length|transfer-encoding):/im.test(head) ? ['an upgrade with a body'] : [];
}

/** Answers a path that begins with /early before the body. */
function record(socket: Socket, seen: string[]): void {
  let bytes = '';
  let answered = false;
  socket.setEncoding('latin1').on('error', () => undefined);
  socket.on('data', (chunk: string) => {
    bytes += chunk;
    if (answered) return;
    const isEarly = /^\S+ \S*\/early /.test(bytes) && bytes.includes('\r\n\r\n');
    if (!isEarly && !readStrictly(bytes).isComplete) return;
    answered = true;
    if (isEarly) socket.write(ANSWER);
    else socket.end(ANSWER);
  });
  socket.once('end', () => socket.end());
  socket.once('close', () => void (bytes !== '' && seen.push(bytes)));
}

/** Resolves when the proxy has closed the connection. */
function exchange({ halfClose }: CorpusCase, bytes: string | readonly string[], port: number): Promise<void> {
  const [first = '', ...rest] = typeof bytes === 'string' ? [bytes] : bytes;
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    let answer = '';
    const send = (text: string) => {
      if (halfClose === true && rest.length === 0) socket.end(text, 'latin1');
      else socket.write(text, 'latin1');
    };
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
      const next = answer.includes('\r\n\r\n') ? rest.shift() : undefined;
      if (next !== undefined) send(next);
    });
    // A reset is an end, too.
    socket.on('error', () => undefined);
    socket.once('end', () => socket.end());
    socket.once('close', () => resolve());
    send(first);
  });
}
