/** Request templates and site lists. */
import type { z } from 'zod';
import { ListQuery } from '../../../contract/queries.ts';
import {
  NewSiteList,
  newTemplate,
  SiteListRecord,
  siteListBody,
  TemplateRecord,
  templateBody,
} from '../../../contract/savedObjects.ts';
import { siteListRecord, templateRecord } from '../../../core/requests/savedObjectJson.ts';
import { listNamed, removeNamed, type SavedRow, saveNamed, saveTemplate } from '../../../core/requests/savedObjects.ts';
import type { Queryable } from '../../../db/database.ts';
import type { Limits } from '../../../domain/limits.ts';
import { type Call, jsonResponse, type Route, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer } from '../listAnswer.ts';
import { failure, idOfA, jsonBody, list, other, removes, route } from './operation.ts';

const TEMPLATE = {
  name: 'News sites',
  sites: [{ url: 'https://news.example/' }, { url: 'https://blog.example/' }],
  devices: [{ name: 'desktop' }, { width: 412, height: 915, ratio: 2.63 }],
  options: { ad: { allow_scaling: true } },
};
const SITE_LIST = { name: 'Travel', sites: [{ url: 'https://travel.example/' }, { url: 'https://trips.example/' }] };

type Table = 'request_templates' | 'site_lists';
type Saved<T extends Table> = Promise<{ row: SavedRow<T>; created: boolean }>;

interface Kind<T extends Table, S extends z.ZodType> {
  readonly table: T;
  readonly path: 'templates' | 'site_lists';
  /** As in the ids of the operations. */
  readonly id: 'Template' | 'SiteList';
  readonly noun: string;
  readonly about: string;
  readonly schema: S;
  readonly example: object;
  readonly record: z.ZodType;
  readonly toRecord: (row: SavedRow<T>) => object;
  readonly save: (tx: Queryable, call: Call, given: z.output<S>) => Saved<T>;
}

export function savedObjectRoutes(limits: Limits): readonly Route[] {
  const template = newTemplate(limits);
  return [
    ...routesOf({
      ...{ table: 'request_templates', path: 'templates', id: 'Template', noun: 'request template' },
      about: `Stores parts of a request under a name, for later requests. People choose it on the new request page.`,
      ...{ schema: template, example: TEMPLATE, record: TemplateRecord, toRecord: templateRecord },
      save: (tx, { organizationId, keyId }, given) => {
        const name = given.name.trim();
        return saveTemplate(tx, { organizationId, keyId, name, body: templateBody(given) });
      },
    }),
    ...routesOf({
      ...{ table: 'site_lists', path: 'site_lists', id: 'SiteList', noun: 'site list' },
      about: `Stores sites under a name, for later requests of the whole organization.`,
      ...{ schema: NewSiteList, example: SITE_LIST, record: SiteListRecord, toRecord: siteListRecord },
      save: (tx, { organizationId, keyId }, given) => {
        const name = given.name.trim();
        return saveNamed(tx, 'site_lists', { organizationId, keyId, name, body: siteListBody(given) });
      },
    }),
  ];
}

function routesOf<T extends Table, S extends z.ZodType>(kind: Kind<T, S>): readonly Route[] {
  const { table, path, id, noun, about, schema, example, record, toRecord, save } = kind;
  return [
    route(`get /${path}`, 'read', {
      ...list(`list${id}s`, `List ${noun}s, by name`, ListQuery, record),
      tags: ['Reading'],
      handler: async ({ query, organizationId }, { store }) => {
        const filter = { organizationId, from: query.from, to: query.to };
        return listAnswer(query, (page) => listNamed(store.db, table, filter, page), toRecord);
      },
    }),
    route(`post /${path}`, 'write', {
      operationId: `save${id}`,
      summary: `Save a ${noun}`,
      description: about,
      body: jsonBody(schema, example),
      status: 201,
      answer: record,
      responses: {
        '200': other(`The organization had a ${noun} of this name. It was replaced.`, record),
        '409': failure(`The organization has too many ${noun}s.`),
      },
      handler: async (call, { store }) => {
        return answerOnce(store.db, { call, endpoint: path }, async (tx) => {
          const { row, created } = await save(tx, call, call.input);
          return jsonResponse(created ? 201 : 200, toRecord(row));
        });
      },
    }),
    route(`delete /${path}/{id}`, 'write', {
      operationId: `delete${id}`,
      summary: `Delete a ${noun}`,
      params: { id: idOfA(noun) },
      description: 'Requests that were made with it are not affected.',
      answer: 'Deleted.',
      handler: removes((tx, call) => removeNamed(tx, table, refOf(call))),
    }),
  ];
}
