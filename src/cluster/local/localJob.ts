/** An Indexed Job in memory: which indexes wait, run, have succeeded or failed, with retries and back-off for each. */

import { randomUUID } from 'node:crypto';
import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import { doubledMs } from '../../lib/backOff.ts';
import type { CaptureJob, CaptureJobSpec } from '../port.ts';
import type { Pod, PodEnd } from './localPod.ts';

/** What would not end otherwise in another run. */
const FINAL: readonly (number | null)[] = [
  CAPTURE_EXIT.usage,
  CAPTURE_EXIT.superseded,
  CAPTURE_EXIT.refused,
  CAPTURE_EXIT.deadline,
];
const MAX_BACKOFF_MS = 30_000;

interface IndexState {
  status: 'waiting' | 'running' | 'succeeded' | 'failed';
  failures: number;
  /** `performance.now()` before which it is not started again. */
  notBefore: number;
  pod: Pod | undefined;
}

export class LocalJob {
  readonly spec: CaptureJobSpec;
  readonly uid = randomUUID();
  readonly createdAt = new Date();
  readonly #indexes: IndexState[];
  readonly #backoffMs: number;
  #problem: CaptureJob['problem'];
  #lastFailure: CaptureJob['lastFailure'];
  deleting = false;

  constructor(spec: CaptureJobSpec, backoffMs: number) {
    this.spec = spec;
    this.#backoffMs = backoffMs;
    this.#indexes = Array.from({ length: spec.indexes }, () => ({
      status: 'waiting',
      failures: 0,
      notBefore: 0,
      pod: undefined,
    }));
  }

  /** The next index that may be started now, or in how many milliseconds one may be; undefined: none. */
  next(): { index: number } | { inMs: number } | undefined {
    if (this.deleting || this.active >= this.spec.parallelism) return undefined;
    const now = performance.now();
    let inMs = Number.POSITIVE_INFINITY;
    for (const [index, state] of this.#indexes.entries()) {
      if (state.status !== 'waiting') continue;
      if (state.notBefore <= now) return { index };
      inMs = Math.min(inMs, state.notBefore - now);
    }
    return Number.isFinite(inMs) ? { inMs } : undefined;
  }

  started(index: number, pod: Pod): void {
    const state = this.#at(index);
    state.status = 'running';
    state.pod = pod;
  }

  ended(index: number, end: PodEnd): void {
    const state = this.#at(index);
    state.pod = undefined;
    if (end.started) this.#problem = undefined;
    else this.#problem = { reason: 'PodStartFailed', message: end.reason ?? 'The capture could not be started.' };
    this.#lastFailure = failureOf(end);
    if (end.code === CAPTURE_EXIT.done) {
      state.status = 'succeeded';
      return;
    }
    // Asked to end by somebody else than us: a disruption, which costs no retry.
    if (end.code !== CAPTURE_EXIT.terminated) state.failures += 1;
    const isOver = FINAL.includes(end.code) || state.failures > this.spec.retriesPerIndex;
    state.status = isOver ? 'failed' : 'waiting';
    state.notBefore =
      performance.now() + doubledMs(state.failures, { firstMs: this.#backoffMs, maxMs: MAX_BACKOFF_MS });
  }

  get active(): number {
    return this.#with('running').length;
  }

  get pods(): Pod[] {
    return this.#indexes.flatMap(({ pod }) => pod ?? []);
  }

  get isFinished(): boolean {
    return this.#indexes.every(({ status }) => status === 'succeeded' || status === 'failed');
  }

  view(): CaptureJob {
    return {
      name: this.spec.name,
      uid: this.uid,
      ownerUid: this.spec.owner.uid,
      createdAt: this.createdAt,
      active: this.active,
      succeededIndexes: this.#with('succeeded'),
      failedIndexes: this.#with('failed'),
      finished: this.isFinished,
      deleting: this.deleting,
      suspended: false,
      stuck: false,
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
      ...(this.#lastFailure === undefined ? {} : { lastFailure: this.#lastFailure }),
    };
  }

  #with(status: IndexState['status']): number[] {
    return this.#indexes.flatMap((state, index) => (state.status === status ? [index] : []));
  }

  #at(index: number): IndexState {
    const state = this.#indexes[index];
    if (state === undefined) throw new Error(`Job ${this.spec.name} has no index ${index}.`);
    return state;
  }
}

function failureOf({ code, reason }: PodEnd): CaptureJob['lastFailure'] {
  if (code === CAPTURE_EXIT.done || code === CAPTURE_EXIT.superseded || code === CAPTURE_EXIT.terminated)
    return undefined;
  return { reason: 'PodFailed', message: reason ?? `A capture ended with the exit code ${code}.` };
}
