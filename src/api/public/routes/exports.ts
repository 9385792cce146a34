import { ExportBody, ExportQuery, ExportRecord, exportOptions } from '../../../contract/exports.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { exportRecord } from '../../../core/exports/exportJson.ts';
import { type ExportRow, findExport, listExports } from '../../../core/exports/exportQueries.ts';
import { requestExport, waitForExport } from '../../../core/exports/exports.ts';
import { readBranding } from '../../../core/organizations/branding.ts';
import { unknownId } from '../../../domain/failure.ts';
import { COST } from '../../limits/costs.ts';
import { type Call, idOf, type JsonResponse, jsonResponse, type Route, readOrFail } from '../endpoint.ts';
import { listAnswer } from '../listAnswer.ts';
import { BODY_FAILURES, jsonBody, list, responses, withId } from './operation.ts';
import { requireSet } from './sets.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** How long GET …/export waits for a file that is not ready. */
const WAIT_MS = 8_000;
const RETRY_AFTER_SECONDS = '3';

const TAGS = ['Exports'];

/** They need the scope "read", because they only show what their reader can read. */
export const exportRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/screenshot_sets/{id}/exports',
    scope: 'read',
    cost: COST.heavy,
    maxBodyBytes: MAX_BODY_BYTES,
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
    handler: async (call, { store, queue }) => {
      const setId = idOf(call.request);
      const body = readOrFail(ExportBody, call.body.value);
      const options = exportOptions(body, await readBranding(store.db, call.organizationId));
      const row = await requestExport(store.db, { organizationId: call.organizationId, setId, options }, queue);
      return answer(row, call);
    },
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
    handler: async ({ request, organizationId, place }, { store: { db } }) => {
      const query = readOrFail(ListQuery, request.query);
      const filter = { organizationId, setId: idOf(request), from: query.from, to: query.to };
      await requireSet(db, { id: filter.setId, organizationId });
      return listAnswer(
        query,
        (page) => listExports(db, filter, page),
        (row) => exportRecord(row, place.publicUrl),
      );
    },
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
    handler: async (call, { store, queue, exportWaitMs = WAIT_MS }) => {
      const { request, response, organizationId } = call;
      const setId = idOf(request);
      const query = readOrFail(ExportQuery, request.query);
      const options = exportOptions(query, await readBranding(store.db, organizationId));
      const requested = await requestExport(store.db, { organizationId, setId, options }, queue);
      const row = await waitForExport(store.db, requested, {
        waitMs: exportWaitMs,
        isCanceled: () => request.closed,
      });
      if (row.status === 'ready') {
        const { pathname } = new URL(`${call.place.publicUrl}/e/${row.token}/${row.file_name}`);
        response.set('Location', pathname);
        return { ...record(row, call), status: 302 };
      }
      return answer(row, call);
    },
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
    handler: async (call, { store: { db } }) => {
      const row = await findExport(db, { id: idOf(call.request), organizationId: call.organizationId });
      if (row === undefined) throw unknownId();
      if (row.status === 'pending' || row.status === 'building') call.response.set('Retry-After', RETRY_AFTER_SECONDS);
      return record(row, call);
    },
  },
];

function answer(row: ExportRow, call: Call): JsonResponse {
  const isOpen = row.status === 'pending' || row.status === 'building';
  if (isOpen) call.response.set('Retry-After', RETRY_AFTER_SECONDS);
  return { ...record(row, call), status: isOpen ? 202 : 200 };
}

function record(row: ExportRow, { place }: Call): JsonResponse {
  return jsonResponse(200, exportRecord(row, place.publicUrl));
}
