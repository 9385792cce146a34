/** Request templates and site lists: objects that an organization saves under a name for later requests. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Faults } from '../../contract/faults.ts';
import type { SiteListBody, TemplateBody } from '../../contract/savedObjects.ts';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readSearchPage } from '../../db/list.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import { conflict, invalid, unknownId } from '../../domain/failure.ts';
import { SAVED_BODY_MAX_BYTES, SITE_LISTS_MAX, TEMPLATES_MAX } from '../../domain/savedObjects.ts';
import { noteRemoved } from '../journal/tombstones.ts';

interface Bodies {
  readonly request_templates: TemplateBody;
  readonly site_lists: SiteListBody;
}

/** The tables have the same columns. */
type SavedTable = keyof Bodies;
export type SavedRow<T extends SavedTable> = Row<T>;
export type SavedName = Pick<SavedRow<SavedTable>, 'id' | 'name'>;

const MOST: Readonly<Record<SavedTable, readonly [count: number, noun: string]>> = {
  request_templates: [TEMPLATES_MAX, 'templates'],
  site_lists: [SITE_LISTS_MAX, 'site lists'],
};

interface ToSave<T extends SavedTable> {
  readonly organizationId: string;
  readonly name: string;
  readonly body: Bodies[T];
  /** The key with which it is saved, if there is one. */
  readonly keyId: string | null;
}

/** Inserts the object, or replaces the one of the same name. @throws Failure: 409 for one too many, 422 for a too large one. */
export async function saveNamed<T extends SavedTable>(
  tx: Queryable,
  table: T,
  { organizationId, name, body, keyId }: ToSave<T>,
): Promise<{ row: SavedRow<T>; created: boolean }> {
  const json = JSON.stringify(body);
  if (Buffer.byteLength(json) > SAVED_BODY_MAX_BYTES)
    throw invalid({ sites: ['are too large together: save them in parts, or shorten their addresses.'] });
  await lockOrganizationById(tx, organizationId);
  const id = randomUUID();
  const { rows } = await sql<SavedRow<T> & { id: string; total: number }>`
    insert into ${sql.table(table)} (id, organization_id, name, body, saved_by)
    values (${id}, ${organizationId}, ${name}, ${json}, ${keyId})
    on conflict (organization_id, name)
      do update set body = excluded.body, saved_by = excluded.saved_by, updated_at = now()
    returning *, (select count(*)::integer from ${sql.table(table)} where organization_id = ${organizationId}) as total`.execute(
    tx,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('unreachable: an upsert returns its row');
  const created = row.id === id;
  const [most, noun] = MOST[table];
  // The count is that before the insert.
  if (created && row.total >= most)
    throw conflict('name', `would be the name of one more than ${most} ${noun}: delete one first.`);
  return { row, created };
}

/** Saves a template whose ads and site list exist. @throws Failure: 409 as `saveNamed`, 422 for ids of other organizations. */
export async function saveTemplate(tx: Queryable, template: ToSave<'request_templates'>) {
  const { organizationId, body } = template;
  const faults = new Faults();
  const ids = (body.ads ?? []).map(({ id }) => id);
  const { rows } = await sql<{ id: string }>`
    select id from ads where organization_id = ${organizationId} and id = any(${ids}::uuid[])`.execute(tx);
  const known = new Set(rows.map(({ id }) => id));
  for (const [index, id] of ids.entries())
    if (!known.has(id)) faults.add(`ads.${index}.id`, 'is not the id of an ad of this organization.');
  const list = body.site_list?.id;
  if (list !== undefined && (await findNamed(tx, 'site_lists', { organizationId, id: list })) === undefined)
    faults.add('site_list.id', 'is not the id of a site list of this organization.');
  if (faults.any) throw invalid(faults.errors);
  return saveNamed(tx, 'request_templates', template);
}

/** By name. */
export async function listNamed<T extends SavedTable>(
  db: Queryable,
  table: T,
  { organizationId, ...range }: { organizationId: string } & TimeRange,
  page: Page,
): Promise<ListPage<SavedRow<T>>> {
  const where = sql`organization_id = ${organizationId} and ${isInRange(sql`created_at`, range)}`;
  const list = { table, columns: sql`*`, where, order: sql`lower(name), id`, words: undefined };
  return readSearchPage<SavedRow<T>>(db, list, page);
}

/** All of an organization, by name. */
export async function listNames(db: Queryable, table: SavedTable, organizationId: string): Promise<SavedName[]> {
  const { rows } = await sql<SavedName>`
    select id, name from ${sql.table(table)} where organization_id = ${organizationId} order by lower(name), id`.execute(
    db,
  );
  return rows;
}

export async function findNamed<T extends SavedTable>(
  db: Queryable,
  table: T,
  { organizationId, id }: ObjectRef,
): Promise<SavedRow<T> | undefined> {
  const { rows } = await sql<SavedRow<T>>`
    select * from ${sql.table(table)} where organization_id = ${organizationId} and id = ${id}`.execute(db);
  return rows[0];
}

/** @throws Failure (404) */
export async function removeNamed(tx: Queryable, table: SavedTable, one: ObjectRef): Promise<void> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where organization_id = ${one.organizationId} and id = ${one.id}`.execute(tx);
  if (numAffectedRows === 0n) throw unknownId();
  await noteRemoved(tx, one);
}
