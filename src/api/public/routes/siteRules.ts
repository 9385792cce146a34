/** The knowledge of the organization about sites. */
import { ListQuery } from '../../../contract/queries.ts';
import {
  NewSiteRule,
  SiteRuleChange,
  SiteRuleRecord,
  SiteRulesImport,
  SiteRulesImported,
} from '../../../contract/siteRules.ts';
import { siteRuleRecord } from '../../../core/siteRules/siteRuleJson.ts';
import { listSiteRules } from '../../../core/siteRules/siteRuleQueries.ts';
import {
  changeSiteRule,
  createSiteRule,
  importSiteRules,
  removeSiteRule,
  requireSiteRule,
} from '../../../core/siteRules/siteRules.ts';
import { COST } from '../../limits/costs.ts';
import { jsonResponse, type Route, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer, rangeOf } from '../listAnswer.ts';
import { changes, jsonBody, list, removes, route } from './operation.ts';

const EXAMPLE = {
  host: 'news.example',
  path: '/sport/*',
  device: 'phone',
  note: 'The score prefers the box in the footer.',
  slots: [{ size: { width: 300, height: 250 }, selector: '#mpu-1' }],
  hide: ['#newsletter'],
  click: ['.paywall .close'],
  wait_for: ['#mpu-1'],
  cookies: [{ name: 'session', value: 'reader-1' }],
};

export const siteRuleRoutes: readonly Route[] = [
  route('get /site_rules', 'read', {
    ...list('listSiteRules', 'List site rules, by host', ListQuery, SiteRuleRecord),
    description: 'With `per_page=500`, one answer has all rules. `POST …/site_rules/import` takes it as it is.',
    handler: (call, { store }) =>
      listAnswer(call.query, (page) => listSiteRules(store.db, rangeOf(call), page), siteRuleRecord),
  }),
  route('post /site_rules', 'write', {
    operationId: 'createSiteRule',
    summary: 'Create a site rule',
    description:
      'Captures of pages that it matches apply it from now on. 409 if the organization has one for the same host, path and device.',
    body: jsonBody(NewSiteRule, EXAMPLE),
    idempotent: true,
    status: 201,
    answer: SiteRuleRecord,
    failures: [409],
    handler: (call, { store }) =>
      answerOnce(store.db, { call, endpoint: 'site_rules' }, async (tx) => {
        const row = await createSiteRule(tx, call.organizationId, call.input, call.actor);
        return jsonResponse(201, siteRuleRecord(row));
      }),
  }),
  route('post /site_rules/import', 'write', {
    cost: COST.heavy,
    operationId: 'importSiteRules',
    summary: 'Import site rules',
    description:
      'Takes the answer of the list. Rules with the same host, path and device are replaced, others stay. All rules are stored or none. Exported rules have no values of cookies and headers: a rule that has stored ones keeps them, and others need them.',
    body: jsonBody(SiteRulesImport, { data: [{ host: '*.blog.example', hide: ['#newsletter'] }] }),
    answer: SiteRulesImported,
    failures: [409],
    handler: changes(
      (tx, call) => importSiteRules(tx, call.organizationId, call.input, call.actor),
      (imported) => imported,
    ),
  }),
  route('get /site_rules/{id}', 'read', {
    operationId: 'getSiteRule',
    summary: 'Read one site rule',
    answer: SiteRuleRecord,
    failures: [410],
    handler: async (call, { store }) => jsonResponse(200, siteRuleRecord(await requireSiteRule(store.db, refOf(call)))),
  }),
  route('patch /site_rules/{id}', 'write', {
    operationId: 'updateSiteRule',
    summary: 'Change a site rule',
    description: 'A list replaces the stored one as a whole.',
    body: jsonBody(SiteRuleChange, { slots: [{ size: { width: 300, height: 600 }, selector: '#rail' }], click: null }),
    answer: SiteRuleRecord,
    failures: [409, 410],
    handler: changes((tx, call) => changeSiteRule(tx, refOf(call), call.input, call.actor), siteRuleRecord),
  }),
  route('delete /site_rules/{id}', 'write', {
    operationId: 'deleteSiteRule',
    summary: 'Delete a site rule',
    description: 'Pictures that were taken with it stay.',
    answer: 'Deleted.',
    handler: removes((tx, call) => removeSiteRule(tx, refOf(call), call.actor)),
  }),
];
