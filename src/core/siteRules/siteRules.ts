/** Changes to the site rules of an organization, each in a transaction of its caller. */
import type { z } from 'zod';
import { Faults, joinPath } from '../../contract/faults.ts';
import {
  type NewSiteRule,
  pagesOf,
  partsOf,
  type RuleReport,
  type SiteRuleChange,
  type SiteRulesImport,
  type SiteRulesImported,
} from '../../contract/siteRules.ts';
import type { Queryable } from '../../db/database.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { ObjectRef } from '../../db/rows.ts';
import { type Actor, changesBetween, type FieldChange } from '../../domain/auditLog.ts';
import { conflict, Failure, invalid, unknownId } from '../../domain/failure.ts';
import type { NamedValue, PageAccess } from '../../domain/pageAccess.ts';
import { pagesKey, RULE_LIMITS, type RuleSlot, withSlot } from '../../domain/siteRules.ts';
import { isUuid } from '../../domain/slugs.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import {
  accessOfRule,
  countSiteRules,
  deleteSiteRule,
  findRuleOfPages,
  findSiteRule,
  insertSiteRule,
  noteRuleReports,
  type SiteRuleRow,
  type StoredRule,
  updateSiteRule,
} from './siteRuleQueries.ts';

type Imported = z.output<typeof SiteRulesImport>;
type GivenPairs = NewSiteRule['cookies'];

/** @throws Failure: 409 if there are too many, or one for the same pages; 422 for a cookie or header without a value. */
export async function createSiteRule(
  tx: Queryable,
  organizationId: string,
  given: NewSiteRule,
  actor: Actor,
): Promise<SiteRuleRow> {
  await lockOrganizationById(tx, organizationId);
  const rule = ruleOf(tx, given, undefined);
  await requireFree(tx, organizationId, rule);
  return insert(tx, organizationId, rule, actor);
}

/** @throws Failure: 404, 409 if another rule has the same pages, 422 as {@link createSiteRule} and for a rule without parts. */
export async function changeSiteRule(
  tx: Queryable,
  one: ObjectRef,
  given: SiteRuleChange,
  actor: Actor,
): Promise<SiteRuleRow> {
  await lockOrganizationById(tx, one.organizationId);
  const before = await requireSiteRule(tx, one, { lock: true });
  const { host, ...change } = given;
  const kept = (names: readonly string[]) => names.map((name) => ({ name, value: null }));
  const { cookies, headers, ...parts } = before.body;
  const stored = { host: before.host, path: before.path, device: before.device, note: before.note, ...parts };
  const present = Object.entries(change).filter(([, value]) => value !== undefined);
  const merged = {
    ...{ ...stored, slots: [...parts.slots], hide: [...parts.hide], click: [...parts.click] },
    ...{ wait_for: [...parts.wait_for], cookies: kept(cookies), headers: kept(headers) },
    ...Object.fromEntries(present),
    ...(host && { host }),
  };
  const rule = ruleOf(tx, merged, before);
  if (isEmpty(rule))
    throw invalid({ slots: ['is required, because the rule would have no part left: delete the rule instead.'] });
  if (pagesKey(rule) !== pagesKey(before)) await requireFree(tx, one.organizationId, rule, { isNew: false });
  return replace(tx, before, rule, actor);
}

/** Adds the slot to the rule for these pages, which is made if there is none. @throws Failure (409, 422) as {@link createSiteRule} */
export async function useSlot(
  tx: Queryable,
  organizationId: string,
  { slot, ...given }: Pick<NewSiteRule, 'host' | 'path' | 'device'> & { readonly slot: RuleSlot },
  actor: Actor,
): Promise<SiteRuleRow> {
  await lockOrganizationById(tx, organizationId);
  const before = await findRuleOfPages(tx, organizationId, pagesOf(given));
  if (before === undefined) return createSiteRule(tx, organizationId, { ...given, slots: [slot] }, actor);
  const slots = withSlot(before.body.slots, slot);
  if (slots.length > RULE_LIMITS.slots)
    throw conflict('slots', `are more than ${RULE_LIMITS.slots}: remove one from the rule first.`);
  return changeSiteRule(tx, { id: before.id, organizationId }, { slots }, actor);
}

/**
 * Adds rules, and replaces those with the same host, path and device: all of them or none.
 * @throws Failure (409, 422) with all faults by the paths of the body.
 */
export async function importSiteRules(
  tx: Queryable,
  organizationId: string,
  { data }: Imported,
  actor: Actor,
): Promise<SiteRulesImported> {
  await lockOrganizationById(tx, organizationId);
  const faults = new Faults();
  const rules: { readonly rule: StoredRule; readonly before: SiteRuleRow | undefined }[] = [];
  for (const [index, given] of data.entries()) {
    const before = await findRuleOfPages(tx, organizationId, pagesOf(given));
    try {
      rules.push({ rule: ruleOf(tx, given, before), before });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      for (const [path, texts] of Object.entries(error.errors))
        for (const text of texts) faults.add(joinPath('data', index, path), text);
    }
  }
  if (faults.any) throw invalid(faults.errors);
  const created = rules.filter(({ before }) => before === undefined).length;
  if ((await countSiteRules(tx, organizationId)) + created > RULE_LIMITS.rules) throw tooMany('data');
  for (const { rule, before } of rules)
    await (before === undefined ? insert(tx, organizationId, rule, actor) : replace(tx, before, rule, actor));
  return { type: 'site_rules_import', created, replaced: rules.length - created };
}

/** @throws Failure (404) */
export async function removeSiteRule(tx: Queryable, one: ObjectRef, actor: Actor): Promise<void> {
  const row = await requireSiteRule(tx, one, { lock: true });
  await deleteSiteRule(tx, one.id);
  await recordAction(tx, actor, { action: 'site_rule.deleted', of: one, from: audited(row) });
}

/** @throws Failure (404) */
export async function requireSiteRule(
  db: Queryable,
  one: ObjectRef,
  options?: { readonly lock: boolean },
): Promise<SiteRuleRow> {
  const row = await findSiteRule(db, one, options);
  if (row === undefined) throw unknownId();
  return row;
}

/** Notes what rules did on pages. @param reports as captures sent them. */
export async function noteRules(tx: Queryable, organizationId: string, reports: readonly RuleReport[]): Promise<void> {
  const idsOf = (hasActed: boolean) => {
    const matching = reports.filter(({ effects }) => effects.some(({ problem }) => (problem === null) === hasActed));
    return [...new Set(matching.map(({ id }) => id))].filter(isUuid);
  };
  const [acted, missed] = [idsOf(true), idsOf(false)];
  if (acted.length + missed.length > 0) await noteRuleReports(tx, organizationId, { acted, missed });
}

async function requireFree(tx: Queryable, organizationId: string, rule: StoredRule, { isNew = true } = {}) {
  if ((await findRuleOfPages(tx, organizationId, rule)) !== undefined)
    throw conflict('host', 'has a site rule with this path and device: change that one.');
  if (isNew && (await countSiteRules(tx, organizationId)) >= RULE_LIMITS.rules) throw tooMany('host');
}

const tooMany = (path: string) =>
  conflict(path, `would exceed the limit of ${RULE_LIMITS.rules} site rules of an organization: delete some first.`);

async function insert(tx: Queryable, organizationId: string, rule: StoredRule, actor: Actor): Promise<SiteRuleRow> {
  const row = await insertSiteRule(tx, organizationId, rule);
  const of = { organizationId, id: row.id };
  await recordAction(tx, actor, { action: 'site_rule.created', of, to: audited(row) });
  return row;
}

async function replace(tx: Queryable, before: SiteRuleRow, rule: StoredRule, actor: Actor): Promise<SiteRuleRow> {
  const hasNewValues = JSON.stringify(accessOfRule(tx, before)) !== JSON.stringify(rule.access);
  const [from, to] = [audited(before), audited({ ...before, ...rule })];
  const changes: FieldChange[] = changesBetween(from, to);
  // A change that the shown text hides is a change too.
  if (hasNewValues && !changes.some(({ field }) => field === 'cookies' || field === 'headers'))
    changes.push({ field: 'values', from: '…', to: '…' });
  if (changes.length === 0) return before;
  const row = await updateSiteRule(tx, before.id, rule);
  const of = { organizationId: before.organization_id, id: before.id };
  await recordAction(tx, actor, { action: 'site_rule.updated', of, changes });
  return row;
}

/** Values of cookies and headers are secrets. */
function audited({ host, path, device, note, body }: Omit<StoredRule, 'access'>) {
  const slots = body.slots.map(({ size, selector }) => `${size ? `${size.width}x${size.height} ` : ''}${selector}`);
  return { host, path, device, note, ...body, slots };
}

/** @param before the rule that it replaces, which keeps its values. @throws Failure (422) for a value that is neither given nor stored. */
function ruleOf(tx: Queryable, given: NewSiteRule, before: SiteRuleRow | undefined): StoredRule {
  const pages = pagesOf(given);
  // A person who may not read the values could otherwise have them sent to a host that she chooses.
  const isForHost = before !== undefined && before.host === pages.host;
  const stored: PageAccess = isForHost ? accessOfRule(tx, before) : { cookies: [], headers: [] };
  const faults = new Faults();
  const filled = (kind: 'cookies' | 'headers', pairs: GivenPairs): NamedValue[] =>
    (pairs ?? []).map(({ name, value }, index) => {
      const known = value ?? stored[kind].find((pair) => pair.name === name)?.value;
      if (known === undefined)
        faults.add(
          `${kind}.${index}.value`,
          'is required, because no value of this name is stored for this host. Exports contain no values.',
        );
      return { name, value: known ?? '' };
    });
  const access = { cookies: filled('cookies', given.cookies), headers: filled('headers', given.headers) };
  if (faults.any) throw invalid(faults.errors);
  const names = (pairs: readonly NamedValue[]) => pairs.map(({ name }) => name);
  const body = { ...partsOf(given), cookies: names(access.cookies), headers: names(access.headers) };
  return { ...pages, note: given.note?.trim() ?? '', body, access };
}

const isEmpty = ({ body }: StoredRule) => Object.values(body).every((part) => part.length === 0);
