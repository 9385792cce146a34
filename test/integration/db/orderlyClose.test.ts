/** A server that stops right after a pool was closed ends the pool's last sockets with an error. That error must not be logged. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../src/db/database.ts';
import { startQueue } from '../../../src/db/queue.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

/** The last message of a client: type X, length 4. */
const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);

let database: TestDatabase;
let proxy: Server;
let url: string;
/** Connections that sent the message and are closed by now. */
let ended = 0;

beforeEach(async () => {
  database = await testDatabase();
  ended = 0;
  const { hostname, port } = new URL(database.url);
  proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    server.pipe(client);
    client.on('data', (chunk) => {
      if (!chunk.subarray(-TERMINATE.length).equals(TERMINATE)) return void server.write(chunk);
      client.once('close', () => {
        ended += 1;
      });
      client.end(adminShutdown());
      server.destroy();
    });
    for (const socket of [client, server]) socket.on('error', () => socket.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const proxied = new URL(database.url);
  proxied.port = String((proxy.address() as AddressInfo).port);
  url = proxied.href;
});

afterEach(async () => {
  proxy.close();
  await database.close();
});

/** The message that PostgreSQL sends to each connection when it shuts down. */
function adminShutdown(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', ''];
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

test('A closed store reports no error when its server stops', async () => {
  const errors: string[] = [];
  const store = openStore({ url, keyRing: TEST_KEY_RING, onError: ({ message }) => errors.push(message) });
  await store.pool.query('select 1');
  await store.close();
  await eventually(() => expect(ended).toBeGreaterThan(0));
  expect(errors).toEqual([]);
});

test('A stopped queue reports no error when its server stops', async () => {
  const errors: string[] = [];
  const queue = await startQueue({
    databaseUrl: url,
    onError: ({ message }) => errors.push(message),
    // Without the listening connection, whose errors pg-boss does not handle while it closes it.
    supervise: false,
  });
  await queue.stop({ timeoutMs: 1_000 });
  await eventually(() => expect(ended).toBeGreaterThan(0));
  expect(errors).toEqual([]);
});
