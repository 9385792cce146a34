import type { Limits } from '../../../domain/limits.ts';
import type { Route } from '../endpoint.ts';
import { adRoutes } from './ads.ts';
import { brandingRoutes } from './branding.ts';
import { campaignRoutes } from './campaigns.ts';
import { connectorRoutes } from './connectors.ts';
import { deliveryRoutes, eventRoutes } from './deliveries.ts';
import { exportRoutes } from './exports.ts';
import { retakeRoutes, screenshotRequestRoutes } from './requests.ts';
import { screenshotRoutes } from './screenshots.ts';
import { setRoutes } from './sets.ts';
import { auditLogRoutes, keyRoutes, settingRoutes } from './settings.ts';
import { shareRoutes } from './shares.ts';
import { templateRoutes } from './templates.ts';
import { uploadRoutes } from './uploads.ts';
import { webhookEndpointRoutes, webhookRoutes } from './webhookEndpoints.ts';

/** All routes of the public API, in the order of its reference. The router, the rates and the OpenAPI document read this table. */
export const publicRoutes = (limits: Limits): readonly Route[] => [
  ...adRoutes(limits),
  ...uploadRoutes,
  ...templateRoutes(limits),
  ...screenshotRequestRoutes(limits),
  ...campaignRoutes,
  ...setRoutes,
  ...retakeRoutes(limits),
  ...shareRoutes,
  ...screenshotRoutes,
  ...settingRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
  ...exportRoutes,
  ...brandingRoutes,
  ...keyRoutes,
  ...webhookRoutes,
  ...webhookEndpointRoutes,
  ...connectorRoutes,
  ...auditLogRoutes,
];
