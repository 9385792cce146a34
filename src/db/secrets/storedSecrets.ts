/** The stored secrets as a whole: which keys they need, and the rotation to another key. */
import { type RawBuilder, sql } from 'kysely';
import { SEALED_PREFIX } from '../../lib/keyRing.ts';
import type { Queryable } from '../database.ts';
import {
  chatAddressPlace,
  connectorSecretPlace,
  endpointHeadersPlace,
  endpointSecretPlace,
  INSTALLATION_PLACE,
  keyRingOf,
  openSecret,
  pageAccessPlace,
  type SecretPlace,
  sealSecret,
  sessionTokenPlace,
  siteRuleAccessPlace,
  webhookSecretPlace,
} from './sealing.ts';

interface SecretColumn {
  readonly table: string;
  readonly column: string;
  /** The column with the id that {@link place} takes. */
  readonly idColumn: string;
  readonly isBytes: boolean;
  place(id: string): SecretPlace;
}

const organizations = { table: 'organizations', idColumn: 'id', isBytes: false, place: webhookSecretPlace };
const endpoints = { table: 'webhook_endpoints', idColumn: 'id', isBytes: false };
const COLUMNS: readonly SecretColumn[] = [
  { ...organizations, column: 'webhook_secret' },
  { ...organizations, column: 'previous_webhook_secret' },
  {
    table: 's3_connectors',
    column: 'secret_access_key',
    idColumn: 'organization_id',
    isBytes: false,
    place: connectorSecretPlace,
  },
  { ...endpoints, column: 'secret', place: endpointSecretPlace },
  { ...endpoints, column: 'previous_secret', place: endpointSecretPlace },
  { ...endpoints, column: 'headers', place: endpointHeadersPlace },
  { table: 'page_access', column: 'content', idColumn: 'id', isBytes: false, place: pageAccessPlace },
  { table: 'site_rules', column: 'access', idColumn: 'id', isBytes: false, place: siteRuleAccessPlace },
  { table: 'user_sessions', column: 'id_token', idColumn: 'id', isBytes: false, place: sessionTokenPlace },
  { table: 'notice_chats', column: 'address', idColumn: 'id', isBytes: false, place: chatAddressPlace },
  { table: 'installation', column: 'secret', idColumn: 'id', isBytes: true, place: () => INSTALLATION_PLACE },
];
const STEP = 100;

/**
 * Seals all secrets with the first key. Works in steps of at most {@link STEP} rows, and each row is one statement. It can be interrupted at any time, and a
 * later call continues. A secret that is replaced in the meantime is not overwritten.
 * @param onProgress gets the number of secrets that are done, after each step.
 * @returns the number of secrets that it sealed. @throws Error if a key is missing.
 */
export async function rotateKeys(db: Queryable, onProgress?: (done: number) => void): Promise<number> {
  const done = `${SEALED_PREFIX}${keyRingOf(db).currentId}:`;
  let sealed = 0;
  for (const column of COLUMNS) {
    for (;;) {
      const rows = await readStep(db, column, done);
      if (rows.length === 0) break;
      for (const row of rows) await sealRow(db, column, row);
      sealed += rows.length;
      onProgress?.(sealed);
    }
  }
  return sealed;
}

/** @returns the ids of all keys that stored secrets need. */
export async function storedKeyIds(db: Queryable): Promise<string[]> {
  const ids = new Set<string>();
  for (const column of COLUMNS) {
    const { rows } = await sql<{ key_id: string }>`
      select distinct split_part(${textOf(column)}, ':', 3) as key_id
      from ${sql.table(column.table)} where starts_with(${textOf(column)}, ${SEALED_PREFIX})`.execute(db);
    for (const { key_id } of rows) ids.add(key_id);
  }
  return [...ids].sort();
}

interface StoredSecret {
  readonly id: string;
  readonly value: string;
}

async function readStep(db: Queryable, column: SecretColumn, done: string): Promise<StoredSecret[]> {
  const { rows } = await sql<StoredSecret>`
    select ${sql.ref(column.idColumn)}::text as id, ${textOf(column)} as value from ${sql.table(column.table)}
    where ${sql.ref(column.column)} is not null and not starts_with(${textOf(column)}, ${done})
    limit ${STEP}`.execute(db);
  return rows;
}

async function sealRow(db: Queryable, column: SecretColumn, { id, value }: StoredSecret): Promise<void> {
  const place = column.place(id);
  const sealed = sealSecret(db, openSecret(db, value, place), place);
  const stored = column.isBytes ? sql`convert_to(${sealed}, 'UTF8')` : sql`${sealed}`;
  await sql`update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${stored}
    where ${sql.ref(column.idColumn)}::text = ${id} and ${textOf(column)} = ${value}`.execute(db);
}

/** A sealed secret is text also in a column of bytes; other bytes are read in base64, as they are sealed. */
function textOf({ column, isBytes }: SecretColumn): RawBuilder<string> {
  const ref = sql.ref(column);
  if (!isBytes) return sql<string>`${ref}`;
  const isText = sql`substring(${ref} from 1 for ${SEALED_PREFIX.length}) = convert_to(${SEALED_PREFIX}, 'UTF8')`;
  return sql<string>`(case when ${isText} then convert_from(${ref}, 'UTF8') else encode(${ref}, 'base64') end)`;
}
