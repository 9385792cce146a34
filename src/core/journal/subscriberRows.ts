import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { ParsedSubscriber } from '../../contract/readRequest.ts';
import type { Queryable } from '../../db/database.ts';
import { TOPICS, type Topic } from '../../domain/topics.ts';
import { readSubscribers } from './receivers.ts';

export type NewSubscriber = Omit<ParsedSubscriber, 'path'>;

/** A step of the statement that stores what they subscribe to. @param owner the query with its id, and the column for it. */
export function insertOfSubscribers(
  organizationId: string,
  subscribers: readonly NewSubscriber[],
  [owner, column]: readonly ['ad', 'ad_id'] | readonly ['made', 'set_id'],
): RawBuilder<unknown> {
  const rows = subscribers.map(({ webhook, s3 }, seq) => ({
    ...{ id: randomUUID(), seq, webhook_url: webhook?.url, webhook_topics: webhook?.topics },
    ...{ s3_bucket: s3?.bucket, s3_region: s3?.region, s3_key_prefix: s3?.keyPrefix, s3_connector: s3?.connector },
  }));
  return sql`
    insert into subscribers (id, organization_id, ${sql.ref(column)}, seq, webhook_url, webhook_topics, s3_bucket, s3_region,
      s3_key_prefix, s3_connector)
    select s.id, ${organizationId}::uuid, owner.id, s.seq, s.webhook_url, s.webhook_topics, s.s3_bucket, s.s3_region,
      s.s3_key_prefix, s.s3_connector
    from ${sql.table(owner)} owner, json_to_recordset(${JSON.stringify(rows)}::json) as s (id uuid, seq integer,
      webhook_url text, webhook_topics text[], s3_bucket text, s3_region text, s3_key_prefix text, s3_connector text)`;
}

/** @returns the id of a subscriber that gets one test event. */
export async function insertTestSubscriber(db: Queryable, organizationId: string, url: string): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto('subscribers')
    .values({ id, organization_id: organizationId, seq: 0, webhook_url: url })
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
