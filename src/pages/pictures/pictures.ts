/** The screenshots of a set as people see them now: each one in its newest version. */
import type { Request } from 'express';
import { countOpenThreads } from '../../core/reviews/commentQueries.ts';
import { type History, withScreenshotHistory, withSetHistory } from '../../core/sets/history.ts';
import { readDecisions, readScreenshots } from '../../core/sets/readScreenshots.ts';
import { readSetHead, type SetHead } from '../../core/sets/readSet.ts';
import { type LaterRetake, readLaterRetakes, readVersions, type VersionRow } from '../../core/sets/readVersions.ts';
import { type AnswerRow, latestAnswers } from '../../core/sharing/answerQueries.ts';
import type { Queryable } from '../../db/database.ts';
import type { ScreenshotRow } from '../../db/rows.ts';
import { isUuid } from '../../domain/slugs.ts';
import { chooseVersion } from '../../domain/versions.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { formFields } from '../parts/forms.ts';
import type { PagePaths } from '../parts/paths.ts';
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

/** Pictures of a list page. */
export const PER_PAGE = 240;
/** Two for each picture of a list page, and the fields that all forms have. */
export const PICTURE_FIELDS = 2 * PER_PAGE + 60;

/** @returns the ids of the selected screenshots; undefined if the form has no selection. */
export function pickedIds(request: Pick<Request, 'body'>): readonly string[] | undefined {
  const picked = formFields(request, 'pick').flatMap((ids) => ids.split(','));
  return picked.length === 0 ? undefined : picked.filter(isUuid);
}

export const pickedFields = (ids: readonly string[] = []): HtmlContent =>
  ids.length > 0 && html`<input type="hidden" name="pick" value="${ids.join(',')}">`;

type Stage = Pick<SetHead, 'status'>;
export const isRunning = ({ status }: Stage): boolean => status === 'draft' || status === 'capturing';
export const isFinished = (set: Stage): boolean => !isRunning(set);

/** The pictures of a set that a person wants to see. */
export const SHOWN = ['all', 'open', 'approved', 'rejected'] as const;
export type Shown = (typeof SHOWN)[number];

export interface PictureView extends ScreenshotRow {
  /** The version that is shown. `id` is always that of the set's own version. */
  readonly shownId: string;
  /** The shown version and those before it, newest first. */
  readonly versionIds: readonly string[];
  /** If a retake is shown: its set, and the version before it. */
  readonly retake?: { readonly setId: string; readonly before: VersionRow } | undefined;
  /** The set that takes it again at the moment. */
  readonly runningIn?: string | undefined;
}

/** A screenshot with what reviewers said about the shown version. */
export interface ReviewedPicture extends PictureView {
  readonly review: History['review'];
  /** The newest answer of a client about the shown version, or else about the one before it. */
  readonly answer: AnswerRow | undefined;
  /** About the shown version and those before it. */
  readonly openThreads: number;
}

/** @returns undefined if this organization has no such set. */
export async function readSetFacts(
  { store: { db } }: PagesOptions,
  ref: { id: string; organizationId: string },
): Promise<SetFacts | undefined> {
  const head = await readSetHead(db, ref);
  const [set] = head === undefined ? [] : await withSetHistory(db, [head]);
  if (set === undefined) return undefined;
  const retakes = await readLaterRetakes(db, ref.id);
  const views = await readPictures(db, ref.id, { hasRetakes: retakes.length > 0 });
  const decisions = await readDecisions(
    db,
    views.map(({ shownId }) => shownId),
  );
  return { set, retakes, views, decisions };
}

/** @param hasRetakes false skips the search for other versions. */
async function readPictures(
  db: Queryable,
  setId: string,
  { hasRetakes }: { hasRetakes: boolean },
): Promise<PictureView[]> {
  const screenshots = await readScreenshots(db, setId);
  const versions = hasRetakes ? await readVersions(db, setId) : new Map<string, VersionRow[]>();
  return screenshots.map((own) => currentVersion(own, versions.get(own.id)));
}

/** @param versions newest first. @returns the screenshot as people see it now: its newest version, under its own id. */
export function currentVersion(own: ScreenshotRow, versions: readonly VersionRow[] = []): PictureView {
  const newer = versions.slice(
    0,
    Math.max(
      0,
      versions.findIndex(({ id }) => id === own.id),
    ),
  );
  const runningIn = newer.find(({ status }) => status === 'pending')?.set_id;
  const { shown, earlier } = chooseVersion(versions, { own: own.id }) ?? {};
  const [before] = earlier ?? [];
  const versionIds = [shown?.id ?? own.id, ...(earlier ?? []).map(({ id }) => id)];
  if (shown === undefined || before === undefined || shown.id === own.id)
    return { ...own, shownId: own.id, versionIds, runningIn };
  return {
    ...own,
    ...shown,
    id: own.id,
    shownId: shown.id,
    versionIds,
    runningIn,
    retake: { setId: shown.set_id, before },
  };
}

/** Adds what reviewers said about the shown versions, and clients about these or the ones before. */
export async function withReviews(db: Queryable, views: readonly PictureView[]): Promise<ReviewedPicture[]> {
  const ids = views.map(({ shownId }) => ({ id: shownId }));
  const all = views.flatMap(({ versionIds }) => versionIds);
  const [history, answers, threads] = await Promise.all([
    withScreenshotHistory(db, ids),
    latestAnswers(db, all),
    countOpenThreads(db, all),
  ]);
  const reviews = new Map(history.map(({ id, review }) => [id, review]));
  return views.map((view) => ({
    ...view,
    review: reviews.get(view.shownId) ?? null,
    answer: view.versionIds.map((id) => answers.get(id)).find((answer) => answer !== undefined),
    openThreads: view.versionIds.reduce((sum, id) => sum + (threads.get(id) ?? 0), 0),
  }));
}

export function shownOf(text: unknown): Shown {
  return SHOWN.find((shown) => shown === text) ?? 'all';
}
