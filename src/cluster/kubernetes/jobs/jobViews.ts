/** Jobs as the controller sees them, looked at again when time alone may have changed something. */
import type { CaptureJob } from '../../port.ts';
import type { Caches } from '../cache/caches.ts';
import type { JobState } from '../cache/jobState.ts';
import { type Clock, systemClock } from '../client/clock.ts';
import { type Assessment, assess, type EventsOf, type Memory } from './assessment.ts';
import type { Events } from './events.ts';
import type { EventState } from './problems.ts';

export interface JobViewsOptions {
  readonly events: Pick<Events, 'warnings'>;
  readonly clock?: Clock;
  /** The name of a ScreenshotJob whose Job is to be looked at again. */
  readonly changed: (name: string) => void;
}

const NO_EVENTS: ReadonlyMap<string, readonly EventState[]> = new Map();

export class JobViews {
  readonly #events: Pick<Events, 'warnings'>;
  readonly #clock: Clock;
  readonly #changed: (name: string) => void;
  /** By the uids of Jobs. */
  readonly #memories = new Map<string, Memory>();
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor({ events, clock = systemClock, changed }: JobViewsOptions) {
    this.#events = events;
    this.#clock = clock;
    this.#changed = changed;
  }

  async view(job: JobState, caches: Caches): Promise<CaptureJob> {
    const first = this.#assess(job, caches, NO_EVENTS);
    if (first.wantsEvents.length === 0 || first.view.problem !== undefined) return this.#done(job, first);
    const events = await this.#read(first.wantsEvents);
    return this.#done(job, this.#assess(job, caches, events));
  }

  /** Without what Events would tell. */
  glance(job: JobState, caches: Caches): CaptureJob {
    return this.#assess(job, caches, NO_EVENTS).view;
  }

  forget(uid: string): void {
    this.#memories.delete(uid);
    clearTimeout(this.#timers.get(uid));
    this.#timers.delete(uid);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #assess(
    job: JobState,
    { jobs, pods, nodes }: Caches,
    events: ReadonlyMap<string, readonly EventState[]>,
  ): Assessment {
    const lost = (nodes?.all() ?? []).filter(({ ready }) => !ready).map(({ name }) => name);
    const sight = { job, pods: pods.group(job.uid), events, unreadyNodes: new Set(lost) };
    const assessment = assess(sight, this.#memories.get(job.uid) ?? new Map(), this.#clock.now());
    if (jobs.get(job.name)?.uid === job.uid) this.#memories.set(job.uid, assessment.memory);
    return assessment;
  }

  async #read(kinds: readonly EventsOf[]): Promise<ReadonlyMap<string, readonly EventState[]>> {
    const read = await Promise.all(kinds.map((kind) => this.#events.warnings(kind)));
    return new Map(read.flatMap((events) => [...events]));
  }

  #done(job: JobState, { view, lookAgainMs }: Assessment): CaptureJob {
    clearTimeout(this.#timers.get(job.uid));
    this.#timers.delete(job.uid);
    if (lookAgainMs === undefined) return view;
    const timer = setTimeout(() => {
      // Also where the Job went while its Events were read.
      this.#timers.delete(job.uid);
      this.#changed(job.ownerName);
    }, lookAgainMs + 5);
    timer.unref();
    this.#timers.set(job.uid, timer);
    return view;
  }
}
