/** Events: those we write about ScreenshotJobs, and those that tell why a Job has no pods or a pod does not start. */
import { createHash, randomBytes } from 'node:crypto';
import type { CoreV1Event } from '@kubernetes/client-node';
import type { ScreenshotJob } from '../../../contract/screenshotJob.ts';
import type { Log } from '../../../lib/log.ts';
import { setBounded } from '../../../lib/lru.ts';
import type { RecordedEvent } from '../../port.ts';
import { isNamespaceEnding, isNotFound } from '../client/apiError.ts';
import type { ApiServer } from '../client/apiServer.ts';
import { type Clock, systemClock } from '../client/clock.ts';
import { CONTROLLER, GROUP, VERSION } from '../client/names.ts';
import type { Wire } from '../client/wire.ts';
import type { EventsOf } from './assessment.ts';
import type { EventState } from './problems.ts';

export interface EventsOptions {
  readonly api: ApiServer;
  readonly path: string;
  readonly namespace: string;
  readonly log: Log;
  readonly clock?: Clock;
}

export interface Events {
  /** Never fails: a transition is not held up for the sake of telling it. */
  record(about: ScreenshotJob, event: RecordedEvent): Promise<void>;
  /** The warnings about objects of this kind, by uid; as they were a few seconds ago at most. */
  warnings(of: EventsOf): Promise<ReadonlyMap<string, readonly EventState[]>>;
  isNamespaceEnding(): Promise<boolean>;
}

const CALL = { deadlineMs: 5_000 };
/** The server has no index of Events: it goes through all of the namespace. */
const READ_AGAIN_MS = 4_000;
const MAX_READ = 2_000;
/** Of which we know how often they were told. */
const MAX_KNOWN = 1_000;

const FIELDS: Record<EventsOf, string> = {
  Job: 'involvedObject.kind=Job,type=Warning,reason=FailedCreate',
  // Without the many that a pod's own state tells as well.
  Pod: 'involvedObject.kind=Pod,type=Warning,reason!=FailedScheduling,reason!=BackOff,reason!=Failed,reason!=Unhealthy',
};

export function createEvents(options: EventsOptions): Events {
  return new ClusterEvents(options);
}

type Warnings = ReadonlyMap<string, readonly EventState[]>;

class ClusterEvents implements Events {
  readonly #options: EventsOptions;
  readonly #clock: Clock;
  /** Those we made, with their names and counts, the latest last. */
  readonly #known = new Map<string, { name: string; count: number }>();
  readonly #read = new Map<EventsOf, { at: number; events: Promise<Warnings> }>();
  #ending: { at: number; answer: Promise<boolean> } | undefined;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async record(about: ScreenshotJob, event: RecordedEvent): Promise<void> {
    const { api, path, log } = this.#options;
    const said = JSON.stringify([about.uid, event.type, event.reason, event.message]);
    const key = createHash('sha256').update(said).digest('base64');
    try {
      if (await this.#repeat(key)) return;
      const body = this.#manifest(about, event);
      await api.call({ verb: 'create', path, body }, CALL);
      this.#remember(key, { name: body.metadata.name, count: 1 });
    } catch (error) {
      log.warn({ resource: about.name, reason: event.reason, err: error }, 'an Event could not be written');
    }
  }

  warnings(of: EventsOf): Promise<Warnings> {
    const before = this.#read.get(of);
    if (before !== undefined && this.#isFresh(before)) return before.events;
    const events = this.#load(of).catch((error: unknown) => {
      this.#options.log.warn({ of, err: error }, 'Events could not be read');
      return new Map<string, EventState[]>();
    });
    this.#read.set(of, { at: this.#clock.now(), events });
    return events;
  }

  isNamespaceEnding(): Promise<boolean> {
    if (this.#ending !== undefined && this.#isFresh(this.#ending)) return this.#ending.answer;
    const answer = this.#askWhetherEnding();
    this.#ending = { at: this.#clock.now(), answer };
    return answer;
  }

  #isFresh({ at }: { readonly at: number }): boolean {
    return this.#clock.now() - at < READ_AGAIN_MS;
  }

  /** There is no right to read the namespace, but it says so to whoever wants to put something into it. */
  async #askWhetherEnding(): Promise<boolean> {
    const { api, path } = this.#options;
    const body = this.#manifest({ name: CONTROLLER, uid: '' }, { type: 'Normal', reason: 'Probe', message: '' });
    try {
      await api.call({ verb: 'create', path, query: { dryRun: 'All' }, body }, CALL);
      return false;
    } catch (error) {
      if (isNamespaceEnding(error)) return true;
      this.#ending = undefined;
      throw error;
    }
  }

  /** @returns false: it was not told yet, or the cluster has forgotten it. */
  async #repeat(key: string): Promise<boolean> {
    const { api, path } = this.#options;
    const before = this.#known.get(key);
    if (before === undefined) return false;
    const count = before.count + 1;
    try {
      const body = { count, lastTimestamp: timestamp() };
      await api.call({ verb: 'patch', path: `${path}/${before.name}`, body }, CALL);
    } catch (error) {
      // The cluster forgets Events after an hour.
      if (!isNotFound(error)) throw error;
      this.#known.delete(key);
      return false;
    }
    this.#remember(key, { name: before.name, count });
    return true;
  }

  #remember(key: string, entry: { name: string; count: number }): void {
    setBounded(this.#known, [key, entry], MAX_KNOWN);
  }

  #manifest({ name, uid }: Pick<ScreenshotJob, 'name' | 'uid'>, { type, reason, message }: RecordedEvent) {
    const { namespace } = this.#options;
    const time = timestamp();
    return {
      apiVersion: 'v1',
      kind: 'Event',
      // As client-go names them: of the object, and no other one's.
      metadata: { name: `${name}.${randomBytes(8).toString('hex')}`, namespace },
      involvedObject: { apiVersion: `${GROUP}/${VERSION}`, kind: 'ScreenshotJob', name, uid, namespace },
      ...{ type, reason, message: message.slice(0, 1_024) },
      ...{ count: 1, firstTimestamp: time, lastTimestamp: time },
      source: { component: CONTROLLER },
      reportingComponent: CONTROLLER,
    };
  }

  async #load(of: EventsOf): Promise<Warnings> {
    const { api, path } = this.#options;
    const query = { fieldSelector: FIELDS[of], limit: MAX_READ };
    const list = (await api.call({ verb: 'list', path, query }, CALL)) as { items?: Wire<CoreV1Event>[] };
    const byUid = Map.groupBy(list.items ?? [], ({ involvedObject }) => involvedObject.uid ?? '');
    return new Map([...byUid].map(([uid, items]) => [uid, items.map(readEvent)]));
  }
}

/** Events take whole seconds. */
function timestamp(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

export function readEvent({
  reason = '',
  message = '',
  lastTimestamp,
  series,
  eventTime,
  metadata,
}: Wire<CoreV1Event>): EventState {
  // One of the newer kind has its times elsewhere.
  const lastAt = lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp ?? '';
  return { reason, message, lastAt };
}
