/**
 * Deletes an organization.
 *
 * 1. Its keys are revoked, and the audit log gets an entry with what it has.
 * 2. Sets that wait or are captured are canceled. The controller ends their captures.
 * 3. All its rows are deleted, in short transactions, and then their files.
 *
 * A command that was killed continues when it is run again. The row of the organization stays without content, because the
 * ids of removed objects and the audit log refer to it. Its slug is free.
 */

import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { sealSecret } from '../../db/secrets/sealing.ts';
import { newWebhookSecret } from '../../db/secrets/webhookSecrets.ts';
import { OPERATOR } from '../../domain/auditLog.ts';
import { sleep } from '../../lib/sleep.ts';
import type { EventContext } from '../events/recordEvent.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { lockOrganization, requireOrganization } from '../organizations/organizations.ts';
import { reviewSet } from '../reviews/reviews.ts';
import { sweepFiles } from './removedFiles.ts';

/**
 * The tables that are deleted, with the names under which their rows are counted, in an order in which no row refers to a deleted one.
 * Cascades and triggers take the rest, and note files.
 */
const TABLES: readonly (readonly [table: string, kind?: string])[] = [
  // No run makes another set.
  ['schedules', 'schedules'],
  ['screenshot_sets', 'sets'],
  ['placements', 'placements'],
  ['ads', 'ads'],
  ['campaigns', 'campaigns'],
  ['events', 'events'],
  ['subscribers'],
  ['request_templates', 'templates'],
  ['site_lists', 'site_lists'],
  ['site_rules', 'site_rules'],
  ['s3_connectors', 'connectors'],
  ['branding'],
  ['idempotency_keys', 'stored_answers'],
  ['usage_days'],
  ['uploads', 'uploads'],
  ['notices'],
  ['notice_chats', 'chats'],
  ['memberships', 'members'],
  ['invitations', 'invitations'],
  ['images', 'pictures'],
];

/** A set has up to 10,000 pictures. */
const TOGETHER = { sets: 5, others: 1_000 };

const OWNED: Readonly<Record<string, RawBuilder<unknown>>> = {
  ...Object.fromEntries(TABLES.flatMap(([table, kind]) => (kind ? [[kind, sql`${sql.table(table)} where true`]] : []))),
  screenshots: sql`screenshots s join screenshot_sets t on t.id = s.set_id where true`,
  exports: sql`exports where status in ('pending', 'building', 'ready')`,
  share_links: sql`share_links where true`,
  comments: sql`comments where true`,
  answers: sql`share_answers where true`,
  deliveries: sql`deliveries where true`,
  webhook_endpoints: sql`webhook_endpoints where deleted_at is null`,
  api_keys: sql`api_keys where true`,
};

/** How many objects an organization has, by kind. */
type OwnedCounts = Readonly<Record<string, number>>;

export interface DeletionContext extends EventContext {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
}

export interface Deletion {
  /** The objects that the organization had when this command began. */
  readonly removed: OwnedCounts;
  /** False if captures still run: run the command again. */
  readonly isComplete: boolean;
}

const LOOK_AGAIN_MS = 500;

/** @returns how many objects would go. @throws Failure (404) if there is no such organization. */
export async function previewDeletion(db: Database, slug: string): Promise<OwnedCounts> {
  return countOwned(db, (await requireOrganization(db, slug)).id);
}

/** @param waitMs the longest time to wait for captures. @throws Failure as {@link previewDeletion}. */
export async function deleteOrganization(
  context: DeletionContext,
  slug: string,
  { waitMs }: { readonly waitMs: number },
): Promise<Deletion> {
  const { db } = context;
  const { id } = await requireOrganization(db, slug);
  const removed = await countOwned(db, id);
  await begin(db, slug, removed);
  if (!(await endCaptures(context, id, waitMs))) return { removed, isComplete: false };
  await deleteContent(db, id);
  // The API sweeps what is left, and files that may still arrive.
  await sweepFiles(context);
  await db.transaction().execute((tx) => closeOrganization(tx, id));
  return { removed, isComplete: true };
}

/** Does nothing if an earlier command began. */
async function begin(db: Database, slug: string, counts: OwnedCounts): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { id, deletion_started_at: startedAt } = await lockOrganization(tx, slug);
    if (startedAt !== null) return;
    await revokeAll(tx, id);
    const [of, from] = [
      { organizationId: id, id },
      { slug, ...counts },
    ];
    await recordAction(tx, OPERATOR, { action: 'organization.deleted', of, from });
  });
}

/** @returns false if captures still run after this time. */
async function endCaptures(context: DeletionContext, organizationId: string, waitMs: number): Promise<boolean> {
  const { db } = context;
  const end = performance.now() + waitMs;
  for (;;) {
    await cancelSets(context, organizationId);
    await deleteWaitingAds(db, organizationId);
    await deleteWaitingPlacements(db, organizationId);
    if (!(await hasOpenWork(db, organizationId))) return true;
    if (performance.now() >= end) return false;
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Each set in a transaction of its own, because the controller may be settling one of them. */
async function cancelSets({ db, queue, publicUrl }: DeletionContext, organizationId: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from screenshot_sets where organization_id = ${organizationId} and status in ('draft', 'capturing')
      and cancel_requested_at is null`.execute(db);
  for (const { id: setId } of rows) {
    const review = { action: 'cancel', organizationId, setId, notes: null, actor: OPERATOR } as const;
    await db.transaction().execute((tx) => reviewSet(tx, review, { queue, publicUrl }));
  }
}

async function countOwned(db: Queryable, organizationId: string): Promise<OwnedCounts> {
  const counts: Record<string, number> = {};
  for (const [kind, owned] of Object.entries(OWNED)) {
    const { rows } = await sql<{ count: string }>`
      select count(*) as count from ${owned} and organization_id = ${organizationId}`.execute(db);
    counts[kind] = Number(rows[0]?.count);
  }
  return counts;
}

/** From now on its keys and sessions are rejected. */
async function revokeAll(tx: Queryable, organizationId: string): Promise<void> {
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

/** Deletes ads that wait for their first job, so that none begins. */
async function deleteWaitingAds(db: Queryable, organizationId: string): Promise<void> {
  await sql`
    delete from ads where id = any(array(select a.id from ads a where a.organization_id = ${organizationId} and a.status = 'pending'
      and not exists (select from screenshots s where s.ad_id = a.id)
      and not exists (select from job_creatives c join screenshot_jobs j on j.id = c.job_id
        where c.ad_id = a.id and j.settled_at is null) for update skip locked))`.execute(db);
}

async function deleteWaitingPlacements(db: Queryable, organizationId: string): Promise<void> {
  await sql`
    delete from placements where id = any(array(select p.id from placements p where p.organization_id = ${organizationId}
      and not exists (select from screenshot_jobs j where j.id = p.id) for update skip locked))`.execute(db);
}

/** @returns whether a set or a job has not ended. */
async function hasOpenWork(db: Queryable, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`select
    exists (select from screenshot_jobs where organization_id = ${organizationId} and settled_at is null)
    or exists (select from screenshot_sets where organization_id = ${organizationId} and status in ('draft', 'capturing'))
      as open`.execute(db);
  return rows[0]?.open ?? false;
}

/** Deletes all rows of the organization, a few in each transaction. */
async function deleteContent(db: Queryable, organizationId: string): Promise<void> {
  for (const [table, kind] of TABLES) {
    const [name, together] = [sql.table(table), kind === 'sets' ? TOGETHER.sets : TOGETHER.others];
    for (let deleted = together; deleted === together; ) {
      const { numAffectedRows } = await sql`
        delete from ${name} where ctid = any(array(
          select ctid from ${name} where organization_id = ${organizationId} limit ${together}))`.execute(db);
      deleted = Number(numAffectedRows);
    }
  }
}

/** Deletes its keys and leaves its row without content. The slug is free again. */
async function closeOrganization(tx: Queryable, organizationId: string): Promise<void> {
  await tx.deleteFrom('api_keys').where('organization_id', '=', organizationId).execute();
  await tx
    .updateTable('organizations')
    .set({
      slug: `deleted-${randomUUID()}`,
      webhook_secret: sealSecret(tx, newWebhookSecret(), `organizations.webhook_secret of ${organizationId}`),
      previous_webhook_secret: null,
      deleted_at: sql<Date>`now()`,
    })
    .where('id', '=', organizationId)
    .execute();
}
