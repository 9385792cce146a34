/** Kubernetes Events: writes those about ScreenshotJobs, and reads those that say why a Job has no pods or a pod does not start. */
import { randomBytes } from 'node:crypto';
import type { CoreV1Event } from '@kubernetes/client-node';
import type { ScreenshotJob } from '../../../contract/screenshotJob.ts';
import type { Log } from '../../../lib/log.ts';
import type { RecordedEvent } from '../../port.ts';
import { timeText } from '../cache/objectStates.ts';
import { isNamespaceEnding } from '../client/apiErrors.ts';
import { type Clock, systemClock } from '../client/clock.ts';
import type { ClusterConnection } from '../client/connection.ts';
import { CONTROLLER, GROUP, VERSION } from '../client/names.ts';
import type { EventState, WarningKind } from './problems.ts';

export interface EventsOptions {
  readonly connection: ClusterConnection;
  readonly namespace: string;
  readonly log: Log;
  readonly clock?: Clock;
}

const CALL = { deadlineMs: 5_000 };
/** The API server has no index of Events and reads all of the namespace each time. */
const REREAD_AFTER_MS = 4_000;
const MAX_EVENTS_READ = 2_000;
const MAX_MESSAGE_LENGTH = 1_024;

const FIELD_SELECTORS: Record<WarningKind, string> = {
  Job: 'involvedObject.kind=Job,type=Warning,reason=FailedCreate',
  // Leaves out the frequent reasons that the state of the pod shows too.
  Pod: 'involvedObject.kind=Pod,type=Warning,reason!=FailedScheduling,reason!=BackOff,reason!=Failed,reason!=Unhealthy',
};

type Warnings = ReadonlyMap<string, readonly EventState[]>;

export class Events {
  readonly #options: EventsOptions;
  readonly #clock: Clock;
  readonly #warnings = new Map<WarningKind, { readAt: number; events: Promise<Warnings> }>();
  #namespaceEnding: { readAt: number; answer: Promise<boolean> } | undefined;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Never rejects: an Event that cannot be written must not stop a reconciliation. */
  async record(resource: ScreenshotJob, event: RecordedEvent): Promise<void> {
    try {
      await this.#create(this.#manifest(eventName(resource.name), resource, event));
    } catch (error) {
      this.#options.log.warn(
        { resource: resource.name, reason: event.reason, err: error },
        'an Event could not be written',
      );
    }
  }

  /** @returns the warnings about objects of this kind, by uid. They may be 4 s old. */
  warnings(subject: WarningKind): Promise<Warnings> {
    const previous = this.#warnings.get(subject);
    if (previous !== undefined && this.#isFresh(previous)) return previous.events;
    const events = this.#readWarnings(subject).catch((error: unknown) => {
      this.#options.log.warn({ subject, err: error }, 'Events could not be read');
      return new Map<string, EventState[]>();
    });
    this.#warnings.set(subject, { readAt: this.#clock.now(), events });
    return events;
  }

  /** True if the namespace is being deleted. The answer may be 4 s old. @throws ApiError, UnreachableError */
  isNamespaceEnding(): Promise<boolean> {
    if (this.#namespaceEnding !== undefined && this.#isFresh(this.#namespaceEnding))
      return this.#namespaceEnding.answer;
    const answer = this.#probeNamespace();
    this.#namespaceEnding = { readAt: this.#clock.now(), answer };
    return answer;
  }

  #isFresh({ readAt }: { readonly readAt: number }): boolean {
    return this.#clock.now() - readAt < REREAD_AFTER_MS;
  }

  /** The controller may not read the namespace, but a dry run of a create fails if the namespace is being deleted. */
  async #probeNamespace(): Promise<boolean> {
    const event = { type: 'Normal', reason: 'Probe', message: '' } as const;
    const probe = this.#manifest(eventName(CONTROLLER), { name: CONTROLLER, uid: '' }, event);
    try {
      await this.#create(probe, { dryRun: 'All' });
      return false;
    } catch (error) {
      if (isNamespaceEnding(error)) return true;
      this.#namespaceEnding = undefined;
      throw error;
    }
  }

  async #create(body: CoreV1Event, query: { readonly dryRun?: string } = {}): Promise<void> {
    const { connection, namespace } = this.#options;
    await connection.apis.core.createNamespacedEvent({ namespace, body, ...query }, connection.options(CALL));
  }

  #manifest(
    eventName: string,
    { name, uid }: Pick<ScreenshotJob, 'name' | 'uid'>,
    { type, reason, message }: RecordedEvent,
  ): CoreV1Event {
    const { namespace } = this.#options;
    const time = new Date();
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: eventName, namespace },
      involvedObject: { apiVersion: `${GROUP}/${VERSION}`, kind: 'ScreenshotJob', name, uid, namespace },
      type,
      reason,
      message: message.slice(0, MAX_MESSAGE_LENGTH),
      count: 1,
      firstTimestamp: time,
      lastTimestamp: time,
      source: { component: CONTROLLER },
      reportingComponent: CONTROLLER,
    };
  }

  async #readWarnings(subject: WarningKind): Promise<Warnings> {
    const { connection, namespace } = this.#options;
    const query = { namespace, fieldSelector: FIELD_SELECTORS[subject], limit: MAX_EVENTS_READ };
    const { items } = await connection.apis.core.listNamespacedEvent(query, connection.options(CALL));
    const byUid = Map.groupBy(items, ({ involvedObject }) => involvedObject.uid ?? '');
    return new Map([...byUid].map(([uid, events]) => [uid, events.map(readEvent)]));
  }
}

/** client-go names Events in the same way. */
function eventName(objectName: string): string {
  return `${objectName}.${randomBytes(8).toString('hex')}`;
}

export function readEvent(event: CoreV1Event): EventState {
  const { reason = '', message = '', lastTimestamp, series, eventTime, metadata } = event;
  // Events of the group events.k8s.io have no lastTimestamp.
  const lastAt = timeText(lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp);
  return { reason, message, lastAt };
}
