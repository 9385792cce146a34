/** The creative check of an ad: what its capture measured, and what the rules of its organization find in it. */
import { sql } from 'kysely';
import { type CreativeCheckRecord, checkLimits, findingsOf } from '../../contract/creativeCheck.ts';
import type { CreativeFacts } from '../../contract/creativeFacts.ts';
import type { Queryable } from '../../db/database.ts';
import type { RowQuery } from '../../db/rows.ts';
import { isFailure } from '../../domain/states.ts';

/** Whether an ad needs facts. A creative is measured once, but again if the whole measurement failed. */
export const WANTS_FACTS = sql<boolean>`(ads.facts is null or ads.facts -> 'page' ? 'not_measured')`;

/** The first facts stay. */
export async function storeFacts(transaction: Queryable, adId: string, facts: CreativeFacts): Promise<void> {
  await transaction
    .updateTable('ads')
    .set({ facts: JSON.stringify(facts) })
    .where('id', '=', adId)
    .where(WANTS_FACTS)
    .execute();
}

/** @returns undefined if there is no such ad. */
export async function readCreativeCheck(db: Queryable, query: RowQuery): Promise<CreativeCheckRecord | undefined> {
  const row = await db
    .selectFrom('ads')
    .innerJoin('organizations', 'organizations.id', 'ads.organization_id')
    .select(['ads.status', 'ads.width', 'ads.height', 'ads.category', 'ads.facts', 'creative_check'])
    .where('ads.id', '=', query.id)
    .$if(query.organizationId !== undefined, (q) => q.where('organization_id', '=', query.organizationId ?? ''))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { facts, creative_check: settings } = row;
  const { page = null } = facts ?? {};
  return {
    type: 'creative_check',
    ad_id: query.id,
    not_measured: facts === null ? whyNot(row.status) : page && 'not_measured' in page ? page.not_measured : null,
    facts,
    limits: checkLimits(row, settings),
    findings: facts === null ? [] : findingsOf(facts, row, settings),
  };
}

export interface AdFinding {
  readonly ad_name: string;
  readonly rule: string;
  readonly message: string;
}

/** @returns the objections of ad servers to the ads of these screenshots, by ad, without hints. */
export async function readAdFindings(db: Queryable, screenshotIds: readonly string[]): Promise<AdFinding[]> {
  const rows = await db
    .selectFrom('ads')
    .innerJoin('organizations', 'organizations.id', 'ads.organization_id')
    .select(['ads.name', 'ads.width', 'ads.height', 'ads.category', 'ads.facts', 'creative_check'])
    .where(sql<boolean>`ads.id in (select ad_id from screenshots where id = any(${[...screenshotIds]}::uuid[]))`)
    .orderBy(['ads.name', 'ads.id'])
    .execute();
  return rows.flatMap(({ name: ad_name, facts, creative_check, ...ad }) => {
    const found = facts === null ? [] : findingsOf(facts, ad, creative_check);
    return found.flatMap(({ severity, rule, message }) => (severity === 'note' ? [] : [{ ad_name, rule, message }]));
  });
}

function whyNot(status: Parameters<typeof isFailure>[0]): string {
  if (status === 'pending') return 'The ad is not rendered yet.';
  if (isFailure(status)) return 'The ad could not be rendered.';
  return 'The ad was rendered before it could be measured. Render it again: request a picture with its ad_id, or retake one.';
}
