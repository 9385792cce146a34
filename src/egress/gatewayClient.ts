/** Connections of a capture through the gateway to locations. The gateway checks the targets. */
import { request as openHttp } from 'node:http';
import { request as openHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { errorMessage } from '../lib/errorMessage.ts';
import { sleep } from '../lib/sleep.ts';
import { FAILURE_HEADER, LocationUnavailableError, TooManyTunnelsError, toError } from './errors.ts';
import { JOB_HEADER, LOCATION_HEADER } from './gateway.ts';
import type { Connector } from './guard.ts';

export interface GatewayClientOptions {
  /** The base URL of the internal API. */
  readonly url: string;
  readonly readToken: () => Promise<string>;
  /** The job that the token is for. */
  readonly jobId: string;
  readonly location: string;
}

/** Longer than the tries of the gateway take. */
const DEADLINE_MS = 25_000;
/** A replica of the API that ends breaks its connections. */
const TRIES = 2;
/** The API looks many tokens up at the moment, or the capture has too many connections. */
const BUSY_TRIES = 5;
const BUSY_MS = 1_000;
const MAX_REASON_BYTES = 4_096;

export function createGatewayClient(options: GatewayClientOptions): Connector {
  return {
    async connect(host, port, { signal } = {}) {
      for (let tries = 1; ; tries += 1) {
        const deadline = AbortSignal.timeout(DEADLINE_MS);
        try {
          return await open(options, `${host}:${port}`, signal ? AbortSignal.any([signal, deadline]) : deadline);
        } catch (error) {
          if (signal?.aborted) throw error;
          if (error instanceof TooManyTunnelsError && tries < BUSY_TRIES) {
            await sleep(BUSY_MS, signal);
            continue;
          }
          if (!(error instanceof GatewayGoneError)) throw error;
          if (tries >= TRIES) throw new LocationUnavailableError(error.message, { cause: error });
        }
      }
    },
  };
}

/** The gateway itself did not answer. */
class GatewayGoneError extends Error {}

async function open(options: GatewayClientOptions, target: string, signal: AbortSignal): Promise<Socket> {
  const { url, readToken, jobId, location } = options;
  const token = await readToken();
  return new Promise((resolve, reject) => {
    const headers = {
      host: target,
      'proxy-authorization': `Bearer ${token}`,
      [JOB_HEADER]: jobId,
      [LOCATION_HEADER]: location,
    };
    const given = { method: 'CONNECT', path: target, headers, agent: false, signal } as const;
    const { protocol, hostname } = new URL(url);
    // Without it, the certificate would have to be for the host of the target.
    const servername = isIP(hostname) === 0 ? hostname : '';
    const request = protocol === 'https:' ? openHttps(url, { ...given, servername }) : openHttp(url, given);
    request.once('error', (cause) =>
      reject(new GatewayGoneError(`The gateway to locations failed: ${errorMessage(cause)}.`, { cause })),
    );
    request.once('connect', (response, socket: Socket, head) => {
      socket.on('error', () => socket.destroy());
      if (head.byteLength > 0) socket.unshift(head);
      if (response.statusCode === 200) return resolve(socket.setNoDelay(true));
      const kind = String(response.headers[FAILURE_HEADER] ?? '');
      readReason(socket).then((reason) => reject(toError(kind, reason)), reject);
    });
    request.end();
  });
}

/** The answer to CONNECT has no body for Node, so the rest of the connection is read. */
async function readReason(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of socket) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MAX_REASON_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_REASON_BYTES).toString('utf8').trim();
}
