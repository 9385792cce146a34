/** Sends a case of the corpus through a proxy, and watches the sockets of the servers behind it. */
import { connect, createServer, type Socket } from 'node:net';
import { type Listener, listen, startListener } from '../listeners.ts';
import { type ReadRequest, readStrictly } from '../strictRequest.ts';
import type { CorpusCase, CorpusTargets } from './types.ts';

export interface Observation {
  /**
   * `clear`: each server got one request that all parsers read in the same way. `unclear`: parsers may read it in
   * different ways. `cut`: the request never ends, so no server answers it. `refused`: no byte reached a server.
   * `forbidden`: the proxy connected to a forbidden address.
   */
  readonly verdict: 'clear' | 'unclear' | 'cut' | 'refused' | 'forbidden';
  /** The statuses that the client got. */
  readonly statuses: readonly number[];
  /** The bytes of each connection to the server, as latin1. */
  readonly seen: readonly string[];
  readonly faults: readonly string[];
}

export interface PlayOptions {
  /** Ends a connection that is quiet for this time. Without it, only the proxy ends it. */
  readonly quietMs?: number;
}

/**
 * One line without details that depend on the moment: whether a server got a whole request, and the statuses of success.
 * When the proxy rejects a request in its body, the server may have got its head.
 */
export function outcomeOf({ verdict, statuses }: Observation): string {
  const served = verdict === 'cut' || verdict === 'refused' ? 'rejected' : verdict;
  return [served, ...statuses.filter((status) => status < 400)].join(' ');
}

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';

export async function play(one: CorpusCase, proxyPort: number, options: PlayOptions = {}): Promise<Observation> {
  const seen: string[] = [];
  const open = await listen((socket) => record(socket, seen));
  const shut = await startListener(
    createServer((socket) => socket.resume()),
    '127.0.0.2',
  );
  try {
    const answer = await exchange(
      one,
      { open: `127.0.0.1:${open.port}`, port: open.port, shut: `127.0.0.2:${shut.port}` },
      proxyPort,
      options,
    );
    await closed(open);
    const statuses = [...answer.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => Number(status));
    return { ...judge(seen, open.port, shut.connections), statuses, seen };
  } finally {
    await Promise.all([open.close(), shut.close()]);
  }
}

function judge(seen: readonly string[], port: number, forbidden: number): Pick<Observation, 'verdict' | 'faults'> {
  const requests = seen.map(readStrictly);
  const faults = [...requests.flatMap((request) => faultOf(request, port)), ...seen.flatMap(upgradeFault)];
  if (forbidden > 0) return { verdict: 'forbidden', faults };
  if (faults.length > 0) return { verdict: 'unclear', faults };
  if (seen.length === 0) return { verdict: 'refused', faults };
  return { verdict: requests.every(({ isComplete }) => isComplete) ? 'clear' : 'cut', faults };
}

function faultOf({ fault, host }: ReadRequest, port: number): string[] {
  if (fault !== undefined) return [fault];
  return host === undefined || host === 'inside' || host.endsWith(`:${port}`) ? [] : [`the Host ${host}`];
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

function exchange(one: CorpusCase, targets: CorpusTargets, port: number, { quietMs }: PlayOptions): Promise<string> {
  const bytes = one.bytes(targets);
  const [first = '', ...rest] = typeof bytes === 'string' ? [bytes] : bytes;
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    let answer = '';
    const send = (text: string) => {
      if (one.halfClose === true && rest.length === 0) socket.end(text, 'latin1');
      else socket.write(text, 'latin1');
    };
    if (quietMs !== undefined) socket.setTimeout(quietMs, () => socket.destroy());
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
      const next = answer.includes('\r\n\r\n') ? rest.shift() : undefined;
      if (next !== undefined) send(next);
    });
    // A reset is an end, too.
    socket.on('error', () => undefined);
    socket.once('end', () => socket.end());
    socket.once('close', () => resolve(answer));
    send(first);
  });
}

/** The proxy closes its connections to the server a moment after those of the client. */
async function closed(listener: Listener): Promise<void> {
  for (let turn = 0; listener.open > 0 && turn < 600; turn += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
}
