/** The settings of an organization, its API keys, its audit log and its use. */
import { z } from 'zod';
import { ACTOR_TYPES, AUDIT_ACTION_NAMES } from '../domain/auditLog.ts';
import { KEY_NAME_MAX, SCOPES } from '../domain/keys.ts';
import { SET_DAYS } from '../domain/retention.ts';
import { REVIEW_MODES } from '../domain/reviews.ts';
import { LANGUAGES } from '../domain/texts/languages.ts';
import { CheckSettings } from './creativeCheck.ts';
import { timeZone } from './exports.ts';
import { KeyReference, time, UserReference } from './records.ts';
import { OURS } from './schemaParts.ts';
import { instant, textUpTo } from './textFields.ts';

const futureTime = instant('2027-12-24T18:00:00Z', (time) =>
  time > new Date() ? undefined : 'must be in the future.',
);

export const NewApiKey = z
  .object({
    name: textUpTo(KEY_NAME_MAX, 'must not be blank: say what the key is for.').describe('The purpose of the key.'),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1, 'must name at least one scope.')
      .describe(
        '`read` can read everything except the administration. `write` can request, review, share and delete. `admin` can read and change keys, webhooks and connectors, change settings and branding, and read the audit log.',
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
    created_by: KeyReference.nullable().describe('Null if a person or the operator created it.'),
    created_by_user: UserReference.nullable(),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
    last_used_at: time.nullable().describe('To the minute.'),
  })
  .meta({ id: 'ApiKey', description: `An API key without its secret. ${OURS}` });

export const CreatedApiKeyRecord = ApiKeyRecord.extend({
  key: z.string().describe('The key itself. No other response contains it, because only a hash of it is stored.'),
}).meta({ id: 'CreatedApiKey', description: `A new API key. ${OURS}` });

export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;
export type CreatedApiKeyRecord = z.infer<typeof CreatedApiKeyRecord>;

const Actor = z
  .object({
    type: z
      .enum(ACTOR_TYPES)
      .describe(
        '`api_key`: a program with a key. `session`: a person who signed in. `operator`: the command line of the operator. `anonymous`: a person whose sign-in was refused. `service`: the service itself.',
      ),
    key_id: z.string().nullable().describe('Id of the API key that was used.'),
    user_id: z.uuid().nullable().describe('Id of the person, unless this person signed in with a key.'),
    name: z.string().nullable().describe('The name of that person or key.'),
  })
  .meta({ id: 'AuditLogActor', description: `The actor of the action. ${OURS}` });

const Change = z
  .object({
    field: z.string(),
    from: z.string().nullable().describe('Null if the field had no value before.'),
    to: z.string().nullable().describe('Null if the field no longer has a value.'),
  })
  .meta({ id: 'AuditLogChange', description: `A field that the action changed, as text without secrets. ${OURS}` });

export const AuditLogEntryRecord = z
  .object({
    type: z.literal('audit_log_entry'),
    id: z.uuid(),
    created_at: time,
    actor: Actor,
    action: z.enum(AUDIT_ACTION_NAMES).describe('New actions may be added at any time.'),
    object: z
      .object({
        type: z.string().describe('The first part of the action.'),
        id: z.string().nullable().describe('Null if the object has no id.'),
      })
      .describe('The object that the action changed.'),
    changes: z.array(Change),
    ip_address: z.string().nullable().describe('Address of the client. Null for the command line of the operator.'),
    request_id: z.string().nullable().describe('As in the header `X-Request-Id` and in the log of the service.'),
  })
  .meta({ id: 'AuditLogEntry', description: `One administrative action. ${OURS}` });

export type AuditLogEntryRecord = z.infer<typeof AuditLogEntryRecord>;

export const USAGE_DAYS_MAX = 92;
const DAY_MS = 86_400_000;

const day = z.iso.date();

export const UsageQuery = z
  .object({
    from: day.optional().describe('The first day in UTC, for example `2026-11-01`. 29 days before `to` unless given.'),
    to: day.optional().describe('The last day in UTC. Today unless given.'),
  })
  .superRefine(({ from, to }, context) => {
    if (from === undefined || to === undefined) return;
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    if (days < 1) context.addIssue({ code: 'custom', path: ['from'], message: 'must not be after "to".' });
    if (days > USAGE_DAYS_MAX)
      context.addIssue({
        code: 'custom',
        path: ['from'],
        message: `must be at most ${USAGE_DAYS_MAX - 1} days before "to".`,
      });
  });

const UsageDay = z
  .object({
    day,
    pictures: z.int().describe('Screenshots that were requested, retakes included. Deleted sets count.'),
    creatives: z.int().describe('Ads that were created.'),
    deliveries: z.int().describe('Deliveries that were created and not deleted since.'),
  })
  .meta({ id: 'UsageDay', description: `The usage of one day, in UTC. ${OURS}` });

export const UsageRecord = z
  .object({
    type: z.literal('usage'),
    days: z.array(UsageDay).describe('Each day of the range, oldest first.'),
    limits: z.object({
      pictures_per_day: z.int().nullable().describe('Null: no limit.'),
      running_captures: z.int().describe('Further captures wait until one ends.'),
    }),
    used: z.object({ pictures_today: z.int(), running_captures: z.int() }),
    left: z.object({ pictures_today: z.int().nullable().describe('Null: no limit.'), running_captures: z.int() }),
    day_ends_at: time.describe('At this time, `pictures_today` is reset to 0.'),
  })
  .meta({ id: 'Usage', description: `The usage of the organization, its limits and what remains of them. ${OURS}` });

export type UsageRecord = z.infer<typeof UsageRecord>;

const review = z
  .enum(REVIEW_MODES)
  .describe(
    '`automatic`: finished sets are approved automatically. `partial`: only complete ones are, and sets with failures wait for a review. `manual`: all sets wait for a review.',
  );

const language = z
  .enum(LANGUAGES)
  .describe(
    'The language of e-mails, documents and pages of share links. A member may choose another one for e-mails.',
  );
const zone = timeZone.describe(
  'IANA name of the zone of times in documents and on pages of share links. `UTC` unless chosen.',
);

const SET_RETENTION =
  'Sets are removed this many days after their request, with pictures, reviews, share links and exports.';

export const SettingsBody = z
  .object({
    review: review.nullish(),
    language: language.nullish(),
    time_zone: zone.nullish(),
    set_retention_days: z
      .number()
      .int('must be a whole number of days.')
      .min(SET_DAYS.min, `must be at least ${SET_DAYS.min} day.`)
      .max(SET_DAYS.max, `must be at most ${SET_DAYS.max} days.`)
      .nullish()
      .describe(`${SET_RETENTION} Null: the default of the operator. Absent: no change.`),
    creative_check: CheckSettings.optional(),
  })
  .meta({ id: 'SettingsChange', description: `Settings to change. Absent ones stay. ${OURS}` });

const RetentionBounds = z
  .object({
    minimum: z.int(),
    maximum: z.int(),
    default: z.int().nullable().describe('Applies if the organization chose nothing. Null: the objects stay.'),
  })
  .meta({ id: 'RetentionBounds', description: `The days that the organization may choose. ${OURS}` });

export const SettingsRecord = z
  .object({
    type: z.literal('settings'),
    review,
    language,
    time_zone: zone,
    set_retention_days: z.int().nullable().describe(`${SET_RETENTION} Null: they stay until they are deleted.`),
    retention_bounds: z.object({ set_retention_days: RetentionBounds }),
    creative_check: CheckSettings,
    sending_addresses: z
      .array(z.string())
      .describe(
        'The addresses or ranges from which the service connects to webhooks, buckets, sites and creatives. Empty: the operator named none.',
      ),
  })
  .meta({ id: 'Settings', description: `Settings of the organization. ${OURS}` });

export type SettingsRecord = z.infer<typeof SettingsRecord>;
