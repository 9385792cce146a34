/** Connectors: the S3 accounts of an organization. The rules for buckets and keys are those of Amazon S3. */
import { isSlug } from './slugs.ts';

export const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

const NAME_RULES: readonly (readonly [RegExp, string])[] = [
  [BUCKET_NAME, 'must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens.'],
  [/^(?!.*(\.\.|\.-|-\.))/, 'must be the name of a bucket: a dot stands between letters or digits.'],
  [/^(?!\d+\.\d+\.\d+\.\d+$)/, 'must be the name of a bucket, not an IP address.'],
  [/^(?!xn--|sthree-|amzn-s3-demo-)/, 'must not begin with xn--, sthree- or amzn-s3-demo-, which S3 reserves.'],
  [/^(?!.*(--ol-s3|\.mrap|--table-s3)$)/, 'must not end with --ol-s3, .mrap or --table-s3, which S3 reserves.'],
];

/** A key may have 1,024 bytes. The longest name of a picture takes about 350. */
export const KEY_PREFIX_MAX_BYTES = 512;

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

/** Aliases of access points (`…-s3alias`) and directory buckets (`…--x-s3`) have special names and pass. @returns why S3 has no such bucket, or undefined. */
export function bucketFault(name: string): string | undefined {
  return NAME_RULES.find(([pattern]) => !pattern.test(name))?.[1];
}

/**
 * The service puts a prefix before its keys without any change. It therefore rejects prefixes that other programs read as
 * something else: a segment `..` and a backslash leave the folder when a program stores the object as a file.
 * @returns why the prefix is not allowed, or undefined.
 */
export function keyPrefixFault(prefix: string): string | undefined {
  if (/[\p{Cc}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/u.test(prefix))
    return 'must not contain control characters.';
  if (prefix.includes('\\')) return 'must not contain a backslash: separate folders with "/".';
  if (prefix.split('/').some((segment) => segment === '.' || segment === '..'))
    return 'must not contain "." or ".." between slashes.';
  const bytes = Buffer.byteLength(prefix);
  if (bytes <= KEY_PREFIX_MAX_BYTES) return undefined;
  return `must be at most ${KEY_PREFIX_MAX_BYTES} bytes of UTF-8, but has ${bytes.toLocaleString('en')}.`;
}
