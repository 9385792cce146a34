import { ExportBody, ExportQuery, ExportRecord, exportOptions } from '../../../contract/exports.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { exportRecord } from '../../../core/exports/exportJson.ts';
import { type ExportRow, findExport, listExports } from '../../../core/exports/exportQueries.ts';
import { requestExport, waitForExport } from '../../../core/exports/exports.ts';
import { readBranding } from '../../../core/organizations/branding.ts';
import { unknownId } from '../../../domain/failure.ts';
import { COST } from '../../limits/costs.ts';
import { type Call, idOf, type JsonResponse, jsonResponse, type Route, refOf } from '../endpoint.ts';
import { listAnswer, rangeOf } from '../listAnswer.ts';
import { jsonBody, list, other, route } from './operation.ts';
import { OF_CAMPAIGN, OWNERS, type OwnerRoutes, requireOwner } from './owners.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** How long GET …/export waits for a file that is not ready. */
const WAIT_MS = 8_000;
const RETRY_AFTER_SECONDS = '3';

const TAGS = ['Exports'];

/** They need the scope "read", because they only show what their reader can read. */
const routesOf = (owner: OwnerRoutes): Route[] => [
  route(`post /${owner.path}/{id}/exports`, 'read', {
    cost: COST.heavy,
    maxBodyBytes: MAX_BODY_BYTES,
    operationId: `create${owner.word}Export`,
    summary: `Export a ${owner.what}`,
    description: `Starts to build a file, or finds the file with the same content and options. All sets must be settled or in review. Files are removed after seven days, and their addresses then answer 410. ${OF_CAMPAIGN}`,
    tags: TAGS,
    body: jsonBody(ExportBody, { format: 'pptx', frame: 'browser', time_zone: 'Europe/Berlin' }),
    status: 202,
    answer: ExportRecord,
    failures: [409],
    responses: {
      '200': other('The file is ready.', ExportRecord),
    },
    handler: async (call, { store, queue }) => {
      const { organizationId } = call;
      const options = exportOptions(call.input, await readBranding(store.db, organizationId));
      const row = await requestExport(store.db, { organizationId, ...owner.of(call.request), options }, queue);
      return answer(row, call);
    },
  }),
  route(`get /${owner.path}/{id}/exports`, 'read', {
    ...list(`list${owner.word}Exports`, `List the exports of a ${owner.what}, newest first`, ListQuery, ExportRecord),
    tags: TAGS,
    handler: async (call, { store: { db } }) => {
      const filter = { ...rangeOf(call), ...owner.of(call.request) };
      await requireOwner(owner, db, call);
      return listAnswer(
        call.query,
        (page) => listExports(db, filter, page),
        (row) => exportRecord(row, call.place.publicUrl),
      );
    },
  }),
];

export const exportRoutes: readonly Route[] = [
  ...OWNERS.flatMap(routesOf),
  route('get /screenshot_sets/{id}/export', 'read', {
    cost: COST.heavy,
    operationId: 'downloadScreenshotSet',
    summary: 'Download a set',
    description: 'As the POST, for a browser or a script: waits up to 8 seconds for the file.',
    tags: TAGS,
    query: ExportQuery,
    status: 202,
    answer: ExportRecord,
    failures: [409],
    responses: {
      '302': { description: 'The file is ready: `Location` opens it.' },
    },
    handler: async (call, { store, queue, exportWaitMs = WAIT_MS }) => {
      const { request, response, organizationId } = call;
      const setId = idOf(request);
      const options = exportOptions(call.query, await readBranding(store.db, organizationId));
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
  }),
  route('get /exports/{id}', 'read', {
    operationId: 'getExport',
    summary: 'Read one export',
    description: `Repeat it until \`status\` is \`ready\`, after the time in \`Retry-After\`.`,
    tags: TAGS,
    answer: ExportRecord,
    handler: async (call, { store: { db } }) => {
      const row = await findExport(db, refOf(call));
      if (row === undefined) throw unknownId();
      return { ...answer(row, call), status: 200 };
    },
  }),
];

function answer(row: ExportRow, call: Call): JsonResponse {
  const isOpen = row.status === 'pending' || row.status === 'building';
  if (isOpen) call.response.set('Retry-After', RETRY_AFTER_SECONDS);
  return { ...record(row, call), status: isOpen ? 202 : 200 };
}

function record(row: ExportRow, { place }: Call): JsonResponse {
  return jsonResponse(200, exportRecord(row, place.publicUrl));
}
