import { z } from 'zod';
import { OURS } from '../../../contract/descriptions.ts';
import { LOGO } from '../../../contract/examples.ts';
import { BrandingBody, BrandingRecord } from '../../../contract/exports.ts';
import { branding, deleteLogo, putBranding, putLogo } from '../branding.ts';
import type { Route } from '../endpoint.ts';
import { BODY_FAILURES, jsonBody, organization, responses } from './operation.ts';

const ofBranding = { tags: ['Branding'], requestParams: { path: z.object(organization) } };
const image = { schema: z.string().meta({ format: 'binary' }) };

export const brandingRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/branding',
    scope: 'read',
    operation: {
      ...ofBranding,
      operationId: 'getBranding',
      summary: 'Read the branding',
      description: OURS,
      responses: responses(200, BrandingRecord),
    },
    handler: branding,
  },
  {
    method: 'put',
    path: '/branding',
    scope: 'admin',
    operation: {
      ...ofBranding,
      operationId: 'replaceBranding',
      summary: 'Replace the branding',
      description: `Needs a key with the scope \`admin\`. The logo stays. Later exports use it. ${OURS}`,
      requestBody: jsonBody(BrandingBody, {
        brand_name: 'Acme Media',
        accent_color: '#0a7d5c',
        footer_text: 'Confidential',
        page_size: 'a4',
      }),
      responses: responses(200, BrandingRecord, BODY_FAILURES),
    },
    handler: putBranding,
  },
  {
    method: 'put',
    path: '/branding/logo',
    scope: 'admin',
    operation: {
      ...ofBranding,
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
      responses: responses(200, BrandingRecord, [413, 422]),
    },
    handler: putLogo,
  },
  {
    method: 'delete',
    path: '/branding/logo',
    scope: 'admin',
    operation: {
      ...ofBranding,
      operationId: 'deleteLogo',
      summary: 'Remove the logo',
      description: `Needs the scope \`admin\`. ${OURS}`,
      responses: responses(200, BrandingRecord),
    },
    handler: deleteLogo,
  },
];
