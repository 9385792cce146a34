import { z } from 'zod';
import { LOGO } from '../../../contract/examples.ts';
import { BrandingBody, BrandingRecord, brandingOf, CampaignLogoRecord, logoRecord } from '../../../contract/exports.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { readBranding } from '../../../core/organizations/branding.ts';
import { brandingRecord } from '../../../core/organizations/organizationJson.ts';
import { changeBranding, changeLogo } from '../../../core/organizations/settings.ts';
import { readCampaignLogo } from '../../../core/sets/campaigns.ts';
import { changeCampaignLogo } from '../../../core/sets/changes.ts';
import type { Queryable } from '../../../db/database.ts';
import type { Scope } from '../../../domain/keys.ts';
import { MAX_LOGO_BYTES, replaceLogo } from '../../logos/replaceLogo.ts';
import { type Call, foundResponse, type JsonResponse, jsonResponse, type Route, refOf } from '../endpoint.ts';
import { readBytes } from '../requestBody.ts';
import type { Services } from '../services.ts';
import { jsonBody, route } from './operation.ts';

const MAX_BODY_BYTES = 64 * 1024;

const image = { schema: z.string().meta({ format: 'binary' }) };

export const brandingRoutes: readonly Route[] = [
  route('get /branding', 'read', {
    operationId: 'getBranding',
    summary: 'Read the branding',
    answer: BrandingRecord,
    handler: (call, services) => brandingAnswer(services, call),
  }),
  route('put /branding', 'admin', {
    maxBodyBytes: MAX_BODY_BYTES,
    operationId: 'replaceBranding',
    summary: 'Replace the branding',
    description: `Needs a key with the scope \`admin\`. The logo stays. Later exports use the new branding. ${OURS}`,
    body: jsonBody(BrandingBody, {
      brand_name: 'Acme Media',
      accent_color: '#0a7d5c',
      footer_text: 'Confidential',
      page_size: 'a4',
    }),
    answer: BrandingRecord,
    handler: async (call, services) => {
      const body = call.input;
      const { organizationId, actor } = call;
      await services.store.db
        .transaction()
        .execute((tx) => changeBranding(tx, organizationId, brandingOf(body), actor));
      return brandingAnswer(services, call);
    },
  }),
  ...logoRoutes({
    ...{ path: 'branding/logo', scope: 'admin', word: '', what: 'logo', answer: BrandingRecord },
    respond: brandingAnswer,
    change: (tx, { organizationId, actor }, token) => changeLogo(tx, organizationId, token, actor),
  }),
  route('get /campaigns/{id}/logo', 'read', {
    operationId: 'getCampaignLogo',
    summary: 'Read the logo of the client of a campaign',
    description: 'The covers of the files of the campaign and its sets show it beside the logo of the organization.',
    answer: CampaignLogoRecord,
    failures: [410],
    handler: (call, services) => campaignLogoAnswer(services, call),
  }),
  ...logoRoutes({
    ...{ path: 'campaigns/{id}/logo', scope: 'write', word: 'Campaign', what: 'logo of the client of a campaign' },
    answer: CampaignLogoRecord,
    respond: campaignLogoAnswer,
    change: (tx, call, token) => changeCampaignLogo(tx, refOf(call), { token, actor: call.actor }),
  }),
];

interface LogoOwner {
  readonly path: string;
  readonly scope: Scope;
  /** Part of the ids of the operations. */
  readonly word: string;
  readonly what: string;
  readonly answer: z.ZodType;
  respond(services: Services, call: Call): Promise<JsonResponse>;
  /** @param token of the picture; null removes the logo. */
  change(tx: Queryable, call: Call, token: string | null): Promise<void>;
}

function logoRoutes({ path, scope, word, what, answer, respond, change }: LogoOwner): Route[] {
  return [
    route(`put /${path}`, scope, {
      operationId: `replace${word}Logo`,
      summary: `Replace the ${what}`,
      description: 'The body is the file, at most 1,048,576 bytes. The service stores it as a PNG.',
      requestBody: {
        required: true,
        content: {
          'image/png': image,
          'image/jpeg': image,
          'image/webp': image,
          'image/svg+xml': { ...image, example: LOGO },
        },
      },
      answer,
      failures: [413, 422],
      handler: async (call, services) => {
        const file = await readBytes(call.request, MAX_LOGO_BYTES);
        const { organizationId } = call;
        await replaceLogo(services, { organizationId, file }, (tx, token) => change(tx, call, token));
        return respond(services, call);
      },
    }),
    route(`delete /${path}`, scope, {
      operationId: `delete${word}Logo`,
      summary: `Remove the ${what}`,
      answer,
      handler: async (call, services) => {
        await services.store.db.transaction().execute((tx) => change(tx, call, null));
        return respond(services, call);
      },
    }),
  ];
}

async function brandingAnswer({ store }: Services, { organizationId, place }: Call): Promise<JsonResponse> {
  return jsonResponse(200, brandingRecord(await readBranding(store.db, organizationId), place.publicUrl));
}

async function campaignLogoAnswer({ store: { db } }: Services, call: Call): Promise<JsonResponse> {
  const ref = refOf(call);
  const found = await readCampaignLogo(db, ref);
  const logo = found && logoRecord(found.logo, call.place.publicUrl);
  return foundResponse(200, found && { type: 'campaign_logo', campaign_id: ref.id, logo });
}
