/** Connectors: the S3 accounts of an organization. */
import { isSlug } from './slugs.ts';

/** The connector of subscribers that name none. */
export const DEFAULT_CONNECTOR = 's3';

/** The same rule as the check constraint of the table. */
export const isConnectorName = isSlug;

/** Values of the header `x-amz-server-side-encryption`. */
export const ENCRYPTIONS = ['AES256', 'aws:kms'] as const;
export type Encryption = (typeof ENCRYPTIONS)[number];

/** Values of the header `x-amz-storage-class`. */
export const STORAGE_CLASSES = [
  'STANDARD',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
] as const;
export type StorageClass = (typeof STORAGE_CLASSES)[number];
