/** Request templates: sites, devices and options, saved under a name. */

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { TemplateBody } from '../../contract/templates.ts';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { Row } from '../../db/rows.ts';

export type TemplateRow = Row<'request_templates'>;

export interface TemplateToSave {
  readonly organizationId: string;
  readonly name: string;
  readonly body: TemplateBody;
  /** The key of the person or program that saves it. */
  readonly keyId: string;
}

/** Inserts the template, or replaces the one of the same name. */
export async function upsertTemplate(
  db: Queryable,
  { organizationId, name, body, keyId }: TemplateToSave,
): Promise<{ row: TemplateRow; created: boolean }> {
  const id = randomUUID();
  const json = JSON.stringify(body);
  const row = await db
    .insertInto('request_templates')
    .values({ id, organization_id: organizationId, name, body: json, saved_by: keyId })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'name'])
        .doUpdateSet({ body: json, saved_by: keyId, updated_at: sql<Date>`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return { row, created: row.id === id };
}

export async function countTemplates(db: Queryable, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('request_templates')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** By name. */
export async function listTemplates(
  db: Queryable,
  { organizationId, ...range }: { organizationId: string } & TimeRange,
  page: Page,
): Promise<ListPage<TemplateRow>> {
  const matching = db
    .selectFrom('request_templates')
    .where('organization_id', '=', organizationId)
    .where(isInRange(sql`created_at`, range));
  const rows = matching.selectAll().orderBy(sql`lower(name)`).orderBy('id');
  return readListPage(db, rows, page);
}

interface OneTemplate {
  readonly organizationId: string;
  /** A UUID. */
  readonly id: string;
}

export async function findTemplate(
  db: Queryable,
  { organizationId, id }: OneTemplate,
): Promise<TemplateRow | undefined> {
  return db
    .selectFrom('request_templates')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** @returns false if the organization has no such template. */
export async function deleteTemplate(db: Queryable, { organizationId, id }: OneTemplate): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('request_templates')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
