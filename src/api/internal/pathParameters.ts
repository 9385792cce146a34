import type { Request } from 'express';
import { z } from 'zod';

const Index = z.coerce.number().int().min(0).max(1_000_000);

/** @throws ZodError, as the functions below. */
export function readJobId(req: Request): string {
  return z.uuid().parse(req.params['job']);
}

export function readIndex(req: Request): number {
  return Index.parse(req.params['index']);
}

export function readAdId(req: Request): string {
  return z.uuid().parse(req.params['ad']);
}
