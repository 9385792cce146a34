/** SOCKS5 (RFC 1928, RFC 1929) with proxies that reject connections or violate the protocol. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { ConnectionFailedError, LocationUnavailableError } from '../../../src/egress/errors.ts';
import {
  CredentialsRejectedError,
  type DialTarget,
  dialThrough,
  type UpstreamProxy,
} from '../../../src/egress/upstreamDial.ts';
import { type Listener, listen } from '../../support/listeners.ts';
import { PROXY_CREDENTIALS } from '../../support/upstreamProxies.ts';

const TARGET = { host: 'news.example', port: 443 };
const NO_PASSWORD = [5, 0];
const PASSWORD = [5, 2];
const ACCEPTED = [1, 0];
const CONNECTED = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];

let proxy: Listener | undefined;
afterEach(() => proxy?.close());

type Answer = readonly number[] | string | ((socket: Socket) => unknown);

/** A proxy that sends one answer to each message, and records the messages. */
async function startProxy(answers: readonly Answer[]): Promise<Buffer[]> {
  const messages: Buffer[] = [];
  proxy = await listen((socket) =>
    socket.on('data', (message) => {
      const answer = answers[messages.push(message) - 1] ?? [];
      if (typeof answer === 'function') answer(socket);
      else socket.write(typeof answer === 'string' ? answer : Buffer.from(answer));
    }),
  );
  return messages;
}

function dial(target: DialTarget = TARGET, given: Partial<UpstreamProxy> = {}, deadlineMs = 20_000): Promise<Socket> {
  const url = `socks5://127.0.0.1:${proxy?.port}`;
  return dialThrough({ url, credentials: PROXY_CREDENTIALS, ...given }, target, {
    signal: AbortSignal.timeout(deadlineMs),
  });
}

const failureOf = (dialing: Promise<Socket>) =>
  dialing.then(
    () => expect.unreachable(),
    (error: unknown) => error as Error,
  );

test.each([
  ['a name', 'news.example', [3, 12, ...Buffer.from('news.example')]],
  ['the longest name', `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`, undefined],
  ['an IPv4 address', '203.0.113.7', [1, 203, 0, 113, 7]],
  ['an IPv6 address', '2001:db8::7:0', [4, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0]],
  ['a mapped address', '::ffff:203.0.113.7', [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 203, 0, 113, 7]],
])('the proxy receives %s unchanged', async (_what, host, bytes) => {
  const messages = await startProxy([PASSWORD, ACCEPTED, CONNECTED]);
  (await dial({ host, port: 8443 })).destroy();
  const { username, password } = PROXY_CREDENTIALS;
  const [user, pass] = [Buffer.from(username), Buffer.from(password)];
  expect(messages.map((message) => [...message])).toEqual([
    [5, 2, 0, 2],
    [1, user.byteLength, ...user, pass.byteLength, ...pass],
    [5, 1, 0, ...(bytes ?? [3, Buffer.byteLength(host), ...Buffer.from(host)]), 8443 >> 8, 8443 & 255],
  ]);
});

test.each([
  ['without credentials', undefined, [5, 1, 0]],
  ['with credentials', PROXY_CREDENTIALS, [5, 2, 0, 2]],
])('a proxy without a password connects a client %s', async (_what, credentials, greeting) => {
  const messages = await startProxy([NO_PASSWORD, CONNECTED]);
  (await dial(TARGET, { credentials })).destroy();
  expect([...(messages[0] ?? [])]).toEqual(greeting);
  expect(messages).toHaveLength(2);
});

test('credentials of 255 bytes are sent whole', async () => {
  const messages = await startProxy([PASSWORD, ACCEPTED, CONNECTED]);
  const longest = `${'ö'.repeat(127)}o`;
  (await dial(TARGET, { credentials: { username: longest, password: longest } })).destroy();
  expect([...(messages[1] ?? [])]).toEqual([1, 255, ...Buffer.from(longest), 255, ...Buffer.from(longest)]);
});

test.each([
  ['an IPv4 address', CONNECTED],
  ['an IPv6 address', [5, 0, 0, 4, ...Array.from({ length: 18 }, () => 7)]],
  ['a name', [5, 0, 0, 3, 4, ...Buffer.from('exit'), 1, 187]],
  ['an empty name', [5, 0, 0, 3, 0, 1, 187]],
])('data that a host sends at once follows an answer with %s', async (_what, answer) => {
  await startProxy([
    NO_PASSWORD,
    [...answer, ...Buffer.from('220 ready\r\n')],
    (socket) => socket.end('250 hello\r\n'),
  ]);
  const socket = await dial();
  // A caller may read later.
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.write('EHLO\r\n');
  expect(await text(socket)).toBe('220 ready\r\n250 hello\r\n');
});

test('an answer that arrives byte by byte connects', async () => {
  const slowly = (bytes: readonly number[]) => async (socket: Socket) => {
    for (const byte of bytes) {
      socket.setNoDelay(true).write(Buffer.from([byte]));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const later = (socket: Socket) => socket.end('the site');
  await startProxy([slowly(PASSWORD), slowly(ACCEPTED), slowly([5, 0, 0, 3, 2, 97, 98, 1, 187]), later]);
  const socket = await dial();
  socket.write('GET');
  expect(await text(socket)).toBe('the site');
});

test.each([
  [2, 'refused the connection'],
  [3, 'could not reach the network'],
  [4, 'could not reach the host'],
  [5, 'was refused by the host'],
  [6, 'could not reach the host in time'],
])('reply %i is no failure of the proxy: it %s', async (reply, reason) => {
  await startProxy([NO_PASSWORD, [5, reply, 0, 1, 0, 0, 0, 0, 0, 0]]);
  const failure = await failureOf(dial());
  expect(failure).toBeInstanceOf(ConnectionFailedError);
  expect(failure.message).toBe(`The proxy of the location ${reason}.`);
});

const NOT_SOCKS = 'its proxy does not speak SOCKS5';
const OTHER = 'its proxy asks for other credentials';
const CLOSED = 'its proxy failed: it closed the connection';
const end = (bytes: readonly number[]) => (socket: Socket) => socket.end(Buffer.from(bytes));
const reset = (socket: Socket) => socket.resetAndDestroy();

test.each([
  ['speaks SOCKS4', [[0, 90, 0, 0, 0, 0, 0, 0]], NOT_SOCKS],
  ['speaks HTTP', ['HTTP/1.1 400 Bad Request\r\n\r\n'], NOT_SOCKS],
  ['changes its version', [NO_PASSWORD, [4, 0, 0, 1, 0, 0, 0, 0, 0, 0]], NOT_SOCKS],
  ['answers with an unknown address type', [NO_PASSWORD, [5, 0, 0, 9, 0, 0, 0, 0, 0, 0]], NOT_SOCKS],
  ['fails', [NO_PASSWORD, [5, 1, 0, 1, 0, 0, 0, 0, 0, 0]], 'its proxy answered with the failure 1'],
  [
    'does not support connections',
    [NO_PASSWORD, [5, 7, 0, 1, 0, 0, 0, 0, 0, 0]],
    'its proxy answered with the failure 7',
  ],
  [
    'does not support the address',
    [NO_PASSWORD, [5, 8, 0, 1, 0, 0, 0, 0, 0, 0]],
    'its proxy answered with the failure 8',
  ],
  ['closes at once', [end([])], CLOSED],
  ['closes within the greeting', [end([5])], CLOSED],
  ['closes after the greeting', [end(NO_PASSWORD)], CLOSED],
  ['closes instead of a check of the password', [PASSWORD, end([])], CLOSED],
  ['closes within the check of the password', [PASSWORD, end([1])], CLOSED],
  ['closes after the password', [PASSWORD, end(ACCEPTED)], CLOSED],
  ['closes within its answer', [NO_PASSWORD, end([5, 0, 0, 1, 0, 0])], CLOSED],
  ['closes within the name of its answer', [NO_PASSWORD, end([5, 0, 0, 3, 200, 97, 98])], CLOSED],
  ['resets at once', [reset], 'its proxy failed: ECONNRESET'],
  ['resets after the greeting', [PASSWORD, reset], 'its proxy failed: ECONNRESET'],
])('a proxy that %s is not available', async (_what, answers, message) => {
  await startProxy(answers as Answer[]);
  const failure = await failureOf(dial());
  expect([failure.constructor, failure.message]).toEqual([LocationUnavailableError, message]);
  await expect.poll(() => proxy?.open).toBe(0);
});

test.each([
  ['rejects the credentials', [PASSWORD, [1, 1]], PROXY_CREDENTIALS, 'its proxy rejected the credentials'],
  ['accepts no authentication method', [[5, 255]], PROXY_CREDENTIALS, OTHER],
  ['requires Kerberos', [[5, 1]], PROXY_CREDENTIALS, OTHER],
  ['requires a password when none is configured', [[5, 255]], undefined, OTHER],
])('a proxy that %s is not tried again', async (_what, answers, credentials, message) => {
  await startProxy(answers as Answer[]);
  const failure = await failureOf(dial(TARGET, { credentials }));
  expect([failure.constructor, failure.message]).toEqual([CredentialsRejectedError, message]);
  await expect.poll(() => proxy?.open).toBe(0);
});

const drip = (head: readonly number[], bytes: readonly number[]) => (socket: Socket) => {
  socket.write(Buffer.from(head));
  const timer = setInterval(() => socket.write(Buffer.from(bytes)), 20);
  socket.on('close', () => clearInterval(timer));
};

test.each([
  ['hangs at once', []],
  ['hangs after a part of the greeting', [[5]]],
  ['hangs after the greeting', [PASSWORD]],
  ['hangs after the password', [PASSWORD, ACCEPTED]],
  ['hangs within its answer', [NO_PASSWORD, [5, 0, 0, 3, 255]]],
  ['drips a name', [NO_PASSWORD, drip([5, 0, 0, 3, 255], [97])]],
])('the connection to a proxy that %s is closed at the deadline', async (_what, answers) => {
  await startProxy(answers as Answer[]);
  expect(await failureOf(dial(TARGET, {}, 200))).toHaveProperty('name', 'TimeoutError');
  await expect.poll(() => proxy?.open).toBe(0);
});

/** Writes as fast as the client reads. */
const flood = (head: readonly number[]) => (socket: Socket) => {
  const more = () => {
    while (socket.write(Buffer.alloc(65_536, 97)));
  };
  socket.write(Buffer.from(head));
  socket.on('drain', more);
  more();
};

test.each([
  ['the greeting', [flood([])]],
  ['the choice of a method', [flood(PASSWORD)]],
  ['the check of the password', [PASSWORD, flood([1, 1])]],
  ['a failure', [NO_PASSWORD, flood([5, 1, 0, 1])]],
])('the connection to a proxy that writes without end after %s is closed', async (_what, answers) => {
  await startProxy(answers as Answer[]);
  expect(await failureOf(dial())).not.toHaveProperty('name', 'TimeoutError');
  await expect.poll(() => proxy?.open).toBe(0);
});

test('data that a host writes without end waits in the network until it is read', async () => {
  await startProxy([NO_PASSWORD, flood(CONNECTED)]);
  const socket = await dial();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(socket.readableLength).toBeLessThan(1_000_000);
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(first[0]).toBe(97);
  socket.destroy();
});

test.each([
  ['rejects the credentials', [PASSWORD, [1, 1]]],
  ['fails', [PASSWORD, ACCEPTED, [5, 1, 0, 1, 0, 0, 0, 0, 0, 0]]],
  ['cannot reach the host', [PASSWORD, ACCEPTED, [5, 4, 0, 1, 0, 0, 0, 0, 0, 0]]],
  ['closes', [PASSWORD, end([])]],
  ['resets', [PASSWORD, reset]],
  ['hangs', [PASSWORD]],
])('no part of the error shows the credentials or the proxy if the proxy %s', async (_what, answers) => {
  await startProxy(answers as Answer[]);
  const failure = await failureOf(dial(TARGET, {}, 300));
  const shown = inspect(failure, { depth: 10, showHidden: true });
  const { username, password } = PROXY_CREDENTIALS;
  for (const secret of [username, password, `127.0.0.1:${proxy?.port}`]) expect(shown).not.toContain(secret);
});
