import type { Request } from 'express';

/** @returns the IP address of the connection; '' after the connection has closed. */
export function callerAddress(request: Request): string {
  return request.socket.remoteAddress ?? '';
}
