import { z } from 'zod';
import { UploadsQuery } from '../../../contract/queries.ts';
import { UploadRecord } from '../../../contract/records.ts';
import { uploadRecord } from '../../../core/uploads/uploadJson.ts';
import { findUpload, listUploads } from '../../../core/uploads/uploadQueries.ts';
import { deleteUpload } from '../../../core/uploads/uploads.ts';
import { CREATIVE_MAX_BYTES } from '../../../domain/ads.ts';
import { unknownId } from '../../../domain/failure.ts';
import { addLogFields } from '../../server/accessLog.ts';
import { receiveUpload } from '../../uploads/receiveUpload.ts';
import { foundResponse, jsonResponse, NO_CONTENT, type Route, refOf } from '../endpoint.ts';
import { listAnswer, placeOf, rangeOf } from '../listAnswer.ts';
import { failure, list, other, route } from './operation.ts';

const FILE = { type: 'string', format: 'binary' } as const;
const PIXEL = '<a href="https://shop.example"><img src="https://cdn.example/300x250.png" width="300" height="250"></a>';

const UploadQuery = z.object({
  name: z
    .string()
    .optional()
    .meta({ example: 'banner_300x250.html' })
    .describe('Name of the file, for a raw body. It may contain the size of the creative.'),
});

export const uploadRoutes: readonly Route[] = [
  route('post /uploads', 'write', {
    operationId: 'createUpload',
    summary: 'Upload a creative',
    description: `Stores a file for \`media: {"type":"upload","content":"<id>"}\`: as the raw body, or as the one file of \`multipart/form-data\`. A file has at most ${CREATIVE_MAX_BYTES.toLocaleString('en')} bytes. The service detects the format from the content.`,
    query: UploadQuery,
    requestBody: {
      required: true,
      content: {
        'application/octet-stream': { schema: FILE, example: PIXEL },
        'multipart/form-data': {
          schema: { type: 'object', properties: { file: FILE }, required: ['file'] },
          example: { file: PIXEL },
        },
      },
    },
    status: 201,
    answer: UploadRecord,
    failures: [400, 413, 422],
    responses: {
      '200': other(
        'The organization has these bytes under this name: the existing upload, which now expires later.',
        UploadRecord,
      ),
      '409': failure('The organization has too many uploads that no ad uses.'),
      '415': failure('The file is not a creative: the message says what it is and what to send.'),
    },
    handler: async ({ request, response, organizationId }, { store, artifacts, uploadLimits }) => {
      const { row, created } = await receiveUpload({ db: store.db, artifacts, uploadLimits }, request, organizationId);
      addLogFields(response, { upload_id: row.id });
      return jsonResponse(created ? 201 : 200, uploadRecord(row));
    },
  }),
  route('get /uploads', 'read', {
    ...list('listUploads', 'List uploads, newest first', UploadsQuery, UploadRecord),
    tags: ['Reading'],
    handler: async (call, { store: { db } }) => {
      const { organizationId, query } = call;
      const after = await placeOf(db, 'uploads', { organizationId, id: query.after });
      const filter = { ...rangeOf(call), after };
      return listAnswer(query, (page) => listUploads(db, filter, page), uploadRecord);
    },
  }),
  route('get /uploads/{id}', 'read', {
    operationId: 'getUpload',
    summary: 'Read one upload',
    description: 'An expired upload no longer exists.',
    answer: UploadRecord,
    handler: async (call, { store }) => {
      const row = await findUpload(store.db, refOf(call));
      return foundResponse(200, row && uploadRecord(row));
    },
  }),
  route('delete /uploads/{id}', 'write', {
    operationId: 'deleteUpload',
    summary: 'Delete an upload that no ad uses',
    description: '',
    answer: 'Deleted.',
    responses: { '409': failure('An ad uses the upload, so it stays.') },
    handler: async (call, { store }) => {
      if (!(await deleteUpload(store.db, refOf(call)))) throw unknownId();
      return NO_CONTENT;
    },
  }),
];
