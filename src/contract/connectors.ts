/** Bodies and records of connectors. */
import { z } from 'zod';
import { ENCRYPTIONS, STORAGE_CLASSES } from '../domain/connectors.ts';
import { isBlank } from '../domain/text.ts';
import { OURS } from './descriptions.ts';
import { time } from './records.ts';
import { Bucket, ConnectorName, lengthFault, Region, text, webAddress } from './requests.ts';

const CREDENTIAL_MAX = 512;
const credential = text((value) => {
  if (isBlank(value)) return 'must not be blank.';
  return /\s/.test(value.trim()) ? 'must not contain spaces.' : lengthFault(value, CREDENTIAL_MAX);
});

/** The name of a connector in an address or a form. */
export const ConnectorReference = z.object({ name: ConnectorName });

export const ConnectorCheckBody = Bucket.meta({
  id: 'ConnectorCheckRequest',
  description: `Where to write and delete a small object. ${OURS}`,
});

export const S3ConnectorBody = z
  .object({
    region: Region.describe('Region of buckets for which the subscriber names none.'),
    access_key_id: credential,
    secret_access_key: credential
      .nullish()
      .describe('May be left out if the connector has a secret for the same access key.'),
    endpoint: webAddress.nullish().describe('Address of an S3 server other than AWS.'),
    force_path_style: z.boolean().nullish().describe('Puts the bucket into the path, as MinIO requires.'),
    encryption: z
      .enum(ENCRYPTIONS)
      .nullish()
      .describe('Encryption that each upload asks for; the default is that of the bucket.'),
    kms_key_id: text((value) =>
      /^[A-Za-z0-9:/_-]{1,256}$/.test(value) ? undefined : 'must be the id, the ARN or the alias of a KMS key.',
    )
      .nullish()
      .describe('Key for the encryption `aws:kms`; the default is the key of AWS for S3.'),
    storage_class: z.enum(STORAGE_CLASSES).nullish().describe('The default is that of the bucket.'),
    check: ConnectorCheckBody.nullish().describe(
      'Checks the connector as soon as it is set. Without it, the bucket of the last check is checked again, if there was one.',
    ),
  })
  .superRefine(({ encryption, kms_key_id }, context) => {
    if ((kms_key_id ?? null) === null || encryption === 'aws:kms') return;
    context.addIssue({ code: 'custom', path: ['kms_key_id'], message: 'needs the encryption aws:kms.' });
  })
  .meta({ id: 'S3Connector', description: `The S3 account that writes into the buckets of the organization. ${OURS}` });

export const ConnectorRecord = z
  .object({
    type: z.literal('connector'),
    name: z.string(),
    is_default: z.boolean().describe('Whether subscribers that name no connector use it.'),
    region: z.string(),
    access_key_id: z.string(),
    endpoint: z.string().nullable(),
    force_path_style: z.boolean(),
    encryption: z.enum(ENCRYPTIONS).nullable(),
    kms_key_id: z.string().nullable(),
    storage_class: z.enum(STORAGE_CLASSES).nullable(),
    updated_at: time,
    check: z
      .object({
        bucket: z.string(),
        region: z.string().nullable(),
        key_prefix: z.string(),
        status: z.enum(['pending', 'passed', 'failed']),
        message: z.string().nullable().describe('The result, for people: for example the permission that is missing.'),
        requested_at: time,
        finished_at: time.nullable(),
      })
      .nullable()
      .describe('The last check. Null if the connector was not checked since it was set.'),
  })
  .meta({ id: 'Connector', description: `A connector without its secret. ${OURS}` });

export type ConnectorCheckBody = z.infer<typeof ConnectorCheckBody>;
export type S3ConnectorBody = z.infer<typeof S3ConnectorBody>;
export type ConnectorRecord = z.infer<typeof ConnectorRecord>;
