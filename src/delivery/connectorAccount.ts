import type { S3Connector } from '../store/organizations/connectors.ts';
import type { S3Account } from './s3Client.ts';

/** @returns the account of a stored connector. */
export function accountOf(row: S3Connector): S3Account {
  return {
    ...(row.endpoint !== null && { endpoint: row.endpoint }),
    region: row.region,
    accessKeyId: row.access_key_id,
    secretAccessKey: row.secret_access_key,
    forcePathStyle: row.force_path_style,
    encryption: row.encryption ?? undefined,
    kmsKeyId: row.kms_key_id ?? undefined,
    storageClass: row.storage_class ?? undefined,
  };
}
