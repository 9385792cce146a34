/**
 * A receiver of webhooks on every address of this machine. It answers 204, but never below `/hang`. Run as: node receiver.ts; prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const { url = '' } = request;
  request.resume();
  if (!url.startsWith('/hang')) request.on('end', () => response.writeHead(204).end());
});
server.listen(0, () => console.log((server.address() as AddressInfo).port));
