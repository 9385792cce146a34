import { sql } from 'kysely';
import type { ConnectorCheckBody } from '../../contract/connectors.ts';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';
import { openSecret, sealSecret } from '../../db/secrets/sealing.ts';
import { DEFAULT_CONNECTOR, type Encryption, type StorageClass } from '../../domain/connectors.ts';
import { invalid } from '../../domain/failure.ts';
import { requireOrganization } from '../organizations/organizations.ts';

/** The secret is sealed. {@link openConnectorSecret} opens it where it is used, so one that cannot be opened harms no list. */
export type S3Connector = Row<'s3_connectors'>;

/** An access key, or a role that the service assumes. */
export type ConnectorIdentity =
  | { readonly accessKeyId: string; readonly secretAccessKey: string }
  | { readonly roleArn: string };

export interface ConnectorSettings {
  readonly region: string;
  /** {@link DEFAULT_CONNECTOR} unless given. */
  readonly name?: string;
  /** Only for servers other than AWS. */
  readonly endpoint?: string | undefined;
  readonly forcePathStyle?: boolean | null | undefined;
  readonly encryption?: Encryption | null | undefined;
  readonly kmsKeyId?: string | null | undefined;
  readonly storageClass?: StorageClass | null | undefined;
}

export type NewS3Connector = ConnectorSettings & ConnectorIdentity;

const NOT_CHECKED = {
  check_bucket: null,
  check_region: null,
  check_key_prefix: null,
  check_status: null,
  check_message: null,
  check_requested_at: null,
  check_finished_at: null,
} as const;

/** Sets or replaces the access with which pictures are put into the organization's buckets. */
export async function setS3Connector(db: Queryable, slug: string, given: NewS3Connector): Promise<void> {
  if (given.endpoint !== undefined && !/^https?:$/.test(URL.parse(given.endpoint)?.protocol ?? '')) {
    throw invalid({ endpoint: ['must be an absolute http or https address.'] });
  }
  const organization = await requireOrganization(db, slug);
  const values = {
    region: given.region,
    endpoint: given.endpoint ?? null,
    ...identityColumns(db, given, organization.id),
    force_path_style: given.forcePathStyle ?? false,
    encryption: given.encryption ?? null,
    kms_key_id: given.kmsKeyId ?? null,
    storage_class: given.storageClass ?? null,
    updated_at: new Date(),
    ...NOT_CHECKED,
  };
  await db
    .insertInto('s3_connectors')
    .values({ organization_id: organization.id, name: given.name ?? DEFAULT_CONNECTOR, ...values })
    .onConflict((on) => on.columns(['organization_id', 'name']).doUpdateSet(values))
    .execute();
}

function identityColumns(db: Queryable, given: ConnectorIdentity, organizationId: string) {
  if ('roleArn' in given) return { role_arn: given.roleArn, access_key_id: null, secret_access_key: null };
  const secret = sealSecret(db, given.secretAccessKey, `s3_connectors.secret_access_key of ${organizationId}`);
  return { role_arn: null, access_key_id: given.accessKeyId, secret_access_key: secret };
}

/** A connector of an organization. */
export interface ConnectorKey {
  readonly organizationId: string;
  readonly name: string;
}

export async function findS3Connector(
  db: Queryable,
  { organizationId, name }: ConnectorKey,
): Promise<S3Connector | undefined> {
  return db
    .selectFrom('s3_connectors')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** @returns null for a connector with a role. @throws Error if no key opens it. */
export function openConnectorSecret(
  db: Queryable,
  { organization_id, secret_access_key }: Pick<S3Connector, 'organization_id' | 'secret_access_key'>,
): string | null {
  return (
    secret_access_key && openSecret(db, secret_access_key, `s3_connectors.secret_access_key of ${organization_id}`)
  );
}

/** @param range when they were set or changed. @returns the connectors by name, the default one first. */
export async function listS3Connectors(
  db: Queryable,
  organizationId: string,
  range: TimeRange = {},
): Promise<S3Connector[]> {
  return db
    .selectFrom('s3_connectors')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where(isInRange(sql`updated_at`, range))
    .orderBy((eb) => eb('name', '<>', DEFAULT_CONNECTOR))
    .orderBy('name')
    .execute();
}

/** Marks the connector as waiting for a check. @returns undefined if there is no connector. */
export async function startConnectorCheck(
  db: Queryable,
  { organizationId, name }: ConnectorKey,
  { bucket, region, key_prefix }: ConnectorCheckBody,
): Promise<S3Connector | undefined> {
  return db
    .updateTable('s3_connectors')
    .set({
      check_bucket: bucket,
      check_region: region ?? null,
      check_key_prefix: key_prefix ?? '',
      check_status: 'pending',
      check_message: null,
      check_requested_at: sql<Date>`now()`,
      check_finished_at: null,
    })
    .where('organization_id', '=', organizationId)
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst();
}

/** Stores the result of a check, unless the connector was changed or another check was requested in the meantime. */
export async function finishConnectorCheck(
  db: Queryable,
  { organization_id, name, check_requested_at }: Pick<S3Connector, 'organization_id' | 'name' | 'check_requested_at'>,
  result: { readonly status: 'passed' | 'failed'; readonly message: string },
): Promise<void> {
  await db
    .updateTable('s3_connectors')
    .set({ check_status: result.status, check_message: result.message, check_finished_at: sql<Date>`now()` })
    .where('organization_id', '=', organization_id)
    .where('name', '=', name)
    .where('check_status', '=', 'pending')
    .where(sql<boolean>`date_trunc('milliseconds', check_requested_at) = ${check_requested_at}`)
    .execute();
}
