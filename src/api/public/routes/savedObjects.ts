/** Request templates and site lists. */
import { z } from 'zod';
import { ListQuery } from '../../../contract/queries.ts';
import {
  NewSiteList,
  newTemplate,
  SiteListRecord,
  siteListBody,
  TemplateRecord,
  templateBody,
} from '../../../contract/savedObjects.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { listNamed, removeNamed, type SavedRow, saveNamed, saveTemplate } from '../../../core/requests/savedObjects.ts';
import { siteListRecord, templateRecord } from '../../../core/sets/setJson.ts';
import type { Queryable } from '../../../db/database.ts';
import type { Limits } from '../../../domain/limits.ts';
import { COST } from '../../limits/costs.ts';
import { type Call, jsonResponse, NO_CONTENT, type Route, readOrFail, refOf } from '../endpoint.ts';
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
  devices: [{ name: 'desktop' }, { width: 412, height: 915, ratio: 2.63 }],
  options: { ad: { allow_scaling: true } },
};
const SITE_LIST = { name: 'Travel', sites: [{ url: 'https://travel.example/' }, { url: 'https://trips.example/' }] };

type Table = 'request_templates' | 'site_lists';
type Saved<T extends Table> = Promise<{ row: SavedRow<T>; created: boolean }>;

interface Kind<T extends Table> {
  readonly table: T;
  readonly path: 'templates' | 'site_lists';
  /** As in the ids of the operations. */
  readonly id: 'Template' | 'SiteList';
  readonly noun: string;
  readonly about: string;
  readonly schema: z.ZodType;
  readonly example: object;
  readonly record: z.ZodType;
  readonly toRecord: (row: SavedRow<T>) => object;
  /** @returns a function that saves the body. @throws Failure (422) */
  readonly read: (call: Call) => (tx: Queryable) => Saved<T>;
}

export function savedObjectRoutes(limits: Limits): readonly Route[] {
  const template = newTemplate(limits);
  return [
    ...routesOf({
      ...{ table: 'request_templates', path: 'templates', id: 'Template', noun: 'request template' },
      about: `Keeps parts of a request under a name, for later requests. People choose it on the page of a new request. ${OURS}`,
      ...{ schema: template, example: TEMPLATE, record: TemplateRecord, toRecord: templateRecord },
      read: ({ organizationId, keyId, body }) => {
        const given = readOrFail(template, body.value);
        const name = given.name.trim();
        return (tx) => saveTemplate(tx, { organizationId, keyId, name, body: templateBody(given) });
      },
    }),
    ...routesOf({
      ...{ table: 'site_lists', path: 'site_lists', id: 'SiteList', noun: 'site list' },
      about: `Keeps sites under a name, for later requests of the whole organization. ${OURS}`,
      ...{ schema: NewSiteList, example: SITE_LIST, record: SiteListRecord, toRecord: siteListRecord },
      read: ({ organizationId, keyId, body }) => {
        const given = readOrFail(NewSiteList, body.value);
        const name = given.name.trim();
        return (tx) => saveNamed(tx, 'site_lists', { organizationId, keyId, name, body: siteListBody(given) });
      },
    }),
  ];
}

function routesOf<T extends Table>(kind: Kind<T>): readonly Route[] {
  const { table, path, id, noun, about, schema, example, record, toRecord, read } = kind;
  return [
    {
      method: 'get',
      path: `/${path}`,
      scope: 'read',
      cost: COST.list,
      operation: list(`list${id}s`, `List ${noun}s, by name`, ListQuery, record),
      handler: async ({ request, organizationId }, { store }) => {
        const query = readOrFail(ListQuery, request.query);
        const filter = { organizationId, from: query.from, to: query.to };
        return listAnswer(query, (page) => listNamed(store.db, table, filter, page), toRecord);
      },
    },
    {
      method: 'post',
      path: `/${path}`,
      scope: 'write',
      operation: {
        operationId: `save${id}`,
        summary: `Save a ${noun}`,
        description: about,
        tags: ['Templates'],
        requestParams: { path: z.object(organization) },
        requestBody: jsonBody(schema, example),
        responses: {
          ...responses(201, record, BODY_FAILURES),
          '200': {
            description: `The organization had a ${noun} of this name. It was replaced.`,
            content: { 'application/json': { schema: record } },
          },
          '409': failure(`The organization has too many ${noun}s.`),
        },
      },
      handler: async (call, { store }) => {
        const save = read(call);
        return answerOnce(store.db, { call, endpoint: path }, async (tx) => {
          const { row, created } = await save(tx);
          return jsonResponse(created ? 201 : 200, toRecord(row));
        });
      },
    },
    {
      method: 'delete',
      path: `/${path}/{id}`,
      scope: 'write',
      operation: {
        operationId: `delete${id}`,
        summary: `Delete a ${noun}`,
        description: `Requests that were made with it stay. ${OURS}`,
        tags: ['Templates'],
        requestParams: { path: withId(noun) },
        responses: emptyResponses('Deleted.'),
      },
      handler: async (call, { store }) => {
        await store.db.transaction().execute((tx) => removeNamed(tx, table, refOf(call)));
        return NO_CONTENT;
      },
    },
  ];
}
