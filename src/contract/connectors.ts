/** Bodies and records of connectors. */
import { z } from 'zod';
import { ENCRYPTIONS, STORAGE_CLASSES } from '../domain/connectors.ts';
import { isBlank } from '../domain/text.ts';
import { time } from './records.ts';
import { Bucket, ConnectorName, Region } from './requests.ts';
import { OURS } from './schemaParts.ts';
import { lengthFault, text, webAddress } from './textFields.ts';

const CREDENTIAL_MAX = 512;
const credential = text((value) => {
  if (isBlank(value)) return 'must not be blank.';
  return /\s/.test(value.trim()) ? 'must not contain spaces.' : lengthFault(value, CREDENTIAL_MAX);
}).meta({ minLength: 1, maxLength: CREDENTIAL_MAX, pattern: '^\\s*\\S+\\s*$' });

const KMS_KEY = /^[A-Za-z0-9:/_-]{1,256}$/;

const ROLE_ARN = /^arn:aws(-[a-z]+){0,3}:iam::\d{12}:role\/[\w+=,.@/-]{1,576}$/;

/** The name of a connector in an address or a form. */
export const ConnectorReference = z.object({ name: ConnectorName });

export const ConnectorCheckBody = Bucket.meta({
  id: 'ConnectorCheckRequest',
  description: `Where to write and delete a small object. ${OURS}`,
});

export const S3ConnectorBody = z
  .object({
    region: Region.describe('Region of buckets for which the subscriber names none.'),
    access_key_id: credential.nullish().describe('The id of an access key. Required unless `role_arn` is given.'),
    secret_access_key: credential
      .nullish()
      .describe('May be left out if the connector has a secret for the same access key.'),
    role_arn: text((value) =>
      ROLE_ARN.test(value) ? undefined : 'must be the ARN of a role, such as arn:aws:iam::111122223333:role/pictures.',
    )
      .meta({ pattern: ROLE_ARN.source })
      .nullish()
      .describe(
        'Role of an AWS account, instead of an access key. Its trust policy must allow the `principal_arn` of the answer to assume it with the `external_id` of the answer, and with no other.',
      ),
    endpoint: webAddress.nullish().describe('Address of an S3 server other than AWS.'),
    force_path_style: z.boolean().nullish().describe('Puts the bucket into the path, as MinIO requires.'),
    encryption: z
      .enum(ENCRYPTIONS)
      .nullish()
      .describe('Encryption requested for each upload; the default is that of the bucket.'),
    kms_key_id: text((value) =>
      KMS_KEY.test(value) ? undefined : 'must be the id, the ARN or the alias of a KMS key.',
    )
      .meta({ pattern: KMS_KEY.source })
      .nullish()
      .describe('Key for the encryption `aws:kms`; the default is the key of AWS for S3.'),
    storage_class: z.enum(STORAGE_CLASSES).nullish().describe('The default is that of the bucket.'),
    check: ConnectorCheckBody.nullish().describe(
      'Checks the connector as soon as it is set. Without it, the bucket of the last check is checked again, if there was one.',
    ),
  })
  .superRefine((given, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    const isGiven = (field: 'kms_key_id' | 'role_arn' | 'access_key_id' | 'secret_access_key' | 'endpoint') =>
      (given[field] ?? null) !== null;
    if (isGiven('kms_key_id') && given.encryption !== 'aws:kms') fault('kms_key_id', 'needs the encryption aws:kms.');
    if (!isGiven('role_arn') && !isGiven('access_key_id')) fault('access_key_id', 'is required, or role_arn.');
    for (const field of ['access_key_id', 'secret_access_key', 'endpoint'] as const)
      if (isGiven('role_arn') && isGiven(field)) fault(field, 'must be left out if role_arn is given.');
  })
  .meta({
    id: 'S3Connector',
    description: `The S3 account that writes into the buckets of the organization. ${OURS}`,
    // Only one encryption takes a key. A role replaces the access key.
    override: {
      allOf: [
        {
          anyOf: [
            { properties: { kms_key_id: { type: 'null' } } },
            { properties: { encryption: { const: 'aws:kms' } }, required: ['encryption'] },
          ],
        },
        {
          anyOf: [
            {
              properties: { access_key_id: { type: 'string' }, role_arn: { type: 'null' } },
              required: ['access_key_id'],
            },
            {
              properties: {
                role_arn: { type: 'string' },
                access_key_id: { type: 'null' },
                secret_access_key: { type: 'null' },
                endpoint: { type: 'null' },
              },
              required: ['role_arn'],
            },
          ],
        },
      ],
    },
  });

export const ConnectorRecord = z
  .object({
    type: z.literal('connector'),
    name: z.string(),
    is_default: z.boolean().describe('Whether subscribers that name no connector use it.'),
    region: z.string(),
    access_key_id: z.string().nullable().describe('Null if the connector uses a role.'),
    role: z
      .object({
        arn: z.string(),
        external_id: z
          .string()
          .describe('The id of the organization, which the trust policy of the role must require.'),
        principal_arn: z.string().nullable().describe('The identity of this service, which the role must trust.'),
      })
      .nullable()
      .describe('Null if the connector uses an access key.'),
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
      .describe('The last check. Null if the connector was not checked since its last change.'),
  })
  .meta({ id: 'Connector', description: `A connector without its secret. ${OURS}` });

export type ConnectorCheckBody = z.infer<typeof ConnectorCheckBody>;
export type S3ConnectorBody = z.infer<typeof S3ConnectorBody>;
export type ConnectorRecord = z.infer<typeof ConnectorRecord>;
