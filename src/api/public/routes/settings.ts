import { z } from 'zod';
import { AuditLogQuery, ListQuery } from '../../../contract/queries.ts';
import {
  ApiKeyRecord,
  AuditLogEntryRecord,
  CreatedApiKeyRecord,
  NewApiKey,
  SettingsBody,
  SettingsRecord,
  USAGE_DAYS_MAX,
  UsageQuery,
  UsageRecord,
} from '../../../contract/settings.ts';
import { auditLogEntryRecord, listAuditLog } from '../../../core/journal/auditLogQueries.ts';
import { apiKeyRecord, listKeyRows } from '../../../core/organizations/keyList.ts';
import { createApiKey, revokeApiKey } from '../../../core/organizations/keys.ts';
import { requireOrganization } from '../../../core/organizations/organizations.ts';
import { changeSettings } from '../../../core/organizations/settings.ts';
import {
  type CurrentUsage,
  readCurrentUsage,
  readUsageDays,
  type UsageOfDay,
} from '../../../core/organizations/usage.ts';
import { DEFAULT_QUOTAS, type DefaultQuotas, dayOf, nextDay } from '../../../domain/quotas.ts';
import { SET_DAYS } from '../../../domain/retention.ts';
import { timestamp } from '../../../domain/time.ts';
import { COST } from '../../limits/costs.ts';
import { type Call, type JsonResponse, jsonResponse, type Route, readOrFail } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer, placeOf, rangeOf } from '../listAnswer.ts';
import type { Services } from '../services.ts';
import { changes, jsonBody, list, route } from './operation.ts';

export const keyRoutes: readonly Route[] = [
  route('get /keys', 'admin', {
    ...list('listKeys', 'List the API keys, active ones first', ListQuery, ApiKeyRecord),
    handler: (call, { store }) =>
      listAnswer(call.query, (page) => listKeyRows(store.db, rangeOf(call), page), apiKeyRecord),
  }),
  route('post /keys', 'admin', {
    operationId: 'createKey',
    summary: 'Create an API key',
    description: 'The response is the only one that contains the key.',
    body: jsonBody(NewApiKey, { name: 'Campaign tool', scopes: ['read', 'write'] }),
    status: 201,
    answer: CreatedApiKeyRecord,
    failures: [409],
    handler: async (call, { store }) => {
      const { organizationId, actor } = call;
      const { name, scopes, expires_at } = call.input;
      const wanted = { organizationId, name, scopes, expiresAt: expires_at ?? undefined };
      return answerOnce(store.db, { call, endpoint: 'keys', secret: true }, async (tx) => {
        const { row, key } = await createApiKey(tx, wanted, actor);
        return jsonResponse(201, { ...apiKeyRecord(row), key } satisfies CreatedApiKeyRecord);
      });
    },
  }),
  route('delete /keys/{key_id}', 'admin', {
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: `It no longer gives access. 409 for the last active key with the scope \`admin\`.`,
    params: { key_id: z.string().describe('The eight characters in the middle of the key.') },
    answer: ApiKeyRecord,
    failures: [409],
    handler: changes(
      (tx, { request, organizationId, actor }) =>
        revokeApiKey(tx, { organizationId, id: String(request.params['key_id']) }, actor),
      apiKeyRecord,
    ),
  }),
];

const DAY_MS = 86_400_000;
const USAGE_DAYS_DEFAULT = 30;

export const settingRoutes: readonly Route[] = [
  route('get /settings', 'read', {
    operationId: 'getSettings',
    summary: 'Read the settings',
    description: '',
    answer: SettingsRecord,
    handler: (call, services) => settingsAnswer(services, call),
  }),
  route('patch /settings', 'admin', {
    operationId: 'updateSettings',
    summary: 'Change settings',
    description: '',
    body: jsonBody(SettingsBody, { review: 'partial' }),
    answer: SettingsRecord,
    failures: [409],
    handler: async (call, services) => {
      const { actor, place, input } = call;
      await services.store.db.transaction().execute((tx) => changeSettings(tx, place.slug, input, actor));
      return settingsAnswer(services, call);
    },
  }),
  route('get /usage', 'read', {
    cost: COST.heavy,
    operationId: 'getUsage',
    summary: 'Read the daily usage and the limits of the organization',
    description: `At most ${USAGE_DAYS_MAX} days. A screenshot request over \`pictures_per_day\` gets 429 with the code \`quota_exceeded\`.`,
    query: UsageQuery,
    answer: UsageRecord,
    failures: [422],
    handler: async ({ query, organizationId }, { store: { db }, quotas = DEFAULT_QUOTAS }) => {
      const current = await readCurrentUsage(db, organizationId);
      const to = query.to ?? dayOf(current.now);
      const from = query.from ?? dayOf(new Date(Date.parse(to) - (USAGE_DAYS_DEFAULT - 1) * DAY_MS));
      readOrFail(UsageQuery, { from, to });
      const days = await readUsageDays(db, { organizationId, from, to });
      return jsonResponse(200, usageRecord(days, current, quotas));
    },
  }),
];

export const auditLogRoutes: readonly Route[] = [
  route('get /audit_log', 'admin', {
    ...list('listAuditLog', 'List administrative actions, newest first', AuditLogQuery, AuditLogEntryRecord),
    description: `Changes to keys, settings, webhooks, connectors and branding, deleted and shared sets, sign-ins and sign-outs. To read a long list while new entries arrive, send the id of the last entry of each page as \`after\`.`,
    handler: async ({ query, organizationId }, { store: { db } }) => {
      const { action, actor, from, to, after } = query;
      const place = await placeOf(db, 'audit_log', { organizationId, id: after });
      const filter = { organizationId, action, actor, from, to, after: place };
      return listAnswer(query, (page) => listAuditLog(db, filter, page), auditLogEntryRecord);
    },
  }),
];

function usageRecord(
  days: readonly UsageOfDay[],
  { picturesToday, runningCaptures, now, ...own }: CurrentUsage,
  quotas: DefaultQuotas,
): UsageRecord {
  const pictures_per_day = own.pictures_per_day ?? quotas.picturesPerDay ?? null;
  const running_captures = own.running_captures ?? quotas.runningCaptures;
  return {
    type: 'usage',
    days: [...days],
    limits: { pictures_per_day, running_captures },
    used: { pictures_today: picturesToday, running_captures: runningCaptures },
    left: {
      pictures_today: pictures_per_day === null ? null : Math.max(0, pictures_per_day - picturesToday),
      running_captures: Math.max(0, running_captures - runningCaptures),
    },
    day_ends_at: timestamp(nextDay(now)),
  };
}

async function settingsAnswer(
  { store, setRetentionDays, sendingAddresses = [] }: Services,
  { place }: Call,
): Promise<JsonResponse> {
  const row = await requireOrganization(store.db, place.slug);
  return jsonResponse(200, {
    type: 'settings',
    review: row.review,
    language: row.language,
    time_zone: row.time_zone,
    set_retention_days: row.set_retention_days ?? setRetentionDays ?? null,
    retention_bounds: {
      set_retention_days: {
        minimum: SET_DAYS.min,
        maximum: SET_DAYS.max,
        default: setRetentionDays ?? null,
      },
    },
    creative_check: row.creative_check as SettingsRecord['creative_check'],
    sending_addresses: [...sendingAddresses],
  } satisfies SettingsRecord);
}
