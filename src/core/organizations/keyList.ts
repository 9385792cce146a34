/** The keys of an organization, for its administrators. */
import { type ExpressionBuilder, sql } from 'kysely';
import { recordOf } from '../../contract/recordOf.ts';
import { keyReference, userReference } from '../../contract/records.ts';
import { ApiKeyRecord } from '../../contract/settings.ts';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { keyState, SCOPES, type Scope } from '../../domain/keys.ts';
import { type NewKey, newKey } from './keySecrets.ts';

/** Never has the secret, of which only a hash is stored. */
export interface KeyRow extends Omit<Row<'api_keys'>, 'secret_sha256' | 'organization_id'> {
  /** Name of the key that created it. */
  readonly creator: string | null;
  /** Name of the person who created it. */
  readonly user_name: string | null;
}

type Keys = ExpressionBuilder<Schema & { k: Schema['api_keys'] }, 'k'>;
const isActive = sql<boolean>`(k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))`;
const creators = (eb: Keys) => [
  eb.selectFrom('api_keys as c').select('c.name').whereRef('c.id', '=', 'k.created_by').as('creator'),
  eb.selectFrom('users as u').select('u.name').whereRef('u.id', '=', 'k.created_by_user').as('user_name'),
];

function keysOf(db: Queryable, organizationId: string) {
  return db.selectFrom('api_keys as k').where('k.organization_id', '=', organizationId);
}

const COLUMNS = [
  'k.id',
  'k.name',
  'k.scopes',
  'k.created_at',
  'k.created_by',
  'k.created_by_user',
  'k.expires_at',
  'k.revoked_at',
  'k.last_used_at',
] as const;

/** Active keys first, then the newest. */
export async function listKeyRows(
  db: Queryable,
  { organizationId, ...range }: { organizationId: string } & TimeRange,
  page: Page,
): Promise<ListPage<KeyRow>> {
  const keys = keysOf(db, organizationId).where(isInRange(sql`k.created_at`, range));
  const rows = keys
    .select(COLUMNS)
    .select(creators)
    .orderBy(isActive, 'desc')
    .orderBy('k.created_at', 'desc')
    .orderBy('k.id');
  return readListPage(db, rows, page);
}

/** @returns how many active keys this person created. They stay valid when the person leaves. */
export async function countKeysOf(
  db: Queryable,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<number> {
  const own = keysOf(db, organizationId).where(isActive).where('k.created_by_user', '=', userId);
  const { count } = await own.select(sql<number>`count(*)::integer`.as('count')).executeTakeFirstOrThrow();
  return count;
}

export async function findKeyRow(db: Queryable, { organizationId, id }: ObjectRef): Promise<KeyRow | undefined> {
  return keysOf(db, organizationId).select(COLUMNS).select(creators).where('k.id', '=', id).executeTakeFirst();
}

export interface ActiveKeys {
  readonly count: number;
  /** Those with the scope admin. */
  readonly admins: readonly string[];
}

/** Counts the active keys. Locks the organization, so that no other transaction changes them before this one ends. */
export async function lockActiveKeys(transaction: Queryable, organizationId: string): Promise<ActiveKeys> {
  await lockOrganizationById(transaction, organizationId);
  const rows = await keysOf(transaction, organizationId).select(['k.id', 'k.scopes']).where(isActive).execute();
  return { count: rows.length, admins: rows.filter(({ scopes }) => scopes.includes('admin')).map(({ id }) => id) };
}

/** Makes a key and stores the hash of its secret. */
export async function insertKey(
  db: Queryable,
  given: {
    organizationId: string;
    name: string;
    scopes: readonly Scope[];
    expiresAt?: Date;
    createdBy?: Pick<Actor, 'keyId' | 'userId'>;
  },
): Promise<NewKey> {
  const key = newKey();
  await db
    .insertInto('api_keys')
    .values({
      id: key.id,
      organization_id: given.organizationId,
      name: given.name,
      secret_sha256: key.sha256,
      scopes: [...given.scopes],
      expires_at: given.expiresAt ?? null,
      created_by: given.createdBy?.keyId ?? null,
      created_by_user: given.createdBy?.userId ?? null,
    })
    .execute();
  return key;
}
export function apiKeyRecord(row: KeyRow): ApiKeyRecord {
  return recordOf(ApiKeyRecord, row, {
    scopes: SCOPES.filter((scope) => row.scopes.includes(scope)),
    status: keyState(row, new Date()),
    created_by: keyReference(row.created_by, row.creator),
    created_by_user: userReference(row.created_by_user, row.user_name),
  });
}
