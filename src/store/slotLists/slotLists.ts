/** The last good copies of filter lists, and the bundle that was compiled from them. */
import type { Queryable } from '../database/database.ts';

export interface ListCopy {
  readonly source: string;
  /** The text, compressed with gzip. */
  readonly content: Buffer;
  readonly sha256: string;
  readonly etag: string | null;
  readonly fetched_at: Date;
  readonly check_at: Date;
}

export async function readListCopies(db: Queryable): Promise<ListCopy[]> {
  return db.selectFrom('slot_lists').selectAll().execute();
}

export async function saveListCopy(db: Queryable, copy: Omit<ListCopy, 'fetched_at'>): Promise<void> {
  const { source, ...rest } = { ...copy, fetched_at: new Date() };
  await db
    .insertInto('slot_lists')
    .values({ source, ...rest })
    .onConflict((conflict) => conflict.column('source').doUpdateSet(rest))
    .execute();
}

/** The list is not fetched before that time. */
export async function postponeList(db: Queryable, source: string, checkAt: Date): Promise<void> {
  await db.updateTable('slot_lists').set({ check_at: checkAt }).where('source', '=', source).execute();
}

/** Deletes the copies of lists that are no longer configured. */
export async function keepOnlyLists(db: Queryable, sources: readonly string[]): Promise<void> {
  const all = db.deleteFrom('slot_lists');
  await (sources.length === 0 ? all : all.where('source', 'not in', sources)).execute();
}

export interface BundleKey {
  readonly format: string;
  readonly input: string;
  readonly sha256: string;
}

/** @returns undefined if there are no lists. */
export async function readBundleKey(db: Queryable): Promise<BundleKey | undefined> {
  return db.selectFrom('slot_list_bundle').select(['format', 'input', 'sha256']).executeTakeFirst();
}

/** @returns undefined if there is no such bundle any more. */
export async function readBundle(db: Queryable, sha256: string): Promise<Buffer | undefined> {
  const query = db.selectFrom('slot_list_bundle').select('content').where('sha256', '=', sha256);
  return (await query.executeTakeFirst())?.content;
}

export async function saveBundle(db: Queryable, bundle: BundleKey & { readonly content: Buffer }): Promise<void> {
  const row = { ...bundle, created_at: new Date() };
  await db
    .insertInto('slot_list_bundle')
    .values(row)
    .onConflict((conflict) => conflict.column('singleton').doUpdateSet(row))
    .execute();
}

export async function deleteBundle(db: Queryable): Promise<void> {
  await db.deleteFrom('slot_list_bundle').execute();
}
