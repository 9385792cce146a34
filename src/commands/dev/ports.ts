/** Free ports of 127.0.0.1 for servers that `tearsheet dev` and tests start. */
import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Below the ports that Linux and macOS give to outgoing connections and to servers that ask for any port. */
const PORTS = { first: 15_000, last: 29_999 };
const MAX_TRIES = 100;

/** @returns a port that is free at this moment, for a program that takes it soon. Another one may take it first. */
export async function freePort(): Promise<number> {
  const held = await holdFreePort();
  const { port } = held.address() as AddressInfo;
  await new Promise((resolve) => held.close(resolve));
  return port;
}

/** Takes a free port at once, for a server of this process that starts later: its `listen` accepts the result. */
export async function holdFreePort(): Promise<Server> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const held = await hold(randomInt(PORTS.first, PORTS.last + 1));
    if (held !== undefined) return held;
  }
  throw new Error(`${MAX_TRIES} ports between ${PORTS.first} and ${PORTS.last} were tried, and none of them is free.`);
}

function hold(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    // Closes the connections that come before the server does.
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
