import { isIP } from 'node:net';
import type { Request } from 'express';

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
