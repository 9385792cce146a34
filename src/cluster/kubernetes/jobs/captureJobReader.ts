/** Reads Jobs from the cache as the controller needs them, and reports a Job again when time alone may change its diagnosis. */
import type { CaptureJob } from '../../port.ts';
import type { ClusterCache } from '../cache/clusterCache.ts';
import type { JobState } from '../cache/objectStates.ts';
import { type Clock, systemClock } from '../client/clock.ts';
import type { Events } from './events.ts';
import { type Diagnosis, diagnose, type FirstSeenTimes, type JobSnapshot, type WarningKind } from './problems.ts';

export interface CaptureJobReaderOptions {
  readonly events: Pick<Events, 'warnings'>;
  readonly clock?: Clock;
  /** Hash of the present capture profile. */
  readonly profile?: string;
  /** Gets the name of a ScreenshotJob whose Job must be read again. */
  readonly changed: (name: string) => void;
}

type EventsByUid = JobSnapshot['events'];

const NO_EVENTS: EventsByUid = new Map();
/** Timers of Node may fire a little early. */
const TIMER_MARGIN_MS = 5;

export class CaptureJobReader {
  readonly #events: Pick<Events, 'warnings'>;
  readonly #clock: Clock;
  readonly #profile: string | undefined;
  readonly #changed: (name: string) => void;
  /** By the uid of the Job. */
  readonly #firstSeen = new Map<string, FirstSeenTimes>();
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor({ events, clock = systemClock, profile, changed }: CaptureJobReaderOptions) {
    this.#profile = profile;
    this.#events = events;
    this.#clock = clock;
    this.#changed = changed;
  }

  async read(job: JobState, cache: ClusterCache): Promise<CaptureJob> {
    const diagnoseWith = (events: EventsByUid) => {
      const pods = cache.pods.all().filter(({ jobUid }) => jobUid === job.uid);
      return this.#diagnose({ job, pods, events }, cache);
    };
    const first = diagnoseWith(NO_EVENTS);
    const isConclusive = first.eventsNeeded.length === 0 || first.captureJob.problem !== undefined;
    const diagnosis = isConclusive ? first : diagnoseWith(await this.#readEvents(first.eventsNeeded));
    this.#scheduleRecheck(job, diagnosis.recheckMs);
    return diagnosis.captureJob;
  }

  /** Reads all Jobs. A problem that only Events show is missing. */
  readAll(cache: ClusterCache): CaptureJob[] {
    const podsByJob = Map.groupBy(cache.pods.all(), ({ jobUid }) => jobUid);
    return cache.jobs.all().map((job) => {
      const snapshot = { job, pods: podsByJob.get(job.uid) ?? [], events: NO_EVENTS };
      return this.#diagnose(snapshot, cache).captureJob;
    });
  }

  forget(uid: string): void {
    this.#firstSeen.delete(uid);
    clearTimeout(this.#timers.get(uid));
    this.#timers.delete(uid);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #diagnose(seen: Omit<JobSnapshot, 'unreadyNodes'>, { jobs, nodes }: ClusterCache): Diagnosis {
    const { job } = seen;
    const unready = (nodes?.all() ?? []).filter(({ ready }) => !ready).map(({ name }) => name);
    const snapshot = { ...seen, unreadyNodes: new Set(unready) };
    const diagnosis = diagnose(snapshot, this.#firstSeen.get(job.uid) ?? new Map(), this.#clock.now());
    if (jobs.get(job.name)?.uid === job.uid) this.#firstSeen.set(job.uid, diagnosis.firstSeen);
    const outdated = this.#profile !== undefined && job.profile !== this.#profile;
    return outdated ? { ...diagnosis, captureJob: { ...diagnosis.captureJob, outdated } } : diagnosis;
  }

  async #readEvents(subjects: readonly WarningKind[]): Promise<EventsByUid> {
    const read = await Promise.all(subjects.map((subject) => this.#events.warnings(subject)));
    return new Map(read.flatMap((events) => [...events]));
  }

  #scheduleRecheck({ uid, ownerName }: JobState, recheckMs: number | undefined): void {
    clearTimeout(this.#timers.get(uid));
    this.#timers.delete(uid);
    if (recheckMs === undefined) return;
    const timer = setTimeout(() => {
      // Deleted here too, because the Job may have gone while its Events were read.
      this.#timers.delete(uid);
      this.#changed(ownerName);
    }, recheckMs + TIMER_MARGIN_MS);
    timer.unref();
    this.#timers.set(uid, timer);
  }
}
