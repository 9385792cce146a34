/** The stored secrets as a whole: which keys they need, and the rotation to another key. */
import { type RawBuilder, sql } from 'kysely';
import { SEALED_PREFIX } from '../../lib/keyRing.ts';
import type { Queryable } from '../database.ts';
import { INSTALLATION_PLACE, keyRingOf, openSecret, SECRETS, sealSecret } from './sealing.ts';

interface SecretColumn {
  /** As the secret is sealed. */
  readonly name: (typeof SECRETS)[number];
  readonly table: string;
  readonly column: string;
  /** The column with the id with which the secret is sealed. */
  readonly idColumn: string;
}

/** Columns with the secret before. */
const EARLIER: Partial<Record<SecretColumn['name'], string>> = {
  'organizations.webhook_secret': 'previous_webhook_secret',
  'webhook_endpoints.secret': 'previous_secret',
};
const COLUMNS: readonly SecretColumn[] = SECRETS.flatMap((name) => {
  const [table = '', present = ''] = name.split('.');
  const idColumn = table === 's3_connectors' ? 'organization_id' : 'id';
  return [present, EARLIER[name] ?? []].flat().map((column) => ({ name, table, column, idColumn }));
});
const isBytes = ({ name }: SecretColumn) => name === 'installation.secret';
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
  const place = isBytes(column) ? INSTALLATION_PLACE : (`${column.name} of ${id}` as const);
  const sealed = sealSecret(db, openSecret(db, value, place), place);
  const stored = isBytes(column) ? sql`convert_to(${sealed}, 'UTF8')` : sql`${sealed}`;
  await sql`update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${stored}
    where ${sql.ref(column.idColumn)}::text = ${id} and ${textOf(column)} = ${value}`.execute(db);
}

/** A sealed secret is text also in a column of bytes; other bytes are read in base64, as they are sealed. */
function textOf(column: SecretColumn): RawBuilder<string> {
  const ref = sql.ref(column.column);
  if (!isBytes(column)) return sql<string>`${ref}`;
  const isText = sql`substring(${ref} from 1 for ${SEALED_PREFIX.length}) = convert_to(${SEALED_PREFIX}, 'UTF8')`;
  return sql<string>`(case when ${isText} then convert_from(${ref}, 'UTF8') else encode(${ref}, 'base64') end)`;
}
