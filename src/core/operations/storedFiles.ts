/** Compares the rows that name files with the artifact store, for example after one of both was restored. */
import { type RawBuilder, sql } from 'kysely';
import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Queryable } from '../../db/database.ts';

/** A file that a row names and the store does not have. */
export interface MissingFile {
  readonly kind: 'picture' | 'upload' | 'export';
  /** The id of the organization. */
  readonly organization: string;
  readonly key: string;
}

/** Each statement has a text `id` by which the next page follows. */
const FILES: Readonly<Record<MissingFile['kind'], RawBuilder<unknown>>> = {
  picture: sql`select token as id, organization_id, artifact_key as key from images where artifact_key <> ''`,
  upload: sql`select id::text, organization_id, 'uploads/' || id as key from uploads where sha256 is not null`,
  export: sql`select id::text, organization_id, artifact_key as key from exports where status = 'ready' and artifact_key is not null`,
};
const KINDS = ['picture', 'upload', 'export'] as const;

const ROWS_TOGETHER = 500;
/** Requests to the store at the same time. */
const AT_ONCE = 20;

/** Asks the store for each file, and stores nothing. @param onProgress called now and then with the number of files so far. */
export async function* missingFiles(
  { db, artifacts }: { readonly db: Queryable; readonly artifacts: Pick<ArtifactStore, 'sizeOf'> },
  onProgress: (checked: number) => void,
): AsyncGenerator<MissingFile> {
  let checked = 0;
  for (const kind of KINDS) {
    for (let after = ''; ; ) {
      const { rows } = await sql<{ id: string; organization_id: string; key: string }>`
        select * from (${FILES[kind]}) f where f.id > ${after} order by f.id limit ${ROWS_TOGETHER}`.execute(db);
      for (let start = 0; start < rows.length; start += AT_ONCE) {
        const some = rows.slice(start, start + AT_ONCE);
        const sizes = await Promise.all(some.map(({ key }) => artifacts.sizeOf(key)));
        for (const [at, { organization_id: organization, key }] of some.entries())
          if (sizes[at] === undefined) yield { kind, organization, key };
      }
      checked += rows.length;
      onProgress(checked);
      after = rows.at(-1)?.id ?? '';
      if (rows.length < ROWS_TOGETHER) break;
    }
  }
}
