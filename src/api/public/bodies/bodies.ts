import type { Limits } from '../../../domain/limits.ts';
import { BodyMemory } from '../../limits/bodyMemory.ts';
import { BodyThreads } from './bodyThreads.ts';

/** One sender may send this many bodies of the maximum size at the same time, or more bodies that are smaller. */
const MAX_LARGEST_AT_ONCE = 2;

/** The memory for the bodies of all routes, and the threads that read the large ones. */
export interface Bodies {
  readonly memory: BodyMemory;
  readonly threads: BodyThreads;
  readonly maxBytes: number;
}

export function createBodies(limits: Limits): Bodies {
  const memory = new BodyMemory(limits.bodyBytes * MAX_LARGEST_AT_ONCE);
  return { memory, threads: new BodyThreads(limits), maxBytes: limits.bodyBytes };
}
