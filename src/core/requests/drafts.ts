/** Drafts: the fields of new requests that a person has not sent yet. Each tab of a browser has one. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';

/** In JSON. A form may hold one tag of a megabyte. */
const DRAFT_MAX_BYTES = 2 * 1024 * 1024;
/** Each person, or key, has so many in an organization. The one that was left longest ago is removed first. */
const DRAFTS_MAX = 10;

interface Author {
  readonly organizationId: string;
  /** The key with which the person signed in, or the person. */
  readonly keyId: string | null;
  readonly userId: string | null;
}

const isOf = ({ organizationId, keyId, userId }: Author) =>
  sql<boolean>`organization_id = ${organizationId} and key_id is not distinct from ${keyId}
    and user_id is not distinct from ${userId}`;

/** @throws Failure (422) if the draft is too large to be kept. */
export async function saveDraft(
  db: Queryable,
  author: Author,
  { id, body }: { readonly id: string; readonly body: Readonly<Record<string, unknown>> },
): Promise<void> {
  const json = JSON.stringify(body);
  if (Buffer.byteLength(json) > DRAFT_MAX_BYTES)
    throw invalid({ draft: ['is too large to be kept: shorten its texts, or send the request in parts.'] });
  const { organizationId, keyId, userId } = author;
  await db
    .insertInto('drafts')
    .values({ organization_id: organizationId, key_id: keyId, user_id: userId, id, body: json })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'key_id', 'user_id', 'id'])
        .doUpdateSet({ body: json, updated_at: sql<Date>`now()` }),
    )
    .execute();
  const newest = db.selectFrom('drafts').select('id').where(isOf(author)).orderBy('updated_at', 'desc');
  await db.deleteFrom('drafts').where(isOf(author)).where('id', 'not in', newest.limit(DRAFTS_MAX)).execute();
}

export async function readDraft(
  db: Queryable,
  author: Author,
  id: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const row = await db.selectFrom('drafts').select('body').where(isOf(author)).where('id', '=', id).executeTakeFirst();
  return row?.body;
}

/** @returns the newest first. */
export async function listDrafts(db: Queryable, author: Author) {
  const text = <Name extends string>(name: Name) => sql<string>`left(body->>${name}, 80)`.as(name);
  const named = db.selectFrom('drafts').select(['id', 'updated_at', text('campaign'), text('sites')]);
  return named.where(isOf(author)).orderBy('updated_at', 'desc').execute();
}

/** Does nothing if there is no draft. */
export async function deleteDraft(db: Queryable, author: Author, id: string): Promise<void> {
  await db.deleteFrom('drafts').where(isOf(author)).where('id', '=', id).execute();
}
