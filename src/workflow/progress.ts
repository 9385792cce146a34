import { sql } from 'kysely';
import type { Queryable } from '../store/database/database.ts';
import type { LockedJob } from './attempts.ts';
import type { EventContext } from './eventContext.ts';
import { isWanted, recordSetEvent } from './events.ts';

const STEPS = 4;

/** Tells subscribers that asked for it how a set comes on: once at each quarter of its pictures but the last. */
export async function recordProgressEvent(
  transaction: Queryable,
  { id, organization_id: organizationId, set_id: setId }: LockedJob & { readonly set_id: string },
  context: EventContext,
): Promise<void> {
  const subject = { organizationId, setId, topic: 'screenshot_set.progress' } as const;
  if (!(await isWanted(transaction, subject))) return;
  // The row is locked first, so that of two results at once the later one counts both.
  const job = await transaction
    .selectFrom('screenshot_jobs')
    .select('progress')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const { total, resolved } = await transaction
    .selectFrom('screenshots')
    .select([
      sql<number>`count(*)::integer`.as('total'),
      sql<number>`count(*) filter (where status <> 'pending')::integer`.as('resolved'),
    ])
    .where('set_id', '=', setId)
    .executeTakeFirstOrThrow();
  const step = Math.floor((resolved * STEPS) / Math.max(1, total));
  if (step <= job.progress || step >= STEPS) return;
  await transaction.updateTable('screenshot_jobs').set({ progress: step }).where('id', '=', id).execute();
  await recordSetEvent(transaction, subject, context);
}
