/** An Indexed Job in memory. It keeps for each index whether it waits, runs, has succeeded or has failed, with retries and back-off. */
import { randomUUID } from 'node:crypto';
import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import type { ScreenshotJob, ScreenshotJobSpec } from '../../contract/screenshotJob.ts';
import { doubledMs } from '../../lib/repeat.ts';
import { type CaptureJob, type CaptureJobSpec, ConflictError, FINAL_EXITS, type Problem } from '../port.ts';
import type { Pod, PodEnd } from './localPod.ts';

const MAX_BACKOFF_MS = 30_000;

interface IndexState {
  status: 'waiting' | 'running' | 'succeeded' | 'failed';
  failures: number;
  /** The index is not started before this time of `performance.now()`. */
  notBefore: number;
  pod: Pod | undefined;
}

export class LocalJob {
  readonly spec: CaptureJobSpec;
  readonly uid = randomUUID();
  readonly createdAt = new Date();
  readonly #indexes: IndexState[];
  readonly #backoffMs: number;
  #problem: Problem | undefined;
  #lastFailure: Problem | undefined;
  /** Captures that may run at the same time. */
  parallelism: number;
  deleting = false;

  constructor(spec: CaptureJobSpec, backoffMs: number) {
    this.spec = spec;
    this.parallelism = spec.parallelism;
    this.#backoffMs = backoffMs;
    this.#indexes = Array.from({ length: spec.indexes }, () => ({
      status: 'waiting',
      failures: 0,
      notBefore: 0,
      pod: undefined,
    }));
  }

  /** @returns an index to start now, or the milliseconds until one may start; undefined if no index waits. */
  next(): { index: number } | { inMs: number } | undefined {
    if (this.deleting || this.active >= this.parallelism) return undefined;
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
    // A capture that was terminated from outside was disrupted. That costs no retry.
    if (end.code !== CAPTURE_EXIT.terminated) state.failures += 1;
    const isFinal = (end.code !== null && FINAL_EXITS.includes(end.code)) || state.failures > this.spec.retriesPerIndex;
    state.status = isFinal ? 'failed' : 'waiting';
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
      parallelism: this.parallelism,
      active: this.active,
      succeededIndexes: this.#with('succeeded'),
      failedIndexes: this.#with('failed'),
      finished: this.isFinished,
      deleting: this.deleting,
      suspended: false,
      stuck: false,
      ...(this.#problem && { problem: this.#problem }),
      ...(this.#lastFailure && { lastFailure: this.#lastFailure }),
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

function failureOf({ code, reason }: PodEnd): Problem | undefined {
  if (code === CAPTURE_EXIT.done || code === CAPTURE_EXIT.superseded || code === CAPTURE_EXIT.terminated)
    return undefined;
  return { reason: 'PodFailed', message: reason ?? `A capture ended with the exit code ${code}.` };
}

type Named = Pick<ScreenshotJob, 'name' | 'uid'>;

/** ScreenshotJobs in memory, with uids and versions as in an API server. */
export class LocalResources {
  readonly #resources = new Map<string, ScreenshotJob>();

  get(name: string): ScreenshotJob | undefined {
    return this.#resources.get(name);
  }

  all(): ScreenshotJob[] {
    return [...this.#resources.values()];
  }

  /** @returns the resource with this name and uid. */
  current({ name, uid }: Named): ScreenshotJob | undefined {
    const resource = this.#resources.get(name);
    return resource?.uid === uid ? resource : undefined;
  }

  add(name: string, spec: ScreenshotJobSpec): void {
    this.#resources.set(name, {
      name,
      uid: randomUUID(),
      version: '1',
      generation: 1,
      createdAt: new Date(),
      deleting: false,
      held: true,
      removedByUs: false,
      spec,
      status: undefined,
    });
  }

  /** @throws ConflictError if `seen` is not the current version. */
  change(seen: ScreenshotJob, edit: Partial<ScreenshotJob>): void {
    const resource = this.current(seen);
    if (resource?.version !== seen.version)
      throw new ConflictError(`The ScreenshotJob ${seen.name} has changed since it was read.`);
    this.#resources.set(seen.name, { ...resource, ...edit, version: String(Number(resource.version) + 1) });
  }

  remove({ name }: Named): void {
    this.#resources.delete(name);
  }
}
