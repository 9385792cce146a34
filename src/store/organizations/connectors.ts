import type { Selectable } from 'kysely';
import { invalid } from '../../domain/failure.ts';
import type { Queryable } from '../database/database.ts';
import type { S3ConnectorTable } from '../database/schema.ts';
import { requireOrganization } from './organizations.ts';

export type S3Connector = Selectable<S3ConnectorTable>;

export interface NewS3Connector {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only for servers other than AWS. */
  readonly endpoint?: string;
  readonly forcePathStyle?: boolean;
}

/** Sets or replaces the access with which pictures are put into the organization's buckets. */
export async function setS3Connector(db: Queryable, slug: string, given: NewS3Connector): Promise<void> {
  if (given.endpoint !== undefined && !/^https?:$/.test(URL.parse(given.endpoint)?.protocol ?? '')) {
    throw invalid({ endpoint: ['must be an absolute http or https address.'] });
  }
  const organization = await requireOrganization(db, slug);
  const values = {
    region: given.region,
    endpoint: given.endpoint ?? null,
    access_key_id: given.accessKeyId,
    secret_access_key: given.secretAccessKey,
    force_path_style: given.forcePathStyle ?? false,
    updated_at: new Date(),
  };
  await db
    .insertInto('s3_connectors')
    .values({ organization_id: organization.id, ...values })
    .onConflict((on) => on.column('organization_id').doUpdateSet(values))
    .execute();
}

export async function findS3Connector(db: Queryable, organizationId: string): Promise<S3Connector | undefined> {
  return db.selectFrom('s3_connectors').selectAll().where('organization_id', '=', organizationId).executeTakeFirst();
}
