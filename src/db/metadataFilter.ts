import { type RawBuilder, sql } from 'kysely';
import type { Metadata } from '../domain/metadata.ts';

/**
 * The condition that a row of the organization has all these pairs, written as `0001_schema.sql` indexes it. PostgreSQL needs
 * the exact expression of the index.
 */
export function hasMetadata(
  table: 'ads' | 'screenshot_sets',
  { organizationId, metadata }: { readonly organizationId: string; readonly metadata?: Metadata | undefined },
): RawBuilder<boolean> | undefined {
  if (metadata === undefined) return undefined;
  const [pairs, organization] = [sql.ref(`${table}.metadata`), sql.ref(`${table}.organization_id`)];
  const wanted = JSON.stringify(metadata);
  return sql<boolean>`metadata_marks(${organization}, ${pairs}) @> metadata_marks(${organizationId}::uuid, ${wanted}::jsonb)`;
}
