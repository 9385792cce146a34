/** Request templates: sites, devices and options, saved under a name. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { TemplateBody } from '../../contract/templates.ts';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { Row } from '../../db/rows.ts';
import { conflict, unknownId } from '../../domain/failure.ts';
import { TEMPLATES_MAX } from '../../domain/templates.ts';
import { lockOrganizationById } from '../organizations/organizations.ts';
import { noteRemoved } from '../removal/deletions.ts';

export type TemplateRow = Row<'request_templates'>;

interface TemplateToSave {
  readonly organizationId: string;
  readonly name: string;
  readonly body: TemplateBody;
  /** The key of the person or program that saves it. */
  readonly keyId: string;
}

interface OneTemplate {
  readonly organizationId: string;
  /** A UUID. */
  readonly id: string;
}

/** @throws Failure (404) */
export async function removeTemplate(tx: Queryable, one: { organizationId: string; id: string }): Promise<void> {
  if (!(await deleteTemplate(tx, one))) throw unknownId();
  await noteRemoved(tx, one);
}

/** Saves a template under its name. @throws Failure (409) if the organization has too many. */
export async function saveTemplate(
  tx: Queryable,
  template: TemplateToSave,
): Promise<{ row: TemplateRow; created: boolean }> {
  await lockOrganizationById(tx, template.organizationId);
  const saved = await upsertTemplate(tx, template);
  if (saved.created && (await countTemplates(tx, template.organizationId)) > TEMPLATES_MAX)
    throw conflict('name', `would be the name of one more than ${TEMPLATES_MAX} templates: delete one first.`);
  return saved;
}

/** Inserts the template, or replaces the one of the same name. */
async function upsertTemplate(
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

async function countTemplates(db: Queryable, organizationId: string): Promise<number> {
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
async function deleteTemplate(db: Queryable, { organizationId, id }: OneTemplate): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('request_templates')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
