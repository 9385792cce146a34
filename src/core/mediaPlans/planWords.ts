/** The meanings of words of an organization in its media plans. A person says them once for all rows and later plans. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type Actor, changesBetween } from '../../domain/auditLog.ts';
import { PLAN_LIMITS, type PlanWords } from '../../domain/mediaPlans.ts';
import { recordAction } from '../journal/auditLogQueries.ts';

export async function readPlanWords(db: Queryable, organizationId: string): Promise<PlanWords> {
  const { plan_words } = await db
    .selectFrom('organizations')
    .select('plan_words')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return plan_words;
}

/** Words beyond the limit of an organization are not remembered. */
export async function rememberPlanWords(
  tx: Queryable,
  { organizationId, words }: { readonly organizationId: string; readonly words: PlanWords },
  actor: Actor,
): Promise<void> {
  const before = await readPlanWords(tx, organizationId);
  const after = Object.fromEntries(Object.entries({ ...before, ...words }).slice(0, PLAN_LIMITS.words));
  const changes = changesBetween(before, after);
  if (changes.length === 0) return;
  await sql`update organizations set plan_words = ${JSON.stringify(after)}::jsonb where id = ${organizationId}`.execute(
    tx,
  );
  await recordAction(tx, actor, { action: 'settings.updated', of: { organizationId, id: organizationId }, changes });
}
