import type { Queryable } from '../../db/database.ts';
import { type LockedJob, lockProgress } from '../jobs/jobLocks.ts';
import { setProgress } from '../jobs/jobs.ts';
import type { EventContext } from '../webhooks/eventContext.ts';
import { isWanted, recordSetEvent } from '../webhooks/events.ts';
import { countResolved } from './results.ts';

const STEPS = 4;

/** Records the progress of a set for subscribers that asked for it: after each of the first three quarters of its pictures. */
export async function recordProgressEvent(
  transaction: Queryable,
  { id, organization_id: organizationId, set_id: setId }: LockedJob & { readonly set_id: string },
  context: EventContext,
): Promise<void> {
  const subject = { organizationId, setId, topic: 'screenshot_set.progress' } as const;
  if (!(await isWanted(transaction, subject))) return;
  // The row is locked first, so that of two results at once the later one counts both.
  const recorded = await lockProgress(transaction, id);
  const { total, resolved } = await countResolved(transaction, setId);
  const step = Math.floor((resolved * STEPS) / Math.max(1, total));
  if (step <= recorded || step >= STEPS) return;
  await setProgress(transaction, id, step);
  await recordSetEvent(transaction, subject, context);
}
