/** The screenshots of a set as people see them now: each one in its newest version. */
import { type History, withScreenshotHistory } from '../../core/reviews/reviewQueries.ts';
import { readScreenshots } from '../../core/sets/readScreenshots.ts';
import type { SetHead } from '../../core/sets/readSet.ts';
import { type LaterRetake, readVersions, type VersionRow } from '../../core/sets/readVersions.ts';
import type { Queryable } from '../../db/database.ts';
import type { ScreenshotRow } from '../../db/rows.ts';
import { chooseVersion } from '../../domain/versions.ts';
import type { Viewer } from '../context.ts';
import type { PagePaths } from '../paths.ts';
import type { Grouping } from './grouping.ts';

/** The content of the page of a set. */
export interface SetFacts {
  readonly set: SetHead & History;
  readonly views: readonly PictureView[];
  /** Decisions about the shown versions, by their ids. */
  readonly decisions: ReadonlyMap<string, 'approved' | 'rejected'>;
  /** Newest first. */
  readonly retakes: readonly LaterRetake[];
}

export interface SetPageOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** Number of the list page, from 1. */
  readonly page: number;
  readonly by: Grouping;
  readonly show: Shown;
}

type Stage = Pick<SetHead, 'status'>;
export const isRunning = ({ status }: Stage): boolean => status === 'draft' || status === 'capturing';
export const isFinished = (set: Stage): boolean => !isRunning(set);

/** The pictures of a set that a person wants to see. */
export const SHOWN = ['all', 'open', 'approved', 'rejected'] as const;
export type Shown = (typeof SHOWN)[number];

export interface PictureView extends ScreenshotRow {
  /** The version that is shown. `id` is always that of the set's own version. */
  readonly shownId: string;
  /** If a retake is shown: its set, and the version before it. */
  readonly retake?: { readonly setId: string; readonly before: VersionRow } | undefined;
  /** The set that takes it again at the moment. */
  readonly runningIn?: string | undefined;
}

/** A screenshot with what reviewers said about the shown version. */
export interface ReviewedPicture extends PictureView {
  readonly review: History['review'];
}

/** @param hasRetakes false saves the look at other versions. */
export async function readPictures(
  db: Queryable,
  setId: string,
  { hasRetakes }: { hasRetakes: boolean },
): Promise<PictureView[]> {
  const screenshots = await readScreenshots(db, setId);
  const versions = hasRetakes ? await readVersions(db, setId) : new Map<string, VersionRow[]>();
  return screenshots.map((own) => currentVersion(own, versions.get(own.id)));
}

/** @param versions newest first. @returns the screenshot as people see it now: its newest version, under its own id. */
export function currentVersion(
  own: ScreenshotRow,
  versions: readonly VersionRow[] = [],
  given: { approvedOnly?: boolean } = {},
): PictureView {
  const newer = versions.slice(
    0,
    Math.max(
      0,
      versions.findIndex(({ id }) => id === own.id),
    ),
  );
  const runningIn = newer.find(({ status }) => status === 'pending')?.set_id;
  const { shown, earlier } = chooseVersion(versions, { own: own.id, ...given }) ?? {};
  const [before] = earlier ?? [];
  if (shown === undefined || before === undefined || shown.id === own.id) return { ...own, shownId: own.id, runningIn };
  return { ...own, ...shown, id: own.id, shownId: shown.id, runningIn, retake: { setId: shown.set_id, before } };
}

/** Adds the reviews of the shown versions. */
export async function withReviews(db: Queryable, views: readonly PictureView[]): Promise<ReviewedPicture[]> {
  const ids = views.map(({ shownId }) => ({ id: shownId }));
  const reviews = new Map((await withScreenshotHistory(db, ids)).map(({ id, review }) => [id, review]));
  return views.map((view) => ({ ...view, review: reviews.get(view.shownId) ?? null }));
}

export function shownOf(text: unknown): Shown {
  return SHOWN.find((shown) => shown === text) ?? 'all';
}
