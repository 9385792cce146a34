import { randomUUID } from 'node:crypto';
import type { Updateable } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';
import { openSecret, sealSecret } from '../../db/secrets/sealing.ts';
import { newWebhookSecret, secretState, type WebhookSecretState } from '../../db/secrets/webhookSecrets.ts';
import { conflict, invalid, notFound } from '../../domain/failure.ts';
import { SCOPES } from '../../domain/keys.ts';
import type { Priority } from '../../domain/priorities.ts';
import { isSlug } from '../../domain/slugs.ts';
import { insertKey } from './keyList.ts';

export type Organization = Row<'organizations'>;

/** The output of `tearsheet org create`. The key is shown only once. */
export interface NewOrganization {
  /** Its slug. */
  readonly organization: string;
  readonly api_key: string;
  readonly webhook_secret: string;
}

/**
 * Creates an organization and its first key, with all scopes, in a transaction of its own unless `db` is one.
 * @throws Failure for a slug that is taken or malformed.
 */
export async function createOrganization(db: Queryable, { slug }: { slug: string }): Promise<NewOrganization> {
  if (!isSlug(slug)) {
    throw invalid({
      slug: ['must be 1 to 63 lower-case letters, digits and hyphens, neither beginning nor ending with a hyphen.'],
    });
  }
  const [id, secret] = [randomUUID(), newWebhookSecret()];
  const create = async (tx: Queryable): Promise<NewOrganization> => {
    const made = await tx
      .insertInto('organizations')
      .values({ id, slug, webhook_secret: sealSecret(tx, secret, `organizations.webhook_secret of ${id}`) })
      .onConflict((on) => on.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made === undefined) throw conflict('slug', `is taken: an organization "${slug}" already exists.`);
    const key = await insertKey(tx, { organizationId: made.id, name: 'first key', scopes: SCOPES });
    return { organization: slug, api_key: key.text, webhook_secret: secret };
  };
  return db.isTransaction ? create(db) : db.transaction().execute(create);
}

export async function findOrganization(db: Queryable, slug: string): Promise<Organization | undefined> {
  return db.selectFrom('organizations').selectAll().where('slug', '=', slug).executeTakeFirst();
}

/** @throws Failure (404) if there is no such organization. */
export async function requireOrganization(db: Queryable, slug: string): Promise<Organization> {
  const organization = await findOrganization(db, slug);
  if (organization === undefined) throw unknownOrganization(slug);
  return organization;
}

/** Also keeps other transactions from changing the row before this one ends. @throws Failure (404) if there is no such organization. */
export async function lockOrganization(tx: Queryable, slug: string): Promise<Organization> {
  const row = await tx
    .selectFrom('organizations')
    .selectAll()
    .where('slug', '=', slug)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw unknownOrganization(slug);
  return row;
}

export async function listOrganizations(db: Queryable): Promise<Organization[]> {
  return db.selectFrom('organizations').selectAll().where('deleted_at', 'is', null).orderBy('slug').execute();
}

export type StoredSettings = Pick<
  Organization,
  'review' | 'set_retention_days' | 'language' | 'time_zone' | 'creative_check'
>;

/** Null: as the operator's settings say. */
export interface OwnQuotas {
  readonly pictures_per_day: number | null;
  readonly running_captures: number | null;
}

export interface OwnPriorities {
  readonly default_priority: Priority;
  readonly max_priority: Priority;
}

export async function readHighestPriority(db: Queryable, id: string): Promise<Priority> {
  const row = await db
    .selectFrom('organizations')
    .select('max_priority')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.max_priority;
}

/** @returns the webhook secret as its receivers know it. */
export function webhookSecretOf(db: Queryable, { id, webhook_secret }: Organization): string {
  return openSecret(db, webhook_secret, `organizations.webhook_secret of ${id}`);
}

export async function readWebhookSecret(db: Queryable, slug: string): Promise<WebhookSecretState> {
  const row = await requireOrganization(db, slug);
  return secretState({
    createdAt: row.created_at,
    rotatedAt: row.webhook_secret_rotated_at,
    hasPrevious: row.previous_webhook_secret !== null,
  });
}

/** @throws Failure (404) if there is no such organization. */
export async function changeOrganization(
  db: Queryable,
  slug: string,
  values: Updateable<Schema['organizations']>,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('organizations')
    .set(values)
    .where('slug', '=', slug)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw unknownOrganization(slug);
}

function unknownOrganization(slug: string) {
  return notFound('organization_slug', `There is no organization "${slug}".`);
}
