import { screenshotRequestBody } from '../../../contract/requests.ts';
import type { Limits } from '../../../domain/limits.ts';
import type { Route } from '../endpoint.ts';
import { adRoutes } from './ads.ts';
import { brandingRoutes } from './branding.ts';
import { campaignRoutes } from './campaigns.ts';
import { commentRoutes } from './comments.ts';
import { connectorRoutes } from './connectors.ts';
import { deliveryRoutes, eventRoutes } from './deliveries.ts';
import { exportRoutes } from './exports.ts';
import { locationRoutes } from './locations.ts';
import { memberRoutes } from './members.ts';
import { placementRoutes } from './placements.ts';
import { retakeRoutes, screenshotRequestRoutes } from './requests.ts';
import { savedObjectRoutes } from './savedObjects.ts';
import { scheduleRoutes } from './schedules.ts';
import { screenshotRoutes } from './screenshots.ts';
import { setRoutes } from './sets.ts';
import { auditLogRoutes, keyRoutes, settingRoutes } from './settings.ts';
import { shareRoutes } from './shares.ts';
import { siteRuleRoutes } from './siteRules.ts';
import { uploadRoutes } from './uploads.ts';
import { webhookEndpointRoutes, webhookRoutes } from './webhookEndpoints.ts';

/** All routes of the public API, in the order of its reference. The router, the rates and the OpenAPI document read this table. */
export const publicRoutes = (limits: Limits, request = screenshotRequestBody(limits)): readonly Route[] => [
  ...adRoutes(limits),
  ...uploadRoutes,
  ...savedObjectRoutes(limits),
  ...siteRuleRoutes,
  ...screenshotRequestRoutes(limits, request),
  ...scheduleRoutes(request),
  ...placementRoutes,
  ...locationRoutes,
  ...campaignRoutes,
  ...setRoutes,
  ...retakeRoutes(limits),
  ...shareRoutes,
  ...screenshotRoutes,
  ...commentRoutes,
  ...settingRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
  ...exportRoutes,
  ...brandingRoutes,
  ...keyRoutes,
  ...memberRoutes,
  ...webhookRoutes,
  ...webhookEndpointRoutes,
  ...connectorRoutes,
  ...auditLogRoutes,
];
