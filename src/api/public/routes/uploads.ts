import { z } from 'zod';
import { UploadsQuery } from '../../../contract/queries.ts';
import { UploadRecord } from '../../../contract/records.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { uploadRecord } from '../../../core/sets/setJson.ts';
import { findUpload, listUploads } from '../../../core/uploads/uploadQueries.ts';
import { deleteUpload } from '../../../core/uploads/uploads.ts';
import { CREATIVE_MAX_BYTES } from '../../../domain/ads.ts';
import { unknownId } from '../../../domain/failure.ts';
import { COST } from '../../limits/costs.ts';
import { addLogFields } from '../../server/accessLog.ts';
import { receiveUpload } from '../../uploads/receiveUpload.ts';
import { foundResponse, idOf, jsonResponse, NO_CONTENT, type Route } from '../endpoint.ts';
import { listAnswer, placeOf, readQuery } from '../listAnswer.ts';
import { emptyResponses, failure, list, organization, responses, withId } from './operation.ts';

const FILE = { type: 'string', format: 'binary' } as const;
const PIXEL = '<a href="https://shop.example"><img src="https://cdn.example/300x250.png" width="300" height="250"></a>';

const UploadQuery = z.object({
  name: z
    .string()
    .optional()
    .meta({ example: 'banner_300x250.html' })
    .describe('Name of the file, for a raw body. It may say the size of the creative.'),
});

export const uploadRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/uploads',
    scope: 'write',
    operation: {
      operationId: 'createUpload',
      summary: 'Upload a creative',
      description: `Stores a file for \`media: {"type":"upload","content":"<id>"}\`: as the raw body, or as the one file of \`multipart/form-data\`. The largest file has ${CREATIVE_MAX_BYTES.toLocaleString('en')} bytes. The service tells the format by the content. ${OURS}`,
      tags: ['Uploads'],
      requestParams: { path: z.object(organization), query: UploadQuery },
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
      responses: {
        ...responses(201, UploadRecord, [400, 413, 422]),
        '200': {
          description:
            'The organization has these bytes under this name: the existing upload, which now expires later.',
          content: { 'application/json': { schema: UploadRecord } },
        },
        '409': failure('The organization has too many uploads that no ad uses.'),
        '415': failure('The file is not a creative: the message says what it is and what to send.'),
      },
    },
    handler: async ({ request, response, organizationId }, { store, artifacts, uploadLimits }) => {
      const { row, created } = await receiveUpload({ db: store.db, artifacts, uploadLimits }, request, organizationId);
      addLogFields(response, { upload_id: row.id });
      return jsonResponse(created ? 201 : 200, uploadRecord(row));
    },
  },
  {
    method: 'get',
    path: '/uploads',
    scope: 'read',
    cost: COST.list,
    operation: list('listUploads', 'List uploads, newest first', UploadsQuery, UploadRecord),
    handler: async (call, { store: { db } }) => {
      const { organizationId } = call;
      const query = readQuery(UploadsQuery, call);
      const after = await placeOf(db, 'uploads', { organizationId, id: query.after });
      const filter = { organizationId, from: query.from, to: query.to, after };
      return listAnswer(query, (page) => listUploads(db, filter, page), uploadRecord);
    },
  },
  {
    method: 'get',
    path: '/uploads/{id}',
    scope: 'read',
    operation: {
      operationId: 'getUpload',
      summary: 'Read one upload',
      description: `An expired upload does not exist any more. ${OURS}`,
      tags: ['Uploads'],
      requestParams: { path: withId('upload') },
      responses: responses(200, UploadRecord),
    },
    handler: async ({ request, organizationId }, { store }) => {
      const row = await findUpload(store.db, { id: idOf(request), organizationId });
      return foundResponse(200, row && uploadRecord(row));
    },
  },
  {
    method: 'delete',
    path: '/uploads/{id}',
    scope: 'write',
    operation: {
      operationId: 'deleteUpload',
      summary: 'Delete an upload that no ad uses',
      description: OURS,
      tags: ['Uploads'],
      requestParams: { path: withId('upload') },
      responses: { ...emptyResponses('Deleted.'), '409': failure('An ad uses the upload, so it stays.') },
    },
    handler: async ({ request, organizationId }, { store }) => {
      if (!(await deleteUpload(store.db, { id: idOf(request), organizationId }))) throw unknownId();
      return NO_CONTENT;
    },
  },
];
