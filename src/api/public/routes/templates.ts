import { z } from 'zod';
import { ListQuery } from '../../../contract/queries.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { newTemplate, TemplateRecord, templateBody } from '../../../contract/templates.ts';
import { listTemplates, removeTemplate, saveTemplate } from '../../../core/requests/templates.ts';
import { templateRecord } from '../../../core/sets/setJson.ts';
import type { Limits } from '../../../domain/limits.ts';
import { COST } from '../../limits/costs.ts';
import { jsonResponse, NO_CONTENT, type Route, readOrFail, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer } from '../listAnswer.ts';
import {
  BODY_FAILURES,
  emptyResponses,
  failure,
  jsonBody,
  list,
  organization,
  responses,
  withId,
} from './operation.ts';

const TEMPLATE = {
  name: 'News sites',
  sites: [{ url: 'https://news.example/' }, { url: 'https://blog.example/' }],
  devices: [{ name: 'desktop' }, { name: 'iphone' }],
  options: { ad: { allow_scaling: true } },
};

export function templateRoutes(limits: Limits): readonly Route[] {
  const schema = newTemplate(limits);
  return [
    {
      method: 'get',
      path: '/templates',
      scope: 'read',
      cost: COST.list,
      operation: list('listTemplates', 'List request templates, by name', ListQuery, TemplateRecord),
      handler: async ({ request, organizationId }, { store }) => {
        const query = readOrFail(ListQuery, request.query);
        const filter = { organizationId, from: query.from, to: query.to };
        return listAnswer(query, (page) => listTemplates(store.db, filter, page), templateRecord);
      },
    },
    {
      method: 'post',
      path: '/templates',
      scope: 'write',
      operation: {
        operationId: 'saveTemplate',
        summary: 'Save a request template',
        description: `Keeps sites, devices and options under a name, for later requests. People choose it on the page of a new request. ${OURS}`,
        tags: ['Templates'],
        requestParams: { path: z.object(organization) },
        requestBody: jsonBody(schema, TEMPLATE),
        responses: {
          ...responses(201, TemplateRecord, BODY_FAILURES),
          '200': {
            description: 'The organization had a template of this name. It was replaced.',
            content: { 'application/json': { schema: TemplateRecord } },
          },
          '409': failure('The organization has too many templates.'),
        },
      },
      handler: async (call, { store }) => {
        const { organizationId, keyId } = call;
        const template = readOrFail(schema, call.body.value);
        const toSave = { organizationId, keyId, name: template.name.trim(), body: templateBody(template) };
        return answerOnce(store.db, { call, endpoint: 'templates' }, async (tx) => {
          const { row, created } = await saveTemplate(tx, toSave);
          return jsonResponse(created ? 201 : 200, templateRecord(row));
        });
      },
    },
    {
      method: 'delete',
      path: '/templates/{id}',
      scope: 'write',
      operation: {
        operationId: 'deleteTemplate',
        summary: 'Delete a request template',
        description: `Requests that were made with it stay. ${OURS}`,
        tags: ['Templates'],
        requestParams: { path: withId('template') },
        responses: emptyResponses('Deleted.'),
      },
      handler: async (call, { store }) => {
        await store.db.transaction().execute((tx) => removeTemplate(tx, refOf(call)));
        return NO_CONTENT;
      },
    },
  ];
}
