/** Bodies and records of API keys. */
import { z } from 'zod';
import { KEY_NAME_MAX, SCOPES } from '../domain/keys.ts';
import { isBlank } from '../domain/text.ts';
import { parseTimestamp } from '../domain/time.ts';
import { OURS } from './descriptions.ts';
import { KeyReference, time } from './records.ts';
import { lengthFault, text } from './requests.ts';
import { NOT_BLANK } from './schemaParts.ts';

const futureTime = z
  .string()
  .transform((value, context) => {
    const parsed = parseTimestamp(value);
    if (parsed !== undefined && parsed > new Date()) return parsed;
    const message = parsed === undefined ? 'must be an ISO 8601 time, for example 2027-12-24T18:00:00Z.' : PAST;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', format: 'date-time' } });
const PAST = 'must be in the future.';

export const NewApiKey = z
  .object({
    name: text((value) =>
      isBlank(value) ? 'must not be blank: say what the key is for.' : lengthFault(value, KEY_NAME_MAX),
    )
      .meta({ ...NOT_BLANK, maxLength: KEY_NAME_MAX })
      .describe('The purpose of the key.'),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1, 'must name at least one scope.')
      .describe(
        '`read` shows everything but the administration. `write` requests, reviews, shares and deletes. `admin` reads and changes keys, webhooks and connectors, changes settings and branding, and reads the audit log.',
      ),
    expires_at: futureTime.nullish().describe('Never unless given.'),
  })
  .meta({ id: 'NewApiKey', description: `An API key to create. ${OURS}` });

export const ApiKeyRecord = z
  .object({
    type: z.literal('api_key'),
    id: z.string().describe('The eight characters in the middle of the key.'),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    status: z.enum(['active', 'expired', 'revoked']),
    created_at: time,
    created_by: KeyReference.nullable().describe('Null if the operator created it.'),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
    last_used_at: time.nullable().describe('To the minute.'),
  })
  .meta({ id: 'ApiKey', description: `An API key without its secret. ${OURS}` });

export const CreatedApiKeyRecord = ApiKeyRecord.extend({
  key: z.string().describe('The key itself. No other response has it, because only a hash of it is stored.'),
}).meta({ id: 'CreatedApiKey', description: `A new API key. ${OURS}` });

export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;
export type CreatedApiKeyRecord = z.infer<typeof CreatedApiKeyRecord>;
