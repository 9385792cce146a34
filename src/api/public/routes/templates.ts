import { z } from 'zod';
import { OURS } from '../../../contract/descriptions.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { newTemplate, TemplateRecord } from '../../../contract/templates.ts';
import type { Limits } from '../../../domain/limits.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { createTemplate, removeTemplate, templateList } from '../templates.ts';
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

export const templateRoutes = (limits: Limits): readonly Route[] => [
  {
    method: 'get',
    path: '/templates',
    scope: 'read',
    cost: COST.list,
    operation: list('listTemplates', 'List request templates, by name', ListQuery, TemplateRecord),
    handler: templateList,
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
      requestBody: jsonBody(newTemplate(limits), TEMPLATE),
      responses: {
        ...responses(201, TemplateRecord, BODY_FAILURES),
        '200': {
          description: 'The organization had a template of this name. It was replaced.',
          content: { 'application/json': { schema: TemplateRecord } },
        },
        '409': failure('The organization has too many templates.'),
      },
    },
    handler: createTemplate,
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
    handler: removeTemplate,
  },
];
