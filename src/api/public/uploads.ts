/** Uploads: files of creatives, which a client stores before a request names them. */

import { uploadRecord } from '../../core/sets/setJson.ts';
import { findUpload } from '../../core/uploads/uploadQueries.ts';
import { deleteUpload } from '../../core/uploads/uploads.ts';
import { unknownId } from '../../domain/failure.ts';
import { addLogFields } from '../server/accessLog.ts';
import { uploadReceiver } from '../uploads/receiveUpload.ts';
import { type Handler, idOf, jsonResponse } from './endpoint.ts';
import type { PublicApiOptions } from './options.ts';

/** POST …/uploads: 201 with the new upload, or 200 with the one that has the same bytes and name. */
export function createUpload({ store, artifacts, uploadLimits }: PublicApiOptions): Handler {
  const receive = uploadReceiver({ db: store.db, artifacts, uploadLimits });
  return async ({ request, response, organizationId }) => {
    const { row, created } = await receive(request, organizationId);
    addLogFields(response, { upload_id: row.id });
    return jsonResponse(created ? 201 : 200, uploadRecord(row));
  };
}

export function oneUpload({ store }: PublicApiOptions): Handler {
  return async ({ request, organizationId }) => {
    const row = await findUpload(store.db, { id: idOf(request), organizationId });
    if (row === undefined) throw unknownId();
    return jsonResponse(200, uploadRecord(row));
  };
}

/** DELETE …/uploads/{id}: 204. */
export function removeUpload({ store }: PublicApiOptions): Handler {
  return async ({ request, organizationId }) => {
    if (!(await deleteUpload(store.db, { id: idOf(request), organizationId }))) throw unknownId();
    return { status: 204, text: '' };
  };
}
