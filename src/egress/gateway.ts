/**
 * The gateway to locations. Captures open tunnels at it, and it opens them through the proxy of the location. So only the process of the
 * gateway has the addresses and credentials of the proxies.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errorMessage } from '../lib/errorMessage.ts';
import { KeyedSum } from '../lib/keyedSum.ts';
import type { Log } from '../lib/log.ts';
import {
  ConnectionFailedError,
  EgressRefusedError,
  LocationUnavailableError,
  TooManyTunnelsError,
  toEgressFailure,
} from './errors.ts';
import type { Connector } from './guard.ts';
import { authority, requestFault } from './proxyRequest.ts';
import { Tunnels } from './proxyTunnel.ts';

/** The header of a CONNECT request with the id of the location. */
export const LOCATION_HEADER = 'x-tearsheet-location';
/** The header with the id of the job that the token in `Proxy-Authorization` is for. */
export const JOB_HEADER = 'x-tearsheet-job';

export interface GatewayOptions {
  /** @throws Error if the token is not valid for the job, or the job not for the location. The capture gets the message. */
  readonly authenticate: (token: string, jobId: string, source: string, location: string) => Promise<unknown>;
  /** @returns undefined if there is no such location. */
  readonly connector: (location: string) => Connector | undefined;
  readonly log: Pick<Log, 'info'>;
}

/** Serves the CONNECT requests of a server. */
export interface ConnectListener {
  connect(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Ends all tunnels. */
  close(): void;
}

/** The most of one process. A page opens about 20. */
const MAX_TUNNELS = 4_000;
/** The most of one capture, so that one capture cannot use up a location. */
const MAX_OF_CAPTURE = 512;
const LIMITS = { idleMs: 60_000, maxBytes: 512 * 1024 * 1024 };

export function createGateway({ authenticate, connector, log }: GatewayOptions): ConnectListener {
  const sockets = new Set<Socket>();
  const tunnels = (guard: Connector) =>
    new Tunnels({
      guard,
      maxTunnels: MAX_TUNNELS,
      ...LIMITS,
      failed: (failure) => log.info({ ...failure }, 'a connection through a location failed'),
    });
  /** Open connections by the tokens of captures. */
  const ofCapture = new KeyedSum();
  const known = new Map<string, Tunnels>();
  const nowhere = tunnels({ connect: () => Promise.reject(new Error('unreachable: nothing is connected')) });

  async function open(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const target = authority(request.url ?? '') ?? { host: '', port: 0 };
    const refuse = (error: Error) => nowhere.refuse(socket, toEgressFailure(error, target));
    const fault = target.host === '' ? 'the target is not host:port' : requestFault(request);
    if (fault !== undefined) return refuse(new EgressRefusedError(`The gateway rejected the request: ${fault}.`));
    const header = (name: string) => String(request.headers[name] ?? '');
    const token = /^Bearer (\S+)$/.exec(header('proxy-authorization'))?.[1] ?? '';
    const location = header(LOCATION_HEADER);
    try {
      await authenticate(token, header(JOB_HEADER), socket.remoteAddress ?? '', location);
    } catch (error) {
      if (error instanceof TooManyTunnelsError) return refuse(error);
      return refuse(new ConnectionFailedError(`The gateway rejected the capture: ${errorMessage(error)}`));
    }
    if (socket.destroyed) return;
    if (ofCapture.of(token) >= MAX_OF_CAPTURE)
      return refuse(new TooManyTunnelsError(`A capture has at most ${MAX_OF_CAPTURE} connections.`));
    ofCapture.add(token, 1);
    socket.once('close', () => ofCapture.add(token, -1));
    const through = connector(location);
    if (through === undefined) return refuse(new LocationUnavailableError(`There is no location ${location}.`));
    const made = known.get(location) ?? tunnels(through);
    known.set(location, made);
    await made.open(target, socket, head);
  }

  return {
    connect(request, socket, head) {
      sockets.add(socket);
      // The two pipelines of a tunnel alone add ten.
      socket.setMaxListeners(20);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      void open(request, socket, head);
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
