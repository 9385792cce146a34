/** The id of a request and its sender: address, network, and actor of the audit log. */

import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import ipaddr from 'ipaddr.js';
import type { Actor } from '../../domain/auditLog.ts';

const ids = new WeakMap<Response, string>();

/**
 * @returns the IP address of the client; '' after the connection has closed. `X-Forwarded-For` counts only as far as the application
 *   trusts the proxies that wrote it (Express's setting "trust proxy").
 */
export function callerAddress(request: Pick<Request, 'ip' | 'socket'>): string {
  const connected = withoutMapping(request.socket.remoteAddress ?? '');
  const forwarded = withoutMapping(withoutPort(request.ip ?? ''));
  // A trusted proxy may pass on what the client wrote, which can be any text.
  return isIP(forwarded) === 0 ? connected : forwarded;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const { v4, v6 } = /^(?:(?<v4>[\d.]+)|\[(?<v6>[^\]]+)\])(?::\d{1,5})?$/.exec(text)?.groups ?? {};
  return v4 ?? v6 ?? text;
}

/** IPv4 inside IPv6 counts as IPv4. */
const withoutMapping = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** One subscriber of IPv6 usually has all addresses that share so many bytes (/64). */
const IPV6_NETWORK_BYTES = 8;

/** @returns an IPv4 address or an IPv6 network. Limits by address count it as one client. */
export function callerNetwork(request: Pick<Request, 'ip' | 'socket'>): string {
  const address = callerAddress(request);
  if (isIP(address) !== 6) return address;
  const bytes = ipaddr.IPv6.parse(address).toByteArray().slice(0, IPV6_NETWORK_BYTES);
  return `${ipaddr.fromByteArray([...bytes, ...Array(IPV6_NETWORK_BYTES).fill(0)])}/64`;
}

/** @returns the sender of the request, for the audit log. */
export function actorOf(
  { request, response }: { readonly request: Request; readonly response: Response },
  { type, keyId, userId }: Pick<Actor, 'type'> & Partial<Pick<Actor, 'keyId' | 'userId'>>,
): Actor {
  const address = callerAddress(request);
  const requestId = requestIdOf(response) || null;
  return { type, keyId: keyId ?? null, userId: userId ?? null, address: address === '' ? null : address, requestId };
}

/** Uses the client's `X-Request-Id` if it is well-formed, otherwise a new id, and returns it in the response. */
export const requestId: RequestHandler = (request, response, next) => {
  const sent = request.get('x-request-id') ?? '';
  const id = /^[A-Za-z0-9._:-]{1,128}$/.test(sent) ? sent : randomUUID();
  ids.set(response, id);
  response.set('X-Request-Id', id);
  next();
};

export function requestIdOf(response: Response): string {
  return ids.get(response) ?? '';
}
