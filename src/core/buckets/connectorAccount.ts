import type { S3Connector } from './connectorQueries.ts';
import type { ConnectorRoles, RoleCredentials } from './connectorRoles.ts';
import { RoleError } from './roleErrors.ts';
import type { S3Account } from './s3Client.ts';

/** @returns the account of a stored connector. @throws RoleError if its role could not be assumed. */
export async function accountOf(row: S3Connector, roles: ConnectorRoles | undefined): Promise<S3Account> {
  return {
    ...(row.endpoint !== null && { endpoint: row.endpoint }),
    region: row.region,
    ...(await credentialsOf(row, roles)),
    forcePathStyle: row.force_path_style,
    encryption: row.encryption ?? undefined,
    kmsKeyId: row.kms_key_id ?? undefined,
    storageClass: row.storage_class ?? undefined,
  };
}

async function credentialsOf(row: S3Connector, roles: ConnectorRoles | undefined): Promise<RoleCredentials> {
  const { organization_id: externalId, role_arn: arn, region, access_key_id, secret_access_key } = row;
  if (arn === null) return { accessKeyId: access_key_id ?? '', secretAccessKey: secret_access_key ?? '' };
  if (roles === undefined)
    throw new RoleError('This service assumes no roles any more. Its operator can set AWS_PRINCIPAL_ARN.');
  return roles.credentialsOf({ arn, externalId, region });
}
