/** Handlers of exports: request one, read one, list those of a set, and the file itself. */
import { ExportBody, ExportQuery, exportOptions } from '../../contract/exports.ts';
import { Faults } from '../../contract/faults.ts';
import { ListQuery } from '../../contract/queries.ts';
import { exportRecord } from '../../core/exports/exportJson.ts';
import { type ExportRow, findExport, listExports } from '../../core/exports/exportQueries.ts';
import { requestExport, waitForExport } from '../../core/exports/exports.ts';
import { readBranding } from '../../core/organizations/branding.ts';
import type { Database } from '../../db/database.ts';
import { invalid, unknownId } from '../../domain/failure.ts';
import { type AuthorizedRequest, type Handler, idOf, type JsonResponse, jsonResponse, readOrFail } from './endpoint.ts';
import { readJson } from './jsonBody.ts';
import { listAnswer } from './listAnswer.ts';
import type { PublicApiOptions } from './options.ts';
import { requireSet } from './reading.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** How long GET …/export waits for a file that is not ready. */
const WAIT_MS = 8_000;
const RETRY_AFTER_SECONDS = '3';

/** POST …/screenshot_sets/{id}/exports: 202 with the export, or 200 if its file is ready. */
export function createExport({ store, queue }: PublicApiOptions): Handler {
  return async (call) => {
    const setId = idOf(call.request);
    const { value } = await readJson(call.request, MAX_BODY_BYTES);
    const faults = new Faults();
    const body = faults.read(ExportBody, value, '');
    if (body === undefined) throw invalid(faults.errors);
    const options = exportOptions(body, await readBranding(store.db, call.organizationId));
    const row = await requestExport(store.db, { organizationId: call.organizationId, setId, options }, queue);
    return answer(row, call);
  };
}

/** GET …/screenshot_sets/{id}/export: redirects to the file if it is ready soon, otherwise 202 with the export. */
export function exportFile({ store, queue, exportWaitMs = WAIT_MS }: PublicApiOptions): Handler {
  return async (call) => {
    const { request, response, organizationId } = call;
    const setId = idOf(request);
    const faults = new Faults();
    const query = faults.read(ExportQuery, request.query, '');
    if (query === undefined) throw invalid(faults.errors);
    const options = exportOptions(query, await readBranding(store.db, organizationId));
    const requested = await requestExport(store.db, { organizationId, setId, options }, queue);
    const row = await waitForExport(store.db, requested, { waitMs: exportWaitMs, isCanceled: () => request.closed });
    if (row.status === 'ready') {
      const { pathname } = new URL(`${call.place.publicUrl}/e/${row.token}/${row.file_name}`);
      response.set('Location', pathname);
      return { ...record(row, call), status: 302 };
    }
    return answer(row, call);
  };
}

/** GET …/exports/{id} */
export function oneExport(db: Database): Handler {
  return async (call) => {
    const row = await findExport(db, { id: idOf(call.request), organizationId: call.organizationId });
    if (row === undefined) throw unknownId();
    if (row.status === 'pending' || row.status === 'building') call.response.set('Retry-After', RETRY_AFTER_SECONDS);
    return record(row, call);
  };
}

/** GET …/screenshot_sets/{id}/exports: newest first. */
export function exportList(db: Database): Handler {
  return async ({ request, organizationId, place }) => {
    const query = readOrFail(ListQuery, request.query);
    const filter = { organizationId, setId: idOf(request), from: query.from, to: query.to };
    await requireSet(db, { id: filter.setId, organizationId });
    return listAnswer(
      query,
      (page) => listExports(db, filter, page),
      (row) => exportRecord(row, place.publicUrl),
    );
  };
}

function answer(row: ExportRow, call: AuthorizedRequest): JsonResponse {
  const isOpen = row.status === 'pending' || row.status === 'building';
  if (isOpen) call.response.set('Retry-After', RETRY_AFTER_SECONDS);
  return { ...record(row, call), status: isOpen ? 202 : 200 };
}

function record(row: ExportRow, { place }: AuthorizedRequest): JsonResponse {
  return jsonResponse(200, exportRecord(row, place.publicUrl));
}
