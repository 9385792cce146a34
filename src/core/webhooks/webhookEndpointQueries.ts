/** Webhook endpoints. Each is also a row of `subscribers`, with the same id, the URL and the topics. */

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import { sealSecret } from '../../db/secrets/sealing.ts';
import { newWebhookSecret } from '../../db/secrets/webhookSecrets.ts';
import type { EndpointTopic } from '../../domain/topics.ts';

export interface EndpointRow extends Row<'webhook_endpoints'> {
  readonly url: string;
  /** Null: the default topics. */
  readonly topics: string[] | null;
}

export type EndpointHeaders = Readonly<Record<string, string>>;

/** Undefined fields stay. */
export type EndpointFieldsChange = { readonly [Name in keyof EndpointFields]?: EndpointFields[Name] | undefined };

export interface EndpointFields {
  readonly url: string;
  readonly topics: readonly EndpointTopic[] | null;
  readonly description: string;
  readonly headers: EndpointHeaders;
  readonly disabled: boolean;
}

/** @returns the id of the endpoint and its secret. */
export async function insertEndpoint(
  tx: Queryable,
  organizationId: string,
  { url, topics, description, headers, disabled }: EndpointFields,
): Promise<{ id: string; secret: string }> {
  const [id, secret] = [randomUUID(), newWebhookSecret()];
  await tx
    .insertInto('subscribers')
    .values({ id, organization_id: organizationId, seq: 0, webhook_url: url, webhook_topics: topics && [...topics] })
    .execute();
  await tx
    .insertInto('webhook_endpoints')
    .values({
      ...{ id, organization_id: organizationId, description },
      secret: sealSecret(tx, secret, `webhook_endpoints.secret of ${id}`),
      ...storedHeaders(tx, id, headers),
      disabled_at: disabled ? new Date() : null,
    })
    .execute();
  return { id, secret };
}

/** Changes the fields that are given. */
export async function updateEndpoint(tx: Queryable, id: string, change: EndpointFieldsChange): Promise<void> {
  const { url, topics, description, headers, disabled } = change;
  if (url !== undefined || topics !== undefined) {
    const subscriber = { webhook_url: url, webhook_topics: topics && [...topics] };
    await tx.updateTable('subscribers').set(subscriber).where('id', '=', id).execute();
  }
  await tx
    .updateTable('webhook_endpoints')
    .set({
      updated_at: new Date(),
      description,
      ...(headers !== undefined && storedHeaders(tx, id, headers)),
      ...(disabled !== undefined && { disabled_at: disabled ? sql<Date>`now()` : null, disabled_reason: null }),
      // Neither a new address nor the time before it was enabled counts as a failure.
      ...((disabled ?? url) !== undefined && { failing_since: null }),
    })
    .where('id', '=', id)
    .execute();
}

function storedHeaders(tx: Queryable, id: string, headers: EndpointHeaders) {
  const names = Object.keys(headers);
  const sealed =
    names.length === 0 ? null : sealSecret(tx, JSON.stringify(headers), `webhook_endpoints.headers of ${id}`);
  return { header_names: names, headers: sealed };
}

/** The old secret signs beside the new one for a day, unless `keepPrevious` is false. @returns the new one. */
export async function rotateEndpointSecret(tx: Queryable, id: string, keepPrevious: boolean): Promise<string> {
  const secret = newWebhookSecret();
  await tx
    .updateTable('webhook_endpoints')
    .set((eb) => ({
      previous_secret: keepPrevious ? eb.ref('secret') : eb.val(null),
      secret: sealSecret(tx, secret, `webhook_endpoints.secret of ${id}`),
      secret_rotated_at: new Date(),
    }))
    .where('id', '=', id)
    .execute();
  return secret;
}

const endpoints = (db: Queryable, organizationId: string) =>
  db
    .selectFrom('webhook_endpoints')
    .innerJoin('subscribers', 'subscribers.id', 'webhook_endpoints.id')
    .where('webhook_endpoints.organization_id', '=', organizationId)
    .where('webhook_endpoints.deleted_at', 'is', null);

/** @returns undefined if the organization has no such endpoint. */
export async function findEndpoint(db: Queryable, { organizationId, id }: ObjectRef): Promise<EndpointRow | undefined> {
  return endpoints(db, organizationId)
    .selectAll('webhook_endpoints')
    .select(['subscribers.webhook_url as url', 'subscribers.webhook_topics as topics'])
    .where('webhook_endpoints.id', '=', id)
    .$narrowType<{ url: string }>()
    .executeTakeFirst();
}

/**
 * Locks the endpoint against other changes and against events that are recorded at this moment. @returns false if the
 * organization has no such endpoint.
 */
export async function lockEndpoint(tx: Queryable, { organizationId, id }: ObjectRef): Promise<boolean> {
  const row = await tx
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export async function countEndpoints(db: Queryable, organizationId: string): Promise<number> {
  const { count } = await endpoints(db, organizationId)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Oldest first. */
export async function listEndpoints(
  db: Queryable,
  { organizationId, ...range }: { organizationId: string } & TimeRange,
  page: Page,
): Promise<ListPage<EndpointRow>> {
  const matching = endpoints(db, organizationId).where(isInRange(sql`webhook_endpoints.created_at`, range));
  const rows = matching
    .selectAll('webhook_endpoints')
    .select(['subscribers.webhook_url as url', 'subscribers.webhook_topics as topics'])
    .$narrowType<{ url: string }>()
    .orderBy('webhook_endpoints.created_at')
    .orderBy('webhook_endpoints.id');
  return readListPage(db, rows, page);
}
