/**
 * Sends all events of a period again, in the background. Each step is one transaction that sends some events and stores how
 * far it came, so a process that is killed neither repeats nor skips a step. An event keeps its id.
 */
import { randomUUID } from 'node:crypto';
import { type NewEventReplay, REPLAYED_PERIOD_EVENTS_MAX, RUNNING_REPLAYS_MAX } from '../contract/eventReplays.ts';
import { conflict, Failure, invalid } from '../domain/failure.ts';
import { DEFAULT_TOPICS } from '../domain/topics.ts';
import type { Enqueuer } from '../queue/payloads.ts';
import type { Database, Queryable } from '../store/database/database.ts';
import {
  countEventsOf,
  countRunningReplays,
  type EventReplayRow,
  endReplay,
  findEventReplay,
  findStalledReplays,
  insertEventReplay,
  lockRunningReplay,
  nextEventsOf,
  type ReplayedPeriod,
  saveReplayStep,
  touchReplay,
} from '../store/deliveries/eventReplays.ts';
import { lockOrganizationById } from '../store/organizations/organizations.ts';
import { findEndpoint } from '../store/webhookEndpoints/webhookEndpoints.ts';
import { requireReplayTarget, sendAgain } from './replayEvents.ts';

/** Events of one step, so that no transaction holds many locks. */
const EVENTS_TOGETHER = 200;

/**
 * Stores a replay and enqueues its work. @throws Failure: 422 for too many events or an unknown endpoint; 409 if the endpoint is
 * disabled, or if too many replays run.
 */
export async function requestPeriodReplay(
  tx: Queryable,
  organizationId: string,
  { body, queue, now }: { body: NewEventReplay; queue: Enqueuer; now: Date },
): Promise<EventReplayRow> {
  await lockOrganizationById(tx, organizationId);
  if ((await countRunningReplays(tx, organizationId)) >= RUNNING_REPLAYS_MAX)
    throw conflict('from', `begins one more than ${RUNNING_REPLAYS_MAX} replays: wait until one has finished.`);
  const endpointId = body.webhook_endpoint_id?.toLowerCase() ?? null;
  if (endpointId !== null) await requireReplayTarget(tx, organizationId, endpointId);
  const row = {
    ...{ id: randomUUID(), organization_id: organizationId, endpoint_id: endpointId },
    range_from: body.from,
    range_to: body.to ?? now,
    topic: body.topic ?? null,
    only_failed: body.only_failed ?? false,
  };
  const events = await countEventsOf(tx, await periodOf(tx, row), REPLAYED_PERIOD_EVENTS_MAX);
  if (events > REPLAYED_PERIOD_EVENTS_MAX) {
    const most = REPLAYED_PERIOD_EVENTS_MAX.toLocaleString('en');
    throw invalid({ from: [`begins a period with more than ${most} events: choose a shorter one, or a topic.`] });
  }
  await insertEventReplay(tx, { ...row, events });
  if (events > 0) await queue.enqueue(tx, 'replay_events', { replay_id: row.id });
  const stored = await findEventReplay(tx, { organizationId, id: row.id });
  if (stored === undefined) throw new Error('unreachable: the replay was just stored');
  return stored;
}

interface RunOptions {
  readonly signal: AbortSignal;
  /** Called after the commit of each step. */
  readonly stepped?: () => void;
}

/**
 * Makes the steps of a replay until it ends, or until the signal aborts. @returns the replay if it has ended.
 * @throws errors of PostgreSQL; the queue then calls it again.
 */
export async function runPeriodReplay(
  db: Database,
  id: string,
  { signal, stepped }: RunOptions,
): Promise<'finished' | 'failed' | 'stopped'> {
  try {
    for (;;) {
      signal.throwIfAborted();
      const hasMore = await db.transaction().execute((tx) => makeStep(tx, id));
      stepped?.();
      if (!hasMore) return 'finished';
    }
  } catch (error) {
    if (signal.aborted) return 'stopped';
    if (!(error instanceof Failure)) throw error;
    await endReplay(db, id, { status: 'failed', reason: ENDPOINT_ENDED });
    return 'failed';
  }
}

const ENDPOINT_ENDED = 'The webhook endpoint was disabled or deleted during the replay.';

/** @returns whether events may follow. */
async function makeStep(tx: Queryable, id: string): Promise<boolean> {
  const row = await lockRunningReplay(tx, id);
  if (row === undefined) return false;
  const { last_event_at: at, last_event_id: lastId, organization_id: organizationId } = row;
  const after = at === null || lastId === null ? undefined : { at, id: lastId };
  const events = await nextEventsOf(tx, await periodOf(tx, row), { after, most: EVENTS_TOGETHER });
  const deliveries = await sendAgain(tx, {
    organizationId,
    eventIds: events.map((event) => event.id),
    endpointId: row.endpoint_id ?? undefined,
    isOnlyFailed: row.only_failed,
  });
  await saveReplayStep(tx, id, { events, deliveries });
  if (events.length === EVENTS_TOGETHER) return true;
  await endReplay(tx, id, { status: 'finished', reason: null });
  return false;
}

/** An endpoint gets only its own topics, unless the replay names one. */
async function periodOf(
  tx: Queryable,
  row: Pick<EventReplayRow, 'organization_id' | 'range_from' | 'range_to' | 'topic' | 'endpoint_id'>,
): Promise<ReplayedPeriod> {
  const { organization_id: organizationId, range_from: from, range_to: to, topic, endpoint_id: id } = row;
  const period = { organizationId, from, to };
  if (topic !== null) return { ...period, topics: [topic] };
  if (id === null) return { ...period, topics: [] };
  const endpoint = await findEndpoint(tx, { organizationId, id });
  return { ...period, topics: endpoint?.topics ?? DEFAULT_TOPICS };
}

/** The queue repeats an entry after seconds, so a replay that made no step for so long has lost its entry. */
const STALLED_MINUTES = 10;
/** After this time a replay ends, so that it does not count among those that run. */
const REPLAY_HOURS_MAX = 24;
const RESUMED_TOGETHER = 100;

/**
 * Enqueues replays again that make no progress, because the queue stops repeating an entry after 30 failures. Ends those that are a day old.
 * @returns how many of each.
 */
export async function resumeStalledReplays(
  db: Database,
  queue: Enqueuer,
): Promise<{ readonly resumed: number; readonly ended: number }> {
  const stalled = await findStalledReplays(db, { minutes: STALLED_MINUTES, most: RESUMED_TOGETHER });
  const isOver = ({ hours }: { hours: number }) => hours >= REPLAY_HOURS_MAX;
  for (const { id } of stalled.filter(isOver)) await endReplay(db, id, { status: 'failed', reason: NO_PROGRESS });
  const resumed = stalled.filter((replay) => !isOver(replay));
  for (const { id } of resumed) {
    await db.transaction().execute(async (tx) => {
      await touchReplay(tx, id);
      await queue.enqueue(tx, 'replay_events', { replay_id: id });
    });
  }
  return { resumed: resumed.length, ended: stalled.length - resumed.length };
}

const NO_PROGRESS =
  'The replay did not finish within a day. Its first events_done events were sent again. Request another replay for the rest of the period.';
