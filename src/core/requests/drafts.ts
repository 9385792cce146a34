/** Drafts: the fields of a new request that a person has not sent yet. Each person, or key, has one in an organization. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';

/** In JSON. A form may hold one tag of a megabyte. */
const DRAFT_MAX_BYTES = 2 * 1024 * 1024;

interface DraftOf {
  readonly organizationId: string;
  /** The key with which the person signed in, or the person. */
  readonly keyId: string | null;
  readonly userId: string | null;
}

/** @throws Failure (422) if the draft is too large to be kept. */
export async function saveDraft(
  db: Queryable,
  { organizationId, keyId, userId, body }: DraftOf & { readonly body: Readonly<Record<string, unknown>> },
): Promise<void> {
  const json = JSON.stringify(body);
  if (Buffer.byteLength(json) > DRAFT_MAX_BYTES)
    throw invalid({ draft: ['is too large to be kept: shorten its texts, or send the request in parts.'] });
  await db
    .insertInto('request_drafts')
    .values({ organization_id: organizationId, key_id: keyId, user_id: userId, body: json })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', userId === null ? 'key_id' : 'user_id'])
        .doUpdateSet({ body: json, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

export async function readDraft(
  db: Queryable,
  { organizationId, keyId, userId }: DraftOf,
): Promise<{ readonly body: Readonly<Record<string, unknown>>; readonly updated_at: Date } | undefined> {
  return db
    .selectFrom('request_drafts')
    .select(['body', 'updated_at'])
    .where('organization_id', '=', organizationId)
    .where('key_id', 'is not distinct from', keyId)
    .where('user_id', 'is not distinct from', userId)
    .executeTakeFirst();
}

/** Does nothing if there is no draft. */
export async function deleteDraft(db: Queryable, { organizationId, keyId, userId }: DraftOf): Promise<void> {
  await db
    .deleteFrom('request_drafts')
    .where('organization_id', '=', organizationId)
    .where('key_id', 'is not distinct from', keyId)
    .where('user_id', 'is not distinct from', userId)
    .execute();
}
