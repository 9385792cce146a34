/** Events: those we write about ScreenshotJobs, and those that tell why a Job has no pods or a pod does not start. */
import { createHash, randomBytes } from 'node:crypto';
import type { CoreV1Event } from '@kubernetes/client-node';
import type { ScreenshotJob } from '../../contract/screenshotJob.ts';
import type { ClusterLog } from '../localPod.ts';
import type { RecordedEvent } from '../port.ts';
import { isNamespaceEnding, isNotFound } from './apiError.ts';
import type { ApiServer } from './apiServer.ts';
import type { EventsOf } from './assessment.ts';
import { type Clock, systemClock } from './clock.ts';
import { CONTROLLER, GROUP, VERSION } from './names.ts';
import type { EventState } from './problems.ts';
import type { Wire } from './wire.ts';

export interface EventsOptions {
  readonly api: ApiServer;
  readonly path: string;
  readonly namespace: string;
  readonly log: ClusterLog;
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
const MOST_READ = 2_000;
/** Of which we know how often they were told. */
const MOST_KNOWN = 1_000;

const FIELDS: Record<EventsOf, string> = {
  Job: 'involvedObject.kind=Job,type=Warning,reason=FailedCreate',
  // Without the many that a pod's own state tells as well.
  Pod: 'involvedObject.kind=Pod,type=Warning,reason!=FailedScheduling,reason!=BackOff,reason!=Failed,reason!=Unhealthy',
};

export function createEvents({ api, path, namespace, log, clock = systemClock }: EventsOptions): Events {
  /** Those we made, with their names and counts, the latest last. */
  const known = new Map<string, { name: string; count: number }>();
  const read = new Map<EventsOf, { at: number; events: Promise<ReadonlyMap<string, readonly EventState[]>> }>();
  let ending: { at: number; answer: Promise<boolean> } | undefined;

  async function repeat(key: string, time: string): Promise<boolean> {
    const before = known.get(key);
    if (before === undefined) return false;
    const count = before.count + 1;
    try {
      await api.call({ verb: 'patch', path: `${path}/${before.name}`, body: { count, lastTimestamp: time } }, CALL);
    } catch (error) {
      // The cluster forgets Events after an hour.
      if (!isNotFound(error)) throw error;
      known.delete(key);
      return false;
    }
    remember(key, { name: before.name, count });
    return true;
  }

  function remember(key: string, entry: { name: string; count: number }): void {
    known.delete(key);
    known.set(key, entry);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  function manifest(about: Pick<ScreenshotJob, 'name' | 'uid'>, event: RecordedEvent, time: string) {
    const { name, uid } = about;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      // As client-go names them: of the object, and no other one's.
      metadata: { name: `${name}.${randomBytes(8).toString('hex')}`, namespace },
      involvedObject: { apiVersion: `${GROUP}/${VERSION}`, kind: 'ScreenshotJob', name, uid, namespace },
      ...{ type: event.type, reason: event.reason, message: event.message.slice(0, 1_024) },
      ...{ count: 1, firstTimestamp: time, lastTimestamp: time },
      source: { component: CONTROLLER },
      reportingComponent: CONTROLLER,
    };
  }

  async function load(of: EventsOf): Promise<ReadonlyMap<string, readonly EventState[]>> {
    const query = { fieldSelector: FIELDS[of], limit: MOST_READ };
    const list = (await api.call({ verb: 'list', path, query }, CALL)) as { items?: Wire<CoreV1Event>[] };
    const found = new Map<string, EventState[]>();
    for (const item of list.items ?? []) {
      const uid = item.involvedObject.uid ?? '';
      found.set(uid, [...(found.get(uid) ?? []), readEvent(item)]);
    }
    return found;
  }

  return {
    async record(about, event) {
      const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const said = JSON.stringify([about.uid, event.type, event.reason, event.message]);
      const key = createHash('sha256').update(said).digest('base64');
      try {
        if (await repeat(key, time)) return;
        const body = manifest(about, event, time);
        await api.call({ verb: 'create', path, body }, CALL);
        remember(key, { name: body.metadata.name, count: 1 });
      } catch (error) {
        log.warn({ resource: about.name, reason: event.reason, err: error }, 'an Event could not be written');
      }
    },

    warnings(of) {
      const before = read.get(of);
      if (before !== undefined && clock.now() - before.at < READ_AGAIN_MS) return before.events;
      const events = load(of).catch((error: unknown) => {
        log.warn({ of, err: error }, 'Events could not be read');
        return new Map<string, EventState[]>();
      });
      read.set(of, { at: clock.now(), events });
      return events;
    },

    isNamespaceEnding() {
      if (ending !== undefined && clock.now() - ending.at < READ_AGAIN_MS) return ending.answer;
      // There is no right to read the namespace, but it says so to whoever wants to put something into it.
      const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const event = { type: 'Normal', reason: 'Probe', message: '' } as const;
      const body = manifest({ name: CONTROLLER, uid: '' }, event, time);
      const asked = api.call({ verb: 'create', path, query: { dryRun: 'All' }, body }, CALL);
      const answer = asked.then(
        () => false,
        (error: unknown) => {
          if (isNamespaceEnding(error)) return true;
          ending = undefined;
          throw error;
        },
      );
      ending = { at: clock.now(), answer };
      return answer;
    },
  };
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
