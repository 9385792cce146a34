/** The rows of exports. Each transition names the attempt, so that a superseded attempt changes nothing. */

import { randomBytes, randomUUID } from 'node:crypto';
import { sql, type UpdateObject } from 'kysely';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { Row } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';
import type { ExportAudience, ExportOptions } from '../../domain/exports.ts';
import { EXPORT_DAYS } from '../../domain/retention.ts';
import { isOf, type Owner, ownerColumns } from '../sets/shownVersions.ts';

export type ExportRow = Row<'exports'>;
export const KEPT_MS = EXPORT_DAYS * 86_400_000;

type NewExport = Pick<ExportRow, 'organization_id' | 'fingerprint' | 'total' | 'parts' | 'file_name'>;

/** @returns the new row, or the existing row with the same fingerprint. */
export async function insertExport(
  tx: Queryable,
  { options, ...owner }: Owner & { readonly options: ExportOptions },
  given: NewExport,
): Promise<{ readonly row: ExportRow; readonly isNew: boolean }> {
  const made = await tx
    .insertInto('exports')
    .values({
      ...{ id: randomUUID(), token: randomBytes(24).toString('base64url') },
      ...ownerColumns(owner),
      ...{ format: options.format, options: JSON.stringify(options), ...given },
    })
    .onConflict((on) => on.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (made !== undefined) return { row: made, isNew: true };
  const row = await tx
    .selectFrom('exports')
    .selectAll()
    .where(isOf(owner))
    .where('fingerprint', '=', given.fingerprint)
    .where('status', 'in', ['pending', 'building', 'ready'])
    .forUpdate()
    .executeTakeFirst();
  // The other row expired between the two statements.
  return row === undefined ? insertExport(tx, { options, ...owner }, given) : { row, isNew: false };
}

/** Exports of the organization for this audience that wait or are being built. */
export async function countOpenExports(
  db: Queryable,
  { organizationId, audience }: { organizationId: string; audience: ExportAudience },
): Promise<number> {
  const { count } = await db
    .selectFrom('exports')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('organization_id', '=', organizationId)
    .where('status', 'in', ['pending', 'building'])
    .where(sql<boolean>`options->>'audience' = ${audience}`)
    .executeTakeFirstOrThrow();
  return count;
}

export async function findExport(
  db: Queryable,
  { id, organizationId }: { id: string; organizationId?: string },
): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .selectAll()
    .where('id', '=', id)
    .$if(organizationId !== undefined, (q) => q.where('organization_id', '=', organizationId ?? ''))
    .executeTakeFirst();
}

/** The exports of a set or a campaign for its organization, newest first. */
export async function listExports(
  db: Queryable,
  { organizationId, ...given }: { organizationId: string } & Owner & TimeRange,
  page: Page,
): Promise<ListPage<ExportRow>> {
  const rows = db
    .selectFrom('exports')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where(isOf(given))
    .where(sql<boolean>`options->>'audience' = 'organization'`)
    .where(isInRange(sql`created_at`, given))
    .orderBy('created_at', 'desc')
    .orderBy('id');
  return readListPage(db, rows, page);
}

/** The export whose file this token opens. The file exists unless the export has expired. */
export async function findExportFile(
  db: Queryable,
  token: string,
): Promise<(ExportRow & { readonly has_expired: boolean; readonly is_disabled: boolean }) | undefined> {
  return db
    .selectFrom('exports')
    .innerJoin('organizations as o', 'o.id', 'exports.organization_id')
    .selectAll('exports')
    .select(sql<boolean>`exports.status = 'expired' or exports.expires_at <= now()`.as('has_expired'))
    .select(sql<boolean>`o.disabled_at is not null`.as('is_disabled'))
    .where('exports.token', '=', token)
    .where('exports.status', 'in', ['ready', 'expired'])
    .executeTakeFirst();
}

/** Starts the next attempt. @returns undefined if there is nothing left to build. */
export async function startExportAttempt(db: Queryable, id: string): Promise<ExportRow | undefined> {
  return db
    .updateTable('exports')
    .set({ status: 'building', attempt: sql<number>`attempt + 1`, done: 0 })
    .where('id', '=', id)
    .where('status', 'in', ['pending', 'building'])
    .returningAll()
    .executeTakeFirst();
}

type ExportAttempt = Pick<ExportRow, 'id' | 'attempt'>;

/** @returns whether the attempt is still the current one. */
export async function saveExportProgress(db: Queryable, attempt: ExportAttempt, done: number): Promise<boolean> {
  return change(db, attempt, { done });
}

/** @returns false if another attempt has begun, or if its pictures were removed. */
export async function finishExport(
  db: Queryable,
  attempt: ExportAttempt,
  { key, bytes, sha256 }: { key: string; bytes: number; sha256: string },
): Promise<boolean> {
  return change(db, attempt, {
    status: 'ready',
    done: sql<number>`total`,
    artifact_key: key,
    bytes,
    sha256,
    finished_at: new Date(),
    expires_at: new Date(Date.now() + KEPT_MS),
  });
}

/** @returns whether the attempt is still the current one. */
export async function failExport(db: Queryable, attempt: ExportAttempt, reason: string): Promise<boolean> {
  return change(db, attempt, { status: 'failed', reason, finished_at: new Date() });
}

async function change(
  db: Queryable,
  { id, attempt }: ExportAttempt,
  values: UpdateObject<Schema, 'exports'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('exports')
    .set(values)
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('status', '=', 'building')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
