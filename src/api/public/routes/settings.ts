import { z } from 'zod';
import { AuditLogEntryRecord } from '../../../contract/auditLog.ts';
import { OURS } from '../../../contract/descriptions.ts';
import { AuditLogQuery } from '../../../contract/queries.ts';
import { SettingsBody, SettingsRecord } from '../../../contract/settings.ts';
import { USAGE_DAYS_MAX, UsageQuery, UsageRecord } from '../../../contract/usage.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { auditLog } from '../settings/auditLog.ts';
import { changeSettings, readSettings } from '../settings/settings.ts';
import { usage } from '../usage.ts';
import { ADMIN, BODY_FAILURES, jsonBody, list, organization, responses } from './operation.ts';

export const settingRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/settings',
    scope: 'read',
    operation: {
      operationId: 'getSettings',
      summary: 'Read the settings',
      description: OURS,
      tags: ['Settings'],
      requestParams: { path: z.object(organization) },
      responses: responses(200, SettingsRecord),
    },
    handler: readSettings,
  },
  {
    method: 'patch',
    path: '/settings',
    scope: 'admin',
    operation: {
      operationId: 'updateSettings',
      summary: 'Change settings',
      description: ADMIN,
      tags: ['Settings'],
      requestParams: { path: z.object(organization) },
      requestBody: jsonBody(SettingsBody, { review: 'partial' }),
      responses: responses(200, SettingsRecord, [...BODY_FAILURES, 409]),
    },
    handler: changeSettings,
  },
  {
    method: 'get',
    path: '/usage',
    scope: 'read',
    cost: COST.heavy,
    operation: {
      operationId: 'getUsage',
      summary: 'Read the use of each day, and the limits of the organization',
      description: `At most ${USAGE_DAYS_MAX} days. A screenshot request over \`pictures_per_day\` gets 429 with the code \`quota_exceeded\`. ${OURS}`,
      tags: ['Reading'],
      requestParams: { path: z.object(organization), query: UsageQuery },
      responses: responses(200, UsageRecord, [422]),
    },
    handler: usage,
  },
];

export const auditLogRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/audit_log',
    scope: 'admin',
    cost: COST.list,
    operation: {
      ...list('listAuditLog', 'List administrative actions, newest first', AuditLogQuery, AuditLogEntryRecord),
      tags: ['Settings'],
      description: `Changes of keys, settings, webhooks, connectors and branding, deleted and shared sets, sign-ins and sign-outs. To read a long list while new entries arrive, send the id of the last entry of each page as \`after\`. ${ADMIN}`,
    },
    handler: auditLog,
  },
];
