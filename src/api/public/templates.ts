/** Handlers for request templates. */
import { ListQuery } from '../../contract/queries.ts';
import { newTemplate, templateBody } from '../../contract/templates.ts';
import { listTemplates, removeTemplate as removeTemplateRow, saveTemplate } from '../../core/requests/templates.ts';
import { templateRecord } from '../../core/sets/setJson.ts';
import { type Handler, idOf, jsonResponse, readOrFail } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { readJson } from './jsonBody.ts';
import { listAnswer } from './listAnswer.ts';
import type { PublicApiOptions } from './options.ts';

/** POST …/templates: 201 with a new template, or 200 with the one of that name, which it replaces. */
export function createTemplate({ store, limits }: PublicApiOptions): Handler {
  const schema = newTemplate(limits);
  return async (call) => {
    const { organizationId, keyId } = call;
    const { value, sha256 } = await readJson(call.request);
    const template = readOrFail(schema, value);
    const toSave = { organizationId, keyId, name: template.name.trim(), body: templateBody(template) };
    return answerOnce({ db: store.db, call, endpoint: 'templates', bodySha256: sha256 }, async (tx) => {
      const { row, created } = await saveTemplate(tx, toSave);
      return jsonResponse(created ? 201 : 200, templateRecord(row));
    });
  };
}

/** GET …/templates, by name. */
export function templateList({ store }: PublicApiOptions): Handler {
  return async ({ request, organizationId }) => {
    const query = readOrFail(ListQuery, request.query);
    const filter = { organizationId, from: query.from, to: query.to };
    return listAnswer(query, (page) => listTemplates(store.db, filter, page), templateRecord);
  };
}

/** DELETE …/templates/{id}: 204. */
export function removeTemplate({ store }: PublicApiOptions): Handler {
  return async ({ request, organizationId }) => {
    await store.db.transaction().execute((tx) => removeTemplateRow(tx, { id: idOf(request), organizationId }));
    return { status: 204, text: '' };
  };
}
