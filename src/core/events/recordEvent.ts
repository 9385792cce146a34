/** Events: an envelope whose text is frozen when it happens, and a delivery for each receiver that wants it. */
import type { Queryable } from '../../db/database.ts';
import type { Enqueuer } from '../../db/queue.ts';
import type { Row } from '../../db/rows.ts';
import { DEFAULT_TOPICS, type EndpointTopic, type Topic } from '../../domain/topics.ts';
import { isTracing } from '../../observe/tracing.ts';
import { insertEvent } from '../journal/insertEvent.ts';
import { readEnabledEndpoints, readSubscribers } from '../journal/receivers.ts';
import { readAdRecord, readSetText } from '../sets/readRecords.ts';

/** Needed by each function that records an event: the queue for the work that follows, and the address of pictures and pages. */
export interface EventContext {
  readonly queue: Enqueuer;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}

/** The topics for which subscribers with a bucket get pictures. */
const S3_TOPICS: readonly EndpointTopic[] = ['ad.uploaded', 'screenshot_set.approved'];

interface EventSubject {
  readonly organizationId: string;
  readonly topic: EndpointTopic;
  readonly adId?: string;
  readonly setId?: string;
}

interface DeliveryTarget {
  readonly subscriber_id: string;
  readonly channel: 'webhook' | 's3';
  readonly target: string;
}

/** Records an event of an ad if a subscriber or a webhook endpoint wants this topic. Part of the transaction that stores the ad's result. */
export async function recordAdEvent(
  transaction: Queryable,
  { adId, organizationId, topic }: { adId: string; organizationId: string; topic: 'ad.uploaded' | 'ad.failed' },
  context: EventContext,
): Promise<void> {
  const subject = { organizationId, topic, adId };
  await recordEvent(transaction, subject, async () => {
    const ad = await readAdRecord(transaction, { id: adId, publicUrl: context.publicUrl });
    return ad && JSON.stringify(ad);
  });
}

/** Records an event of a set if a subscriber or a webhook endpoint wants this topic. Part of the transaction that changes the set. */
export async function recordSetEvent(
  transaction: Queryable,
  { setId, organizationId, topic }: { setId: string; organizationId: string; topic: Topic },
  context: EventContext,
): Promise<void> {
  const subject = { organizationId, topic, setId };
  await recordEvent(transaction, subject, () => readSetText(transaction, { id: setId, publicUrl: context.publicUrl }));
}

/** Records an event if a subscriber or a webhook endpoint wants it. @param object makes the JSON of `data.object`. */
export async function recordEvent(
  transaction: Queryable,
  subject: EventSubject,
  object: () => Promise<string | undefined>,
): Promise<void> {
  const targets = await wanting(transaction, subject);
  if (targets.length === 0) return;
  const data = await object();
  if (data === undefined) throw new Error(`The ad or set of ${subject.topic} is not in the database.`);
  const traceparent = isTracing() ? await traceparentOf(transaction, subject) : null;
  await insertEvent(transaction, { ...subject, traceparent }, data, targets);
}

/** @returns the span of the request that made the set or the ad. */
async function traceparentOf(db: Queryable, { setId, adId }: EventSubject): Promise<string | null> {
  const id = setId ?? adId;
  if (id === undefined) return null;
  const table = setId === undefined ? 'ads' : 'screenshot_sets';
  return (
    (await db.selectFrom(table).select('traceparent').where('id', '=', id).executeTakeFirst())?.traceparent ?? null
  );
}

/** @returns whether a receiver wants this topic. Callers check before they do work only for the event. */
export async function isWanted(db: Queryable, subject: EventSubject): Promise<boolean> {
  return (await wanting(db, subject)).length > 0;
}

async function wanting(db: Queryable, { topic, ...of }: EventSubject): Promise<DeliveryTarget[]> {
  const hasSubscribers = (of.adId ?? of.setId) !== undefined;
  const subscribers = hasSubscribers ? await readSubscribers(db, of) : [];
  const endpoints = await readEnabledEndpoints(db, of.organizationId);
  return [...subscribers, ...endpoints].flatMap((receiver) => targetsOf(receiver, topic));
}

type Receiver = Pick<Row<'subscribers'>, 'id' | 'webhook_url' | 'webhook_topics'> &
  Partial<Pick<Row<'subscribers'>, 's3_bucket' | 's3_key_prefix'>>;

function targetsOf(subscriber: Receiver, topic: EndpointTopic): DeliveryTarget[] {
  const targets: DeliveryTarget[] = [];
  const topics: readonly string[] = subscriber.webhook_topics ?? DEFAULT_TOPICS;
  if (subscriber.webhook_url !== null && topics.includes(topic)) {
    targets.push({ subscriber_id: subscriber.id, channel: 'webhook', target: subscriber.webhook_url });
  }
  if (typeof subscriber.s3_bucket === 'string' && S3_TOPICS.includes(topic)) {
    const target = `s3://${subscriber.s3_bucket}/${subscriber.s3_key_prefix ?? ''}`;
    targets.push({ subscriber_id: subscriber.id, channel: 's3', target });
  }
  return targets;
}
