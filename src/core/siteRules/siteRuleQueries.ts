/** The SQL of site rules. Their cookies and headers are sealed. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { SiteRuleBody } from '../../contract/siteRules.ts';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import { openSecret, sealSecret } from '../../db/secrets/sealing.ts';
import type { PageAccess } from '../../domain/pageAccess.ts';
import type { AppliedRule, RulePages } from '../../domain/siteRules.ts';

export type SiteRuleRow = Row<'site_rules'>;

export interface StoredRule extends RulePages {
  readonly note: string;
  readonly body: SiteRuleBody;
  readonly access: PageAccess;
}

/** By host, path and device. */
export async function listSiteRules(
  db: Queryable,
  { organizationId, ...range }: { readonly organizationId: string } & TimeRange,
  page: Page,
): Promise<ListPage<SiteRuleRow>> {
  const rules = db
    .selectFrom('site_rules')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where(isInRange(sql`created_at`, range))
    .orderBy('host')
    .orderBy('path')
    .orderBy('device');
  return readListPage(db, rules, page);
}

/** @param lock until the transaction ends. @returns undefined if the organization has no such rule. */
export async function findSiteRule(
  db: Queryable,
  { id, organizationId }: ObjectRef,
  { lock = false } = {},
): Promise<SiteRuleRow | undefined> {
  return db
    .selectFrom('site_rules')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
}

/** @returns the rule for exactly these pages, if the organization has one. */
export async function findRuleOfPages(
  db: Queryable,
  organizationId: string,
  { host, path, device }: RulePages,
): Promise<SiteRuleRow | undefined> {
  const rules = db.selectFrom('site_rules').selectAll().where('organization_id', '=', organizationId);
  return rules.where('host', '=', host).where('path', '=', path).where('device', '=', device).executeTakeFirst();
}

export async function countSiteRules(db: Queryable, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('site_rules')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertSiteRule(tx: Queryable, organizationId: string, rule: StoredRule): Promise<SiteRuleRow> {
  const id = randomUUID();
  return tx
    .insertInto('site_rules')
    .values({ id, organization_id: organizationId, ...columnsOf(tx, id, rule) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The times are those of the rule as it was, so both begin again. */
export async function updateSiteRule(tx: Queryable, id: string, rule: StoredRule): Promise<SiteRuleRow> {
  return tx
    .updateTable('site_rules')
    .set({ ...columnsOf(tx, id, rule), updated_at: sql<Date>`now()`, last_acted_at: null, last_missed_at: null })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function columnsOf(tx: Queryable, id: string, { host, path, device, note, body, access }: StoredRule) {
  const isEmpty = access.cookies.length + access.headers.length === 0;
  const sealed = isEmpty ? null : sealSecret(tx, JSON.stringify(access), `site_rules.access of ${id}`);
  return { host, path, device, note, body: JSON.stringify(body), access: sealed };
}

export async function deleteSiteRule(tx: Queryable, id: string): Promise<void> {
  await tx.deleteFrom('site_rules').where('id', '=', id).execute();
}

export function accessOfRule(db: Queryable, { id, access }: Pick<SiteRuleRow, 'id' | 'access'>): PageAccess {
  return access === null
    ? { cookies: [], headers: [] }
    : JSON.parse(openSecret(db, access, `site_rules.access of ${id}`));
}

/** @returns the rules of an organization for these hosts, with their secrets. Only captures get them. */
export async function readRulesToApply(
  db: Queryable,
  organizationId: string,
  hosts: readonly string[],
): Promise<(AppliedRule & RulePages)[]> {
  const rules = db.selectFrom('site_rules').selectAll().where('organization_id', '=', organizationId);
  const rows = await rules.where((eb) => eb('host', '=', eb.fn.any(eb.val([...hosts])))).execute();
  return rows.map((row) => {
    const { id, host, path, device, body } = row;
    const { slots, hide, click, wait_for } = body;
    return { id, host, path, device, slots, hide, click, wait_for, ...accessOfRule(db, row) };
  });
}

/**
 * Notes when rules acted or found nothing, at most once a minute for each. A rule that another transaction notes at this moment
 * is skipped, so that results never wait for each other.
 */
export async function noteRuleReports(
  tx: Queryable,
  organizationId: string,
  { acted, missed }: { readonly acted: readonly string[]; readonly missed: readonly string[] },
): Promise<void> {
  await sql`
    with due as (
      select id, id = any(${acted}::uuid[]) as acted, id = any(${missed}::uuid[]) as missed from site_rules
      where organization_id = ${organizationId} and (
        (id = any(${acted}::uuid[]) and coalesce(last_acted_at < now() - interval '1 minute', true))
        or (id = any(${missed}::uuid[]) and coalesce(last_missed_at < now() - interval '1 minute', true)))
      for update skip locked
    )
    update site_rules r set last_acted_at = case when due.acted then now() else r.last_acted_at end,
      last_missed_at = case when due.missed then now() else r.last_missed_at end
    from due where r.id = due.id`.execute(tx);
}
