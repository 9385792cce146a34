import { randomUUID } from 'node:crypto';
import type { ParsedSubscriber } from '../../contract/parseParts.ts';

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
    })),
  );
}
