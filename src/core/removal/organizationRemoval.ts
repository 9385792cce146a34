/**
 * Deletes an organization.
 *
 * 1. Its keys are revoked, and the audit log gets an entry with what it has.
 * 2. Sets that wait or are captured are canceled. The controller ends their captures.
 * 3. All its rows are deleted, in short transactions, and then their files.
 *
 * A command that was killed continues when it is run again. The row of the organization stays without content, because the
 * ids of removed objects and the audit log refer to it. Its slug is free.
 */
import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Database } from '../../db/database.ts';
import { OPERATOR } from '../../domain/auditLog.ts';
import { sleep } from '../../lib/sleep.ts';
import { recordAction } from '../organizations/auditLogQueries.ts';
import { lockOrganization, requireOrganization } from '../organizations/organizations.ts';
import { reviewSet } from '../reviews/reviews.ts';
import type { EventContext } from '../webhooks/eventContext.ts';
import {
  closeOrganization,
  countOwned,
  deleteContent,
  deleteWaitingAds,
  findOpenSets,
  hasOpenWork,
  type OwnedCounts,
  revokeAll,
} from './organizationContent.ts';
import { sweepFiles } from './removedFiles.ts';

export interface DeletionContext extends EventContext {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
}

export interface Deletion {
  /** The objects that the organization had when this command began. */
  readonly removed: OwnedCounts;
  /** False if captures still run: run the command again. */
  readonly isComplete: boolean;
}

const LOOK_AGAIN_MS = 500;

/** @returns how many objects would go. @throws Failure (404) if there is no such organization. */
export async function previewDeletion(db: Database, slug: string): Promise<OwnedCounts> {
  return countOwned(db, (await requireOrganization(db, slug)).id);
}

/** @param waitMs the longest time to wait for captures. @throws Failure as {@link previewDeletion}. */
export async function deleteOrganization(
  context: DeletionContext,
  slug: string,
  { waitMs }: { readonly waitMs: number },
): Promise<Deletion> {
  const { db } = context;
  const { id } = await requireOrganization(db, slug);
  const removed = await countOwned(db, id);
  await begin(db, slug, removed);
  if (!(await endCaptures(context, id, waitMs))) return { removed, isComplete: false };
  await deleteContent(db, id);
  // The API sweeps what is left, and files that may still arrive.
  await sweepFiles(context);
  await db.transaction().execute((tx) => closeOrganization(tx, id));
  return { removed, isComplete: true };
}

/** Does nothing if an earlier command began. */
async function begin(db: Database, slug: string, counts: OwnedCounts): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { id, deletion_started_at: startedAt } = await lockOrganization(tx, slug);
    if (startedAt !== null) return;
    await revokeAll(tx, id);
    const changes = Object.entries({ slug, ...counts }).map(([field, value]) => ({
      field,
      from: String(value),
      to: null,
    }));
    await recordAction(tx, OPERATOR, { organizationId: id, action: 'organization.deleted', objectId: id, changes });
  });
}

/** @returns false if captures still run after this time. */
async function endCaptures(context: DeletionContext, organizationId: string, waitMs: number): Promise<boolean> {
  const { db } = context;
  const end = performance.now() + waitMs;
  for (;;) {
    await cancelSets(context, organizationId);
    await deleteWaitingAds(db, organizationId);
    if (!(await hasOpenWork(db, organizationId))) return true;
    if (performance.now() >= end) return false;
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Each set in a transaction of its own, because the controller may be settling one of them. */
async function cancelSets({ db, queue, publicUrl }: DeletionContext, organizationId: string): Promise<void> {
  for (const setId of await findOpenSets(db, organizationId)) {
    const review = { action: 'cancel', organizationId, setId, notes: null } as const;
    await db.transaction().execute((tx) => reviewSet(tx, review, { queue, publicUrl }));
  }
}
