/** The paths of exports and branding in the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { OURS } from './descriptions.ts';
import { LOGO } from './examples.ts';
import { BrandingBody, BrandingRecord, ExportBody, ExportQuery, ExportRecord } from './exports.ts';
import type { OperationParts } from './operationParts.ts';
import { ListQuery } from './queries.ts';

const TAGS = ['Exports'];
const EXPORT_EXAMPLE = { format: 'pptx', frame: 'browser', time_zone: 'Europe/Berlin' };
const BRANDING_EXAMPLE = {
  brand_name: 'Acme Media',
  accent_color: '#0a7d5c',
  footer_text: 'Confidential',
  page_size: 'a4',
};

export function exportOperations(parts: OperationParts): ZodOpenApiPathsObject {
  const { base, organization, list } = parts;
  const branding = { tags: ['Branding'], requestParams: { path: z.object(organization) } };
  return {
    [`${base}/screenshot_sets/{id}/exports`]: {
      post: creating(parts),
      get: {
        ...list('listExports', 'List the exports of a set, newest first', ListQuery, ExportRecord),
        tags: TAGS,
        requestParams: { path: parts.withId('set'), query: ListQuery },
      },
    },
    [`${base}/screenshot_sets/{id}/export`]: { get: downloading(parts) },
    [`${base}/exports/{id}`]: {
      get: {
        operationId: 'getExport',
        summary: 'Read one export',
        description: `Repeat it until \`status\` is \`ready\`; \`Retry-After\` says when. ${OURS}`,
        tags: TAGS,
        requestParams: { path: parts.withId('export') },
        responses: parts.responses(200, ExportRecord, []),
      },
    },
    [`${base}/branding`]: {
      get: {
        ...branding,
        operationId: 'getBranding',
        summary: 'Read the branding',
        description: OURS,
        responses: parts.responses(200, BrandingRecord, []),
      },
      put: {
        ...branding,
        operationId: 'replaceBranding',
        summary: 'Replace the branding',
        description: `Needs a key with the scope \`admin\`. The logo stays. Later exports use it. ${OURS}`,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: BrandingBody, example: BRANDING_EXAMPLE } },
        },
        responses: parts.responses(200, BrandingRecord, [400, 413, 415, 422]),
      },
    },
    [`${base}/branding/logo`]: logo(parts, branding),
  };
}

function creating({ responses, withId }: OperationParts): ZodOpenApiOperationObject {
  return {
    operationId: 'createExport',
    summary: 'Export a set',
    description: `Starts to build a file, or finds the file with the same content and options. The set must be settled or in review. Files are removed after seven days, and their addresses then answer 410. ${OURS}`,
    tags: TAGS,
    requestParams: { path: withId('set') },
    requestBody: { required: true, content: { 'application/json': { schema: ExportBody, example: EXPORT_EXAMPLE } } },
    responses: {
      ...responses(202, ExportRecord, [400, 409, 413, 415, 422]),
      '200': { description: 'The file is ready.', content: { 'application/json': { schema: ExportRecord } } },
    },
  };
}

function downloading({ responses, withId }: OperationParts): ZodOpenApiOperationObject {
  return {
    operationId: 'downloadScreenshotSet',
    summary: 'Download a set',
    description: `As the POST, for a browser or a script: waits up to 8 seconds for the file. ${OURS}`,
    tags: TAGS,
    requestParams: { path: withId('set'), query: ExportQuery },
    responses: {
      ...responses(202, ExportRecord, [409, 422]),
      '302': { description: 'The file is ready: `Location` opens it.' },
    },
  };
}

function logo({ responses }: OperationParts, branding: object): Record<string, ZodOpenApiOperationObject> {
  const body = { schema: z.string().meta({ format: 'binary' }) };
  return {
    put: {
      ...branding,
      operationId: 'replaceLogo',
      summary: 'Replace the logo',
      description: `The body is the file, at most 1,048,576 bytes. The service stores it as a PNG. Needs the scope \`admin\`. ${OURS}`,
      requestBody: {
        required: true,
        content: {
          'image/png': body,
          'image/jpeg': body,
          'image/webp': body,
          'image/svg+xml': { ...body, example: LOGO },
        },
      },
      responses: responses(200, BrandingRecord, [413, 422]),
    },
    delete: {
      ...branding,
      operationId: 'deleteLogo',
      summary: 'Remove the logo',
      description: `Needs the scope \`admin\`. ${OURS}`,
      responses: responses(200, BrandingRecord, []),
    },
  };
}
