/** Sends many malformed requests through the proxy and looks at what arrives at the sockets of servers. */
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createGuard } from '../../../src/egress/guard.ts';
import { startEgressProxy } from '../../../src/egress/proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { hostileRequest } from '../../support/hostileRequests.ts';
import { type Listener, listen } from '../../support/listeners.ts';
import { seededRandom } from '../../support/seededRandom.ts';
import { readStrictly } from '../../support/strictRequest.ts';

const SEED = 20_261_123;
const REQUESTS = 2_000;
/** Many, because each incomplete request waits for a timeout of the proxy. */
const AT_ONCE = 256;
/** The proxy answers or closes by itself long before. */
const PATIENCE_MS = 240_000;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
function keep<T extends { close(): Promise<void> }>(thing: T): T {
  opened.push(thing);
  return thing;
}

/** A server that reads each connection strictly. `seen` gets the bytes of each connection that had any. */
function strictServer(seen: string[]): Promise<Listener> {
  return listen((socket: Socket) => {
    let bytes = '';
    socket.setEncoding('latin1').on('error', () => undefined);
    socket.on('data', (chunk: string) => {
      bytes += chunk;
      if (readStrictly(bytes).isComplete)
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    });
    socket.once('close', () => void (bytes !== '' && seen.push(bytes)));
  });
}

/** Sends the bytes and stays. @returns the answer, when the proxy has closed the connection. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = '';
    const late = () => reject(new Error(`The proxy neither answered nor closed: ${JSON.stringify(bytes)}`));
    const timer = setTimeout(late, PATIENCE_MS);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    // A reset is an end, too.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.write(bytes, 'latin1');
  });
}

test('malformed requests reach no forbidden address, and each server gets exactly one clear request', async () => {
  const seen: string[] = [];
  const allowed = keep(await strictServer(seen));
  const tunnel = keep(
    await listen((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('ok'),
    ),
  );
  const forbidden = keep(await listen());
  const guard = createGuard({
    allow: [`127.0.0.1:${allowed.port}`, `127.0.0.1:${tunnel.port}`],
    // Every name means this machine, as a hostile name server would answer.
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const proxy = keep(await startEgressProxy({ guard, idleMs: 5_000 }));
  const [open, shut] = [allowed.port, forbidden.port];
  const targets = {
    allowed: [`127.0.0.1:${open}`, `public.example:${open}`],
    tunnel: `public.example:${tunnel.port}`,
    forbidden: [
      ...[`127.0.0.1:${shut}`, `127.1:${shut}`, `[::1]:${shut}`, `localhost:${shut}`, `other.example:${shut}`],
      ...[`127.0.0.1:${open}@127.0.0.1:${shut}`, `127.0.0.1:${shut}#@127.0.0.1:${open}`, `2130706433:${shut}`],
    ],
  };
  const random = seededRandom(SEED);
  const requests = Array.from({ length: REQUESTS }, () => hostileRequest(targets, random));
  const answers: string[] = [];
  const port = Number(new URL(proxy.url).port);
  const worker = async () => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) answers.push(await exchange(port, next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await eventually(() => expect([allowed.open, tunnel.open]).toEqual([0, 0]));

  expect(forbidden.connections).toBe(0);
  for (const bytes of seen) {
    const { fault, host } = readStrictly(bytes);
    expect([fault, bytes]).toEqual([undefined, bytes]);
    // A changed name resolves to the same address.
    if (host !== undefined) expect(host).toMatch(new RegExp(`:${open}$`));
  }
  // The requests are not so broken that none arrives, and not so harmless that none is refused.
  expect(answers).toHaveLength(REQUESTS);
  expect(seen.length).toBeGreaterThan(20);
  expect(tunnel.connections).toBeGreaterThan(0);
  const statuses = new Set(answers.map((answer) => answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)));
  for (const status of ['200', '400', '403']) expect(statuses).toContain(status);
});
