/** Entries of the audit log. They are inserted and, when they are old, removed, but never changed. */

import { type RawBuilder, sql } from 'kysely';
import { recordOf } from '../../contract/recordOf.ts';
import { AuditLogEntryRecord } from '../../contract/settings.ts';
import { allOf, isAfter, isInRange, type Place, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { Row } from '../../db/rows.ts';
import {
  ACTOR_TYPES,
  type Actor,
  AUDIT_LOG_DAYS_MIN,
  type AuditAction,
  type AuditedFields,
  changesBetween,
  type FieldChange,
} from '../../domain/auditLog.ts';
import { isUuid } from '../../domain/slugs.ts';

export type AuditLogRow = Row<'audit_log'>;

export interface AuditedAction {
  readonly action: AuditAction;
  /** The id is null if the object has none of its own. */
  readonly of: { readonly organizationId: string; readonly id: string | null };
  /** The fields before and after, of which the entry has those that differ. */
  readonly from?: AuditedFields;
  readonly to?: AuditedFields;
  /** In place of these fields. */
  readonly changes?: readonly FieldChange[];
}

/** Adds an entry. Call it in the transaction of the action, so that both are stored or neither. */
export async function recordAction(tx: Queryable, actor: Actor, given: AuditedAction): Promise<void> {
  const { action, of, from = {}, to = {}, changes = changesBetween(from, to) } = given;
  await tx
    .insertInto('audit_log')
    .values({
      organization_id: of.organizationId,
      actor_type: actor.type,
      actor_key_id: actor.keyId,
      actor_user_id: actor.userId,
      actor_name: sql<string | null>`coalesce(
        (select name from users where id = ${actor.userId}), (select name from api_keys where id = ${actor.keyId}))`,
      action,
      object_type: action.split('.')[0] ?? action,
      object_id: of.id,
      changes: JSON.stringify(changes),
      address: actor.address,
      request_id: actor.requestId,
    })
    .execute();
}

export interface AuditLogFilter extends TimeRange {
  readonly organizationId: string;
  readonly action?: AuditAction | undefined;
  /** The id of a key or a person, or a type of actor. */
  readonly actor?: string | undefined;
  /** Only actions on these objects, for example on a set and its share links. */
  readonly objectIds?: readonly string[] | undefined;
  /** Only rows behind this place in the list. */
  readonly after?: Place | undefined;
}

/** Newest first. */
export async function listAuditLog(db: Queryable, filter: AuditLogFilter, page: Page): Promise<ListPage<AuditLogRow>> {
  const matching = db.selectFrom('audit_log').where(isWanted(filter));
  const rows = matching.selectAll().orderBy('created_at', 'desc').orderBy('id');
  return readListPage(db, rows, page);
}

/** One condition for each, so that an index finds the rows. */
function isBy(actor: string): RawBuilder<boolean> {
  const isType = ACTOR_TYPES.some((type) => type === actor);
  if (isType) return sql<boolean>`audit_log.actor_type = ${actor}`;
  return isUuid(actor) ? sql`audit_log.actor_user_id = ${actor}` : sql`audit_log.actor_key_id = ${actor}`;
}

/** Deletes the oldest entries that are older than `days`. @returns how many, at most `most`. */
export async function deleteOldEntries(
  db: Queryable,
  { days, most }: { readonly days: number; readonly most: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_log where id in (
      select id from audit_log where created_at < now() - make_interval(days => ${days})
      order by created_at limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}

/** Deletes entries of deleted organizations as soon as the database allows it. @returns how many, at most `most`. */
export async function deleteEntriesOfDeleted(db: Queryable, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_log where id in (
      select a.id from organizations o join audit_log a on a.organization_id = o.id
      where o.deleted_at is not null and a.created_at < now() - make_interval(days => ${AUDIT_LOG_DAYS_MIN + 1})
      limit ${most} for update of a skip locked)`.execute(db);
  return Number(numAffectedRows);
}

function isWanted({ organizationId, action, actor, objectIds, after, ...range }: AuditLogFilter): RawBuilder<boolean> {
  return allOf([
    sql`audit_log.organization_id = ${organizationId}`,
    action === undefined ? undefined : sql`audit_log.action = ${action}`,
    actor === undefined ? undefined : isBy(actor),
    objectIds === undefined ? undefined : sql`audit_log.object_id = any(${objectIds}::text[])`,
    isAfter('audit_log', after),
    isInRange(sql`audit_log.created_at`, range),
  ]);
}

export function auditLogEntryRecord(row: AuditLogRow): AuditLogEntryRecord {
  return recordOf(AuditLogEntryRecord, row, {
    actor: { type: row.actor_type, key_id: row.actor_key_id, user_id: row.actor_user_id, name: row.actor_name },
    object: { type: row.object_type, id: row.object_id },
    changes: row.changes.map(({ field, from, to }) => ({ field, from, to })),
    ip_address: row.address,
  });
}
