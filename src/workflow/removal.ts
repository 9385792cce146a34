/**
 * Removes sets: those that a client deleted, and those that are older than their organization keeps them.
 *
 * 1. The set is marked and hidden. Its pages, links and API addresses say that it was removed.
 * 2. Each step takes some screenshots or frames. It marks their pictures as removed, deletes the files, and then the rows.
 * 3. The set is empty: only its own row and those of its job and its exports are left, without content.
 * 4. Eight days later the controller and the workers of exports have forgotten the set, and these rows are deleted too.
 *
 * Files are deleted before their rows, because the rows name the files. A process that is killed in between leaves rows
 * without files, and the next step deletes the same files again. In the other order it would leave files without rows.
 */
import type { ArtifactStore } from '../artifacts/store.ts';
import type { Actor } from '../domain/auditLog.ts';
import { exportKey } from '../domain/exports.ts';
import { conflict, gone, unknownId } from '../domain/failure.ts';
import { type RetentionLimits, retentionDays } from '../domain/retention.ts';
import { recordAction } from '../store/auditLog/auditLog.ts';
import type { Database, Queryable } from '../store/database/database.ts';
import { listOrganizations } from '../store/organizations/organizations.ts';
import { deleteIndexes, deleteSet, emptySet, readExportFiles } from '../store/removal/lastRows.ts';
import {
  claimRemovedSet,
  markExpiredSets,
  markSetRemoved,
  type RemovedSet,
  releaseRemovedSet,
  wasRemoved,
} from '../store/removal/removedSets.ts';
import {
  deleteCreatives,
  deleteDeliveries,
  deleteEventsOfSet,
  deleteFrames,
  deleteScreenshots,
  readFramesToRemove,
  readScreenshotsToRemove,
} from '../store/removal/setContent.ts';
import { lockSet } from '../store/sets/setStatus.ts';
import { removeSomeOfAd, removeSomeOfCampaign } from './adRemoval.ts';
import { removePictures } from './removedFiles.ts';

export interface RemovalContext {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
}

/** How much one step or one run removed. */
export type RemovalCounts = Readonly<Record<RemovalKind, number>>;
export const REMOVAL_KINDS = ['campaign', 'ad', 'set', 'screenshot', 'picture', 'delivery'] as const;
export type RemovalKind = (typeof REMOVAL_KINDS)[number];

/** Rows of one step. The files of a picture are up to seven. */
const PICTURES_TOGETHER = 50;
const ROWS_TOGETHER = 500;
const MARKED_TOGETHER = 100;

/** Does nothing if the set was removed before. @throws Failure: 404, and 409 while the set is captured. */
export async function removeSet(
  tx: Queryable,
  { organizationId, setId }: { readonly organizationId: string; readonly setId: string },
  actor: Actor,
): Promise<void> {
  const ref = { organizationId, setId };
  if ((await lockSet(tx, ref)) === undefined) {
    if (await wasRemoved(tx, { id: setId, organizationId })) return;
    throw unknownId();
  }
  if (await markSetRemoved(tx, ref)) {
    await recordAction(tx, actor, { organizationId, action: 'screenshot_set.deleted', objectId: setId });
    return;
  }
  throw conflict('status', 'does not allow this yet: cancel the set, or wait until it has ended, and delete it then.');
}

/** @throws Failure (410) if the organization had an object with this id that was removed. */
export async function rejectRemoved(db: Queryable, ref: { id: string; organizationId: string }): Promise<void> {
  if (await wasRemoved(db, ref))
    throw gone('id', 'This object was deleted, or it was older than the organization keeps sets.');
}

/** Hides sets that are older than their organizations keep them. @returns how many. */
export async function expireSets(db: Database, limits: RetentionLimits): Promise<number> {
  let expired = 0;
  for (const { id, set_retention_days } of await listOrganizations(db)) {
    const days = retentionDays(set_retention_days, limits);
    if (days === null) continue;
    for (let found = MARKED_TOGETHER; found === MARKED_TOGETHER; expired += found) {
      found = await markExpiredSets(db, { organizationId: id, days, most: MARKED_TOGETHER });
    }
  }
  return expired;
}

const NOTHING: RemovalCounts = { campaign: 0, ad: 0, set: 0, screenshot: 0, picture: 0, delivery: 0 };

/** Does one step of one removed set, ad or campaign, of one organization or of all. @returns undefined if there is nothing to do. */
export async function removeSome(context: RemovalContext, organizationId?: string): Promise<RemovalCounts | undefined> {
  for (const step of [removeSomeOfSet, removeSomeOfAd, removeSomeOfCampaign]) {
    const counts = await step(context, organizationId);
    if (counts !== undefined) return { ...NOTHING, ...counts };
  }
  return undefined;
}

async function removeSomeOfSet(
  context: RemovalContext,
  organizationId?: string,
): Promise<Partial<RemovalCounts> | undefined> {
  const { db } = context;
  const set = await claimRemovedSet(db, organizationId);
  if (set === undefined) return undefined;
  const counts = set.emptied ? await removeLastRows(context, set) : await removeContent(context, set);
  await releaseRemovedSet(db, set.id);
  return counts;
}

type Step = (context: RemovalContext, set: RemovedSet) => Promise<Partial<RemovalCounts> | undefined>;

/** The first of these that finds something is the step. */
const CONTENT: readonly Step[] = [removeScreenshots, removeFrames, removeCreatives, removeDeliveries, removeEvents];

async function removeContent(context: RemovalContext, set: RemovedSet): Promise<Partial<RemovalCounts>> {
  for (const step of CONTENT) {
    const counts = await step(context, set);
    if (counts !== undefined) return counts;
  }
  await deleteExportFiles(context, set.id);
  await context.db.transaction().execute((tx) => emptySet(tx, set.id));
  return { set: 1 };
}

async function removeScreenshots(context: RemovalContext, { id, organization_id }: RemovedSet) {
  const rows = await readScreenshotsToRemove(context.db, id, PICTURES_TOGETHER);
  if (rows.length === 0) return undefined;
  const files = rows.flatMap(({ picture, facts }) => (picture === null ? [] : [{ picture, facts }]));
  const ids = rows.map((row) => row.id);
  const screenshot = await removePictures(context, files, (tx) =>
    deleteScreenshots(tx, { organizationId: organization_id, ids }),
  );
  return { screenshot, picture: files.length };
}

async function removeFrames(context: RemovalContext, { id }: RemovedSet) {
  const frames = await readFramesToRemove(context.db, id, PICTURES_TOGETHER);
  if (frames.length === 0) return undefined;
  const files = frames.flatMap(({ picture }) => (picture === null ? [] : [{ picture, facts: null }]));
  await removePictures(context, files, (tx) => deleteFrames(tx, frames));
  return { picture: files.length };
}

async function removeCreatives({ db }: RemovalContext, { id }: RemovedSet) {
  return (await deleteCreatives(db, id, ROWS_TOGETHER)) === 0 ? undefined : {};
}

async function removeDeliveries({ db }: RemovalContext, { id }: RemovedSet) {
  const delivery = await db.transaction().execute((tx) => deleteDeliveries(tx, id, ROWS_TOGETHER));
  return delivery === 0 ? undefined : { delivery };
}

async function removeEvents({ db }: RemovalContext, { id }: RemovedSet) {
  return (await deleteEventsOfSet(db, id, ROWS_TOGETHER)) === 0 ? undefined : {};
}

/** An export that was being built may have left a file since the set became empty. */
async function removeLastRows(context: RemovalContext, { id }: RemovedSet): Promise<Partial<RemovalCounts>> {
  if ((await deleteIndexes(context.db, id, ROWS_TOGETHER)) > 0) return {};
  await deleteExportFiles(context, id);
  await context.db.transaction().execute((tx) => deleteSet(tx, id));
  return {};
}

async function deleteExportFiles({ db, artifacts }: RemovalContext, setId: string): Promise<void> {
  for (const { id, format, attempt } of await readExportFiles(db, setId)) {
    for (let n = 1; n <= attempt; n += 1) await artifacts.discardStream(exportKey(id, n, format));
  }
}
