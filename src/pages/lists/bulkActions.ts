/** Actions on several sets: which sets each takes, and what it does, each set in a transaction of its own. */
import { retakeParser } from '../../contract/retakes.ts';
import { repeatSet } from '../../core/requests/repeatScreenshots.ts';
import type { ListedSet } from '../../core/sets/listSets.ts';
import { Failure, failureMessage } from '../../domain/failure.ts';
import { totalsOf } from '../../domain/reviewNotes.ts';
import { actOnSet } from '../actions.ts';
import type { PagesOptions, Viewer } from '../context.ts';

export type BulkActionName = 'approve' | 'reject' | 'cancel' | 'retake';

interface BulkAction {
  readonly label: string;
  /** For example "were approved". */
  readonly done: string;
  readonly effect: string;
  /** Whether the person may write notes. */
  readonly hasNotes: boolean;
  /** @returns why the set stays as it is; undefined if the action is possible. */
  obstacle(row: ListedSet): string | undefined;
}

const inReview = ({ status }: ListedSet) =>
  status === 'in_review' ? undefined : 'Only a set in review can be approved or rejected.';
const isOpen = ({ status }: ListedSet) => status === 'draft' || status === 'capturing';

export const BULK_ACTIONS: Readonly<Record<BulkActionName, BulkAction>> = {
  approve: {
    label: 'Approve',
    done: 'approved',
    effect: 'Subscribers get the event screenshot_set.approved, and buckets get the pictures. This cannot be undone.',
    hasNotes: true,
    obstacle: inReview,
  },
  reject: {
    label: 'Reject',
    done: 'rejected',
    effect: 'Subscribers get the event screenshot_set.rejected. The pictures stay here. This cannot be undone.',
    hasNotes: true,
    obstacle: inReview,
  },
  cancel: {
    label: 'Cancel',
    done: 'canceled, or will be in a moment',
    effect: 'Pictures that were captured stay. The others are not captured. This cannot be undone.',
    hasNotes: false,
    obstacle: (row) => {
      if (row.cancel_requested_at !== null) return 'This set is canceled already.';
      return isOpen(row) || row.status === 'in_review' ? undefined : 'This set is finished.';
    },
  },
  retake: {
    label: 'Retake failures',
    done: 'requested again',
    effect: 'A new set for each of them takes the failed pictures again. The original sets stay as they are.',
    hasNotes: false,
    obstacle: (row) => {
      if (isOpen(row)) return 'This set is not finished.';
      return totalsOf(row.counts).failed > 0 ? undefined : 'No picture of this set failed.';
    },
  },
};

export function isBulkAction(name: unknown): name is BulkActionName {
  return typeof name === 'string' && Object.hasOwn(BULK_ACTIONS, name);
}

export interface BulkResult {
  readonly row: ListedSet;
  /** Absent if the action succeeded. */
  readonly fault?: string;
  /** The new set of a retake. */
  readonly newSetId?: string;
}

/** One after the other, so that a fault of one set does not undo the others. */
export async function actOnSets(
  options: PagesOptions,
  viewer: Viewer,
  { action, rows, notes }: { action: BulkActionName; rows: readonly ListedSet[]; notes: string },
): Promise<BulkResult[]> {
  const results: BulkResult[] = [];
  for (const row of rows) {
    try {
      if (action === 'retake') results.push({ row, newSetId: await retakeFailures(options, viewer, row.id) });
      else {
        await actOnSet(options, viewer, { id: row.id, action, notes });
        results.push({ row });
      }
    } catch (error) {
      results.push({ row, fault: faultOf(options, row.id, error) });
    }
  }
  return results;
}

function faultOf({ log }: PagesOptions, setId: string, error: unknown): string {
  if (error instanceof Failure && error.status < 500) return failureMessage(error);
  log.error({ err: error, set_id: setId }, 'an action on several sets failed for one of them');
  return 'The service could not do this. Try again in a moment.';
}

async function retakeFailures(options: PagesOptions, { organizationId }: Viewer, setId: string): Promise<string> {
  const wish = retakeParser(options.limits)({ which: 'failures' });
  return options.store.db
    .transaction()
    .execute((tx) => repeatSet(tx, { organizationId, setId, kind: 'retake', wish }, options));
}
