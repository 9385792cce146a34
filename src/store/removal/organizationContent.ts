/** Counts and deletes what an organization has, a few rows at a time. */
import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { newWebhookSecret } from '../organizations/secrets.ts';
import { sealSecret, webhookSecretPlace } from '../secrets/sealing.ts';
import { deleteDeliveriesOf } from './deliveries.ts';
import type { RemovablePicture } from './setContent.ts';

const OWNED = {
  campaigns: sql`campaigns where removed_at is null`,
  ads: sql`ads where removed_at is null`,
  sets: sql`screenshot_sets where removed_at is null`,
  pictures: sql`images where artifact_key <> ''`,
  uploads: sql`uploads where true`,
  exports: sql`exports where status in ('pending', 'building', 'ready')`,
  share_links: sql`share_links where true`,
  events: sql`events where true`,
  deliveries: sql`deliveries where true`,
  webhook_endpoints: sql`webhook_endpoints where deleted_at is null`,
  connectors: sql`s3_connectors where true`,
  templates: sql`request_templates where true`,
  stored_answers: sql`idempotency_keys where true`,
  api_keys: sql`api_keys where true`,
} as const satisfies Record<string, RawBuilder<unknown>>;

/** How many objects an organization has, by kind. */
export type OwnedCounts = Readonly<Record<string, number>>;

export async function countOwned(db: Queryable, organizationId: string): Promise<OwnedCounts> {
  const counts: Record<string, number> = {};
  for (const [kind, rows] of Object.entries(OWNED))
    counts[kind] = await count(db, sql`select count(*) as count from ${rows} and organization_id = ${organizationId}`);
  counts['screenshots'] = await count(
    db,
    sql`select count(*) as count from screenshots s join screenshot_sets t on t.id = s.set_id
      where t.organization_id = ${organizationId} and t.removed_at is null`,
  );
  return counts;
}

async function count(db: Queryable, query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: string }>`${query}`.execute(db);
  return Number(rows[0]?.count);
}

/** From now on its keys and sessions are rejected. */
export async function revokeAll(tx: Queryable, organizationId: string): Promise<void> {
  const now = sql<Date>`now()`;
  await tx
    .updateTable('organizations')
    .set({ deletion_started_at: now, disabled_at: sql<Date>`coalesce(disabled_at, now())` })
    .where('id', '=', organizationId)
    .execute();
  await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** @returns the ids of sets that wait or are captured, and that nobody canceled yet. */
export async function findOpenSets(db: Queryable, organizationId: string, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from screenshot_sets where organization_id = ${organizationId} and status in ('draft', 'capturing')
      and cancel_requested_at is null order by created_at limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Fails ads that wait for their first job. @returns how many. */
export async function failWaitingAds(db: Queryable, organizationId: string, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update ads set status = 'generic_error', reason = 'The organization was deleted.', captured_at = now()
    where id = any(array(select a.id from ads a where a.organization_id = ${organizationId} and a.status = 'pending'
      and not exists (select from job_creatives c join screenshot_jobs j on j.id = c.job_id
        where c.ad_id = a.id and j.settled_at is null) limit ${most} for no key update skip locked))`.execute(db);
  return Number(numAffectedRows);
}

export async function hasOpenJob(db: Queryable, organizationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('screenshot_jobs')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('settled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Marks its campaigns, so that the steps of the removal take their sets and ads. @returns how many. */
export async function markCampaigns(db: Queryable, organizationId: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with marked as (
      update campaigns set removed_at = now(), name = 'removed ' || id
      where id = any(array(select id from campaigns
        where organization_id = ${organizationId} and removed_at is null limit ${most} for update))
      returning id, organization_id),
    buried as (insert into tombstones (id, organization_id) select id, organization_id from marked on conflict do nothing)
    select count(*)::integer as count from marked`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Whether sets have content, or ads have a row. Other processes may be removing them. */
export async function hasSetsOrAds(db: Queryable, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from screenshot_sets where organization_id = ${organizationId} and emptied_at is null)
      or exists (select from ads where organization_id = ${organizationId}) as has`.execute(db);
  return rows[0]?.has ?? false;
}

/** Pictures that belong to no set or ad, such as logos. */
export async function readPicturesLeft(
  db: Queryable,
  organizationId: string,
  most: number,
): Promise<RemovablePicture[]> {
  return db
    .selectFrom('images')
    .select(['token', 'organization_id', 'artifact_key', 'sha256'])
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`artifact_key <> ''`)
    .limit(most)
    .execute();
}

/** @returns uploads, which no row uses any more, with whether they are complete. */
export async function readUploadsLeft(
  db: Queryable,
  organizationId: string,
  most: number,
): Promise<{ id: string; complete: boolean }[]> {
  const { rows } = await sql<{ id: string; complete: boolean }>`
    select id, sha256 is not null as complete from uploads where organization_id = ${organizationId}
    limit ${most}`.execute(db);
  return rows;
}

type Step = (tx: Queryable, organizationId: string, most: number) => Promise<number>;

/** Rows without files, in an order in which no row refers to a deleted one. The first of these that finds rows is the step. */
const ROWS: readonly Step[] = [
  (tx, id, most) => deleteDeliveriesOf(tx, sql`organization_id = ${id}`, most),
  (tx, id, most) => deleteRows(tx, { table: 'events', id, most }),
  deleteEndpoints,
  deleteOtherSubscribers,
  (tx, id, most) => deleteRows(tx, { table: 'request_templates', id, most }),
  (tx, id, most) => deleteRows(tx, { table: 's3_connectors', id, most }),
  (tx, id, most) => deleteRows(tx, { table: 'branding', id, most }),
  (tx, id, most) => deleteRows(tx, { table: 'idempotency_keys', id, most }),
  (tx, id, most) => deleteRows(tx, { table: 'usage_days', id, most }),
];

/** @returns how many rows were deleted; 0 if none is left. */
export async function deleteSomeRows(tx: Queryable, organizationId: string, most: number): Promise<number> {
  for (const step of ROWS) {
    const deleted = await step(tx, organizationId, most);
    if (deleted > 0) return deleted;
  }
  return 0;
}

/** @param table one with the column `organization_id`. */
async function deleteRows(
  tx: Queryable,
  { table, id, most }: { table: string; id: string; most: number },
): Promise<number> {
  const name = sql.table(table);
  const { numAffectedRows } = await sql`
    delete from ${name} where ctid = any(array(select ctid from ${name} where organization_id = ${id} limit ${most}))`.execute(
    tx,
  );
  return Number(numAffectedRows);
}

async function deleteEndpoints(tx: Queryable, organizationId: string, most: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    delete from webhook_endpoints where id = any(array(
      select id from webhook_endpoints where organization_id = ${organizationId} limit ${most})) returning id`.execute(
    tx,
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await sql`delete from subscribers where id = any(${ids}::uuid[])`.execute(tx);
  return ids.length;
}

/** Those of test events. */
async function deleteOtherSubscribers(tx: Queryable, organizationId: string, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from subscribers where id = any(array(select id from subscribers
      where organization_id = ${organizationId} and ad_id is null and set_id is null limit ${most}))`.execute(tx);
  return Number(numAffectedRows);
}

/** Deletes its keys and leaves its row without content. The slug is free again. */
export async function closeOrganization(tx: Queryable, organizationId: string): Promise<void> {
  await tx.updateTable('api_keys').set({ created_by: null }).where('organization_id', '=', organizationId).execute();
  await tx.deleteFrom('api_keys').where('organization_id', '=', organizationId).execute();
  await tx
    .updateTable('organizations')
    .set({
      slug: `deleted-${randomUUID()}`,
      webhook_secret: sealSecret(tx, newWebhookSecret(), webhookSecretPlace(organizationId)),
      previous_webhook_secret: null,
      deleted_at: sql<Date>`now()`,
    })
    .where('id', '=', organizationId)
    .execute();
}
