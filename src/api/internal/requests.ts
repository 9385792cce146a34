import type { Request } from 'express';
import { z } from 'zod';

/** Answered with 404. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

const Index = z.coerce.number().int().min(0).max(1_000_000);

export function jobOf(req: Request): string {
  return z.uuid().parse(req.params['job']);
}

export function indexOf(req: Request): number {
  return Index.parse(req.params['index']);
}

export function adOf(req: Request): string {
  return z.uuid().parse(req.params['ad']);
}
