import type { Selectable } from 'kysely';
import type { Queryable } from '../database/database.ts';
import type { ImageTable } from '../database/schema.ts';

export type Image = Selectable<ImageTable>;

/** The picture that an unguessable token stands for. */
export async function findImage(db: Queryable, token: string): Promise<Image | undefined> {
  return db.selectFrom('images').selectAll().where('token', '=', token).executeTakeFirst();
}
