import { randomUUID } from 'node:crypto';
import type { ParsedSubscriber } from '../../contract/readRequest.ts';
import type { Queryable } from '../../db/database.ts';
import { TOPICS, type Topic } from '../../domain/topics.ts';
import { readSubscribers } from './receivers.ts';

export type NewSubscriber = Omit<ParsedSubscriber, 'path'>;

/** Rows for `json_to_recordset` in the statement that stores what they subscribe to. */
export function subscriberRows(subscribers: readonly NewSubscriber[]): string {
  return JSON.stringify(
    subscribers.map(({ webhook, s3 }, seq) => ({
      id: randomUUID(),
      seq,
      webhook_url: webhook?.url ?? null,
      webhook_topics: webhook?.topics ?? null,
      s3_bucket: s3?.bucket ?? null,
      s3_region: s3?.region ?? null,
      s3_key_prefix: s3?.keyPrefix ?? null,
      s3_connector: s3?.connector ?? null,
    })),
  );
}

/** @returns the id of a subscriber that gets one test event. */
export async function insertTestSubscriber(db: Queryable, organizationId: string, url: string): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto('subscribers')
    .values({
      ...{ id, organization_id: organizationId, ad_id: null, set_id: null, seq: 0, webhook_url: url },
      ...{ webhook_topics: null, s3_bucket: null, s3_region: null, s3_key_prefix: null, s3_connector: null },
    })
    .execute();
  return id;
}

/** The subscribers of a set, as the request named them. */
export async function readSubscribersAsGiven(db: Queryable, setId: string): Promise<ParsedSubscriber[]> {
  const rows = await readSubscribers(db, { setId });
  return rows.map((row, index) => ({
    path: `subscribers.${index}`,
    webhook: row.webhook_url === null ? undefined : { url: row.webhook_url, topics: topicsOf(row.webhook_topics) },
    s3:
      row.s3_bucket === null
        ? undefined
        : {
            bucket: row.s3_bucket,
            region: row.s3_region,
            keyPrefix: row.s3_key_prefix,
            connector: row.s3_connector,
          },
  }));
}

function topicsOf(stored: readonly string[] | null): readonly Topic[] | null {
  return stored && TOPICS.filter((topic) => stored.includes(topic));
}
