/**
 * Deletes an organization.
 *
 * 1. Its keys are revoked, and the audit log gets an entry with what it has.
 * 2. Sets that wait or are captured are canceled. The controller ends their captures.
 * 3. Its campaigns are marked. The steps of the removal take their sets and ads with all files.
 * 4. Rows and files that belong to no set or ad go, and its keys last. Its slug is then free.
 *
 * Each step is short and can be repeated, so a command that was killed continues when it is run again. The ids of removed
 * objects stay, so that their addresses answer 410. Empty rows that the controller looks up stay for eight days, and
 * entries of the audit log for 30 days.
 */
import type { ArtifactStore } from '../artifacts/store.ts';
import { OPERATOR } from '../domain/auditLog.ts';
import { uploadKey } from '../domain/uploads.ts';
import { sleep } from '../lib/sleep.ts';
import { recordAction } from '../store/auditLog/auditLog.ts';
import type { Database } from '../store/database/database.ts';
import { lockOrganization, requireOrganization } from '../store/organizations/organizations.ts';
import {
  closeOrganization,
  countOwned,
  deleteSomeRows,
  failWaitingAds,
  findOpenSets,
  hasOpenJob,
  hasSetsOrAds,
  markCampaigns,
  type OwnedCounts,
  readPicturesLeft,
  readUploadsLeft,
  revokeAll,
} from '../store/removal/organizationContent.ts';
import { deleteUploads } from '../store/uploads/uploads.ts';
import type { EventContext } from './eventContext.ts';
import { removeSome } from './removal.ts';
import { removePictures } from './removedFiles.ts';
import { reviewSet } from './reviews.ts';

export interface DeletionContext extends EventContext {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
}

export interface Deletion {
  /** The objects that the organization had when this command began. */
  readonly removed: OwnedCounts;
  /** False if captures still run, or another process removes the rest: run the command again. */
  readonly isComplete: boolean;
}

const ROWS_TOGETHER = 500;
const FILES_TOGETHER = 50;
const LOOK_AGAIN_MS = 500;

/** @returns how many objects would go. @throws Failure (404) if there is no such organization. */
export async function previewDeletion(db: Database, slug: string): Promise<OwnedCounts> {
  return countOwned(db, (await requireOrganization(db, slug)).id);
}

/** @param waitMs the longest time to wait for captures and for other processes. @throws Failure as {@link previewDeletion}. */
export async function deleteOrganization(
  context: DeletionContext,
  slug: string,
  { waitMs }: { readonly waitMs: number },
): Promise<Deletion> {
  const { id } = await requireOrganization(context.db, slug);
  const removed = await countOwned(context.db, id);
  await begin(context.db, slug, removed);
  const end = performance.now() + waitMs;
  for (;;) {
    const outcome = await removeSomeOf(context, id);
    if (outcome === 'done') break;
    if (outcome === 'removed') continue;
    if (performance.now() >= end) return { removed, isComplete: false };
    await sleep(LOOK_AGAIN_MS);
  }
  await context.db.transaction().execute((tx) => closeOrganization(tx, id));
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

type Outcome = 'removed' | 'waiting' | 'done';
type Step = (context: DeletionContext, organizationId: string) => Promise<boolean>;

/** Does one step. */
async function removeSomeOf(context: DeletionContext, organizationId: string): Promise<Outcome> {
  const { db } = context;
  for (const step of [cancelSets, failAds]) if (await step(context, organizationId)) return 'removed';
  if (await hasOpenJob(db, organizationId)) return 'waiting';
  for (const step of MARKED) if (await step(context, organizationId)) return 'removed';
  if (await hasSetsOrAds(db, organizationId)) return 'waiting';
  for (const step of REST) if (await step(context, organizationId)) return 'removed';
  return 'done';
}

const MARKED: readonly Step[] = [
  async ({ db }, id) => (await markCampaigns(db, id, ROWS_TOGETHER)) > 0,
  async (context, id) => (await removeSome(context, id)) !== undefined,
];

const REST: readonly Step[] = [removeRows, removeUploads, removePicturesLeft];

/** Each set in a transaction of its own, because the controller may be settling one of them. */
async function cancelSets({ db, queue, publicUrl }: DeletionContext, organizationId: string): Promise<boolean> {
  const sets = await findOpenSets(db, organizationId, FILES_TOGETHER);
  for (const setId of sets) {
    const review = { action: 'cancel', organizationId, setId, notes: null } as const;
    await db.transaction().execute((tx) => reviewSet(tx, review, { queue, publicUrl }));
  }
  return sets.length > 0;
}

async function failAds({ db }: DeletionContext, organizationId: string): Promise<boolean> {
  return (await failWaitingAds(db, organizationId, ROWS_TOGETHER)) > 0;
}

async function removeRows({ db }: DeletionContext, organizationId: string): Promise<boolean> {
  return (await db.transaction().execute((tx) => deleteSomeRows(tx, organizationId, ROWS_TOGETHER))) > 0;
}

async function removeUploads({ db, artifacts }: DeletionContext, organizationId: string): Promise<boolean> {
  const uploads = await readUploadsLeft(db, organizationId, FILES_TOGETHER);
  for (const { id, complete } of uploads)
    await (complete ? artifacts.delete(uploadKey(id)) : artifacts.discardStream(uploadKey(id)));
  await deleteUploads(
    db,
    uploads.map(({ id }) => id),
  );
  return uploads.length > 0;
}

async function removePicturesLeft(context: DeletionContext, organizationId: string): Promise<boolean> {
  const pictures = await readPicturesLeft(context.db, organizationId, FILES_TOGETHER);
  const files = pictures.map((picture) => ({ picture, facts: null }));
  // No other row names these pictures any more.
  await removePictures(context, files, () => Promise.resolve());
  return files.length > 0;
}
