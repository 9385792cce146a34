import { OURS } from '../../../contract/descriptions.ts';
import { ExportBody, ExportQuery, ExportRecord } from '../../../contract/exports.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { createExport, exportFile, exportList, oneExport } from '../exports.ts';
import { BODY_FAILURES, jsonBody, list, responses, withId } from './operation.ts';

const TAGS = ['Exports'];

/** They need the scope "read", because they only show what their reader can read. */
export const exportRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/screenshot_sets/{id}/exports',
    scope: 'read',
    cost: COST.heavy,
    operation: {
      operationId: 'createExport',
      summary: 'Export a set',
      description: `Starts to build a file, or finds the file with the same content and options. The set must be settled or in review. Files are removed after seven days, and their addresses then answer 410. ${OURS}`,
      tags: TAGS,
      requestParams: { path: withId('set') },
      requestBody: jsonBody(ExportBody, { format: 'pptx', frame: 'browser', time_zone: 'Europe/Berlin' }),
      responses: {
        ...responses(202, ExportRecord, [...BODY_FAILURES, 409]),
        '200': { description: 'The file is ready.', content: { 'application/json': { schema: ExportRecord } } },
      },
    },
    handler: createExport,
  },
  {
    method: 'get',
    path: '/screenshot_sets/{id}/exports',
    scope: 'read',
    cost: COST.list,
    operation: {
      ...list('listExports', 'List the exports of a set, newest first', ListQuery, ExportRecord),
      tags: TAGS,
      requestParams: { path: withId('set'), query: ListQuery },
    },
    handler: ({ store }) => exportList(store.db),
  },
  {
    method: 'get',
    path: '/screenshot_sets/{id}/export',
    scope: 'read',
    cost: COST.heavy,
    operation: {
      operationId: 'downloadScreenshotSet',
      summary: 'Download a set',
      description: `As the POST, for a browser or a script: waits up to 8 seconds for the file. ${OURS}`,
      tags: TAGS,
      requestParams: { path: withId('set'), query: ExportQuery },
      responses: {
        ...responses(202, ExportRecord, [409, 422]),
        '302': { description: 'The file is ready: `Location` opens it.' },
      },
    },
    handler: exportFile,
  },
  {
    method: 'get',
    path: '/exports/{id}',
    scope: 'read',
    operation: {
      operationId: 'getExport',
      summary: 'Read one export',
      description: `Repeat it until \`status\` is \`ready\`; \`Retry-After\` says when. ${OURS}`,
      tags: TAGS,
      requestParams: { path: withId('export') },
      responses: responses(200, ExportRecord),
    },
    handler: ({ store }) => oneExport(store.db),
  },
];
