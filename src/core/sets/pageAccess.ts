/** Cookies and headers of pages, sealed in the database. Only captures and retakes read them. */
import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../db/database.ts';
import { openSecret, sealSecret } from '../../db/secrets/sealing.ts';
import type { PageAccess } from '../../domain/pageAccess.ts';
import type { PlannedPicture } from '../../domain/screenshots.ts';

/** @returns the rows to store as JSON, one for each different access, and the row of each picture. */
export function pageAccessRows(tx: Queryable, pictures: readonly PlannedPicture[]) {
  const ids = new Map<string, string>();
  for (const { access } of pictures) {
    const content = JSON.stringify(access);
    if (access !== null && !ids.has(content)) ids.set(content, randomUUID());
  }
  const rows = [...ids].map(([content, id]) => ({
    id,
    content: sealSecret(tx, content, `page_access.content of ${id}`),
  }));
  return {
    rows: JSON.stringify(rows),
    idOf: ({ access }: PlannedPicture) => (access === null ? null : (ids.get(JSON.stringify(access)) ?? null)),
  };
}

/** @returns the cookies and headers of the pages of a set, by the ids of their rows. */
export async function readPageAccess(db: Queryable, setId: string): Promise<ReadonlyMap<string, PageAccess>> {
  const rows = await db.selectFrom('page_access').select(['id', 'content']).where('set_id', '=', setId).execute();
  return new Map(
    rows.map(({ id, content }) => [id, JSON.parse(openSecret(db, content, `page_access.content of ${id}`))]),
  );
}
