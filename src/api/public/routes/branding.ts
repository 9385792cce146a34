import { z } from 'zod';
import { LOGO } from '../../../contract/examples.ts';
import { BrandingBody, BrandingRecord, brandingOf } from '../../../contract/exports.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { readBranding } from '../../../core/organizations/branding.ts';
import { brandingRecord } from '../../../core/organizations/organizationJson.ts';
import { changeBranding, changeLogo } from '../../../core/organizations/settings.ts';
import { MAX_LOGO_BYTES, replaceLogo } from '../../logos/replaceLogo.ts';
import { type Call, type JsonResponse, jsonResponse, type Route } from '../endpoint.ts';
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
  route('put /branding/logo', 'admin', {
    operationId: 'replaceLogo',
    summary: 'Replace the logo',
    description: `The body is the file, at most 1,048,576 bytes. The service stores it as a PNG. Needs the scope \`admin\`. ${OURS}`,
    requestBody: {
      required: true,
      content: {
        'image/png': image,
        'image/jpeg': image,
        'image/webp': image,
        'image/svg+xml': { ...image, example: LOGO },
      },
    },
    answer: BrandingRecord,
    failures: [413, 422],
    handler: async (call, services) => {
      const body = await readBytes(call.request, MAX_LOGO_BYTES);
      const { store, artifacts } = services;
      await replaceLogo({ db: store.db, artifacts }, { organizationId: call.organizationId, file: body }, call.actor);
      return brandingAnswer(services, call);
    },
  }),
  route('delete /branding/logo', 'admin', {
    operationId: 'deleteLogo',
    summary: 'Remove the logo',
    description: `Needs the scope \`admin\`. ${OURS}`,
    answer: BrandingRecord,
    handler: async (call, services) => {
      const { organizationId, actor } = call;
      await services.store.db.transaction().execute((tx) => changeLogo(tx, organizationId, null, actor));
      return brandingAnswer(services, call);
    },
  }),
];

async function brandingAnswer({ store }: Services, { organizationId, place }: Call): Promise<JsonResponse> {
  return jsonResponse(200, brandingRecord(await readBranding(store.db, organizationId), place.publicUrl));
}
