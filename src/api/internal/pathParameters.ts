import type { Request, Response } from 'express';
import { z } from 'zod';
import type { CaptureCaller } from '../auth/captureAuth.ts';

/** Answered with 404. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

const Index = z.coerce.number().int().min(0).max(1_000_000);

/** From which the call came. */
export function addressOf(req: Request): string {
  return req.socket.remoteAddress ?? '';
}

export function jobOf(req: Request): string {
  return z.uuid().parse(req.params['job']);
}

/** Once the token was looked at. */
export function rememberCaller(res: Response, caller: CaptureCaller): void {
  res.locals['caller'] = caller;
}

export function callerOf(res: Response): CaptureCaller {
  const caller: CaptureCaller | undefined = res.locals['caller'];
  if (caller === undefined) throw new Error('A call was let in without a caller.');
  return caller;
}

export function indexOf(req: Request): number {
  return Index.parse(req.params['index']);
}

export function adOf(req: Request): string {
  return z.uuid().parse(req.params['ad']);
}
