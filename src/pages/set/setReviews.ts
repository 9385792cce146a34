/** Decisions about the pictures of a set: one, a group, or those that a person selected, and the way back. */
import type { Request } from 'express';
import { reviewScreenshots, undoReviews } from '../../core/reviews/reviews.ts';
import { invalid } from '../../domain/failure.ts';
import { DECISIONS, type Decision } from '../../domain/reviews.ts';
import { isUuid } from '../../domain/slugs.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { formField, formFields, hiddenFields, redirectPath } from '../parts/forms.ts';
import { type PagePaths, withParameter } from '../parts/paths.ts';
import { GROUPINGS, groupPictures } from '../pictures/grouping.ts';
import {
  PICTURE_FIELDS,
  type PictureView,
  pickedIds,
  readSetFacts,
  type SetFacts,
  withReviews,
} from '../pictures/pictures.ts';
import { goBack, idOf, type PageRoutes, REVIEW, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';
import { groupId } from './grid.ts';
import { isDecidedMeanwhile, questionPage, readSeen, unseenChanges } from './seenReviews.ts';

const WORDS: Readonly<Record<Decision, string>> = {
  approved: 'approved',
  rejected: 'rejected',
  none: 'without a decision',
};

export function addSetReviewRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const { db } = options.store;
  const path = '/o/:slug/screenshot_sets/:id';
  pages.post(
    `${path}/reviews`,
    async (given) => {
      const form = readForm(given.request);
      const found = await readTargets(options, given, form);
      if (found === undefined) return undefined;
      if (found.changed.length > 0) return question(given, form, found);
      const { decision, seen } = form;
      const reviews = found.views.map(({ id, shownId }) => ({
        ...{ screenshotId: shownId, decision, expected: { decision: seen.get(id)?.decision } },
      }));
      const { viewer, actor, request, paths } = given;
      const ref = { organizationId: viewer.organizationId, setId: idOf(request), reviews, actor };
      try {
        const { reviewId } = await db.transaction().execute((tx) => reviewScreenshots(tx, ref, options));
        const next = redirectPath(paths, formField(request, 'next'));
        return redirectTo(given, doneAddress(next, { decision, count: reviews.length, reviewId }));
      } catch (error) {
        const now = isDecidedMeanwhile(error) ? await readTargets(options, given, form) : undefined;
        if (now === undefined || now.changed.length === 0) throw error;
        return question(given, form, now);
      }
    },
    { ...REVIEW, fields: PICTURE_FIELDS, readsSet: true },
  );
  pages.post(
    '/o/:slug/undo',
    async (given) => {
      const { viewer, actor, request, paths } = given;
      const { organizationId } = viewer;
      const reviewId = formField(request, 'review');
      const isUndone =
        /^\d{1,18}$/.test(reviewId) &&
        (await db.transaction().execute((tx) => undoReviews(tx, { organizationId, actor, reviewId }, options)));
      if (isUndone) return goBack(given);
      return redirectTo(given, withParameter(redirectPath(paths, formField(request, 'next')), 'done', 'nothing'));
    },
    REVIEW,
  );
}

/** The form of the pictures of a set, or that of {@link questionPage}. */
function readForm(request: Request) {
  const [name, target = ''] = formField(request, 'decide').split(':', 2);
  const decision = DECISIONS.find((one) => one === name);
  if (decision === undefined) throw invalid({ decide: ['must be approved, rejected or none.'] });
  const shown = formFields(request, 'shown').map((text) => text.split(' ', 1)[0] ?? '');
  return { decision, target, picked: pickedIds(request) ?? [], shown, seen: readSeen(request) };
}

type DecisionForm = ReturnType<typeof readForm>;

/** @returns undefined if there is no such set. */
async function readTargets(options: PagesOptions, { request, viewer }: ViewerRequest, form: DecisionForm) {
  const { organizationId } = viewer;
  const facts = await readSetFacts(options, { id: idOf(request), organizationId });
  if (facts === undefined) return undefined;
  const views = await withReviews(options.store.db, targetViews(facts, form));
  // One picture is decided by a look at it.
  const asksForOthers = !isUuid(form.target) && formField(request, 'sure') === '';
  const changed = unseenChanges(views, { ...form, own: asksForOthers ? viewer : undefined });
  return { views, changed };
}

type Targets = NonNullable<Awaited<ReturnType<typeof readTargets>>>;

function question({ request, viewer, paths }: ViewerRequest, { decision, seen }: DecisionForm, targets: Targets) {
  const action = `${paths.set(idOf(request))}/reviews`;
  const decide = { name: 'decide', value: `${decision}:selected` };
  const back = redirectPath(paths, formField(request, 'next'));
  return questionPage({ viewer, paths, action, decide, decision, back, ...targets, seen });
}

/**
 * @returns the pictures that the form decides about. A group leaves out pictures of other list pages and filters.
 */
function targetViews({ views }: SetFacts, { target, picked, shown }: DecisionForm): PictureView[] {
  const pictures = views.filter(({ image_token }) => image_token !== null);
  const group = GROUPINGS.find((by) => target.startsWith(`${by}-`));
  if (group === undefined)
    return pictures.filter(({ id }) => (target === 'selected' ? picked.includes(id) : id === target));
  return groupPictures(pictures, group)
    .filter((one) => groupId(one) === target)
    .flatMap(({ strips }) => strips.flat())
    .filter(({ id }) => shown.includes(id));
}

interface Done {
  readonly decision: Decision;
  /** The number of pictures; 'set' for the set. */
  readonly count: number | 'set';
  /** Names the action for its Undo. */
  readonly reviewId: string | null;
}

/** @returns the address of a page that says what was decided and offers the way back. */
export function doneAddress(next: string, { decision, count, reviewId }: Done): string {
  return withParameter(next, 'done', [decision, count, ...(reviewId === null ? [] : [reviewId])].join('-'));
}

/** Says for ten seconds which decision the last form made, with a button that takes it back. */
export function undoToast(request: Request, viewer: Viewer, paths: PagePaths): HtmlContent {
  const done = String(request.query['done']);
  if (done === 'nothing') return html`<p class="toast" id="toast" role="status">${NOTHING_UNDONE}</p>`;
  const [, name, count = '0', reviewId] = /^(approved|rejected|none)-(\d{1,5}|set)(?:-(\d{1,18}))?$/.exec(done) ?? [];
  const decision = DECISIONS.find((one) => one === name);
  if (decision === undefined || !viewer.canReview) return null;
  const query = new URLSearchParams(request.url.split('?')[1]);
  query.delete('done');
  const next = `${paths.base}${request.path}${query.size > 0 ? `?${query}` : ''}`;
  const undo =
    reviewId !== undefined &&
    html`<input type="hidden" name="review" value="${reviewId}">${button({ label: 'Undo', icon: 'undo-2' })}`;
  return html`<form class="toast" id="toast" role="status" method="post" action="${paths.organization}/undo" data-inplace>
    ${hiddenFields(viewer, next)}<span>${subject(count)} ${WORDS[decision]}.</span>${undo}
  </form>`;
}

const NOTHING_UNDONE = 'Nothing to undo: Undo works for ten minutes, and only until a newer decision is made.';

function subject(count: string): string {
  if (count === 'set') return 'The set is';
  return count === '1' ? '1 picture is' : `${count === '0' ? 'No' : count} pictures are`;
}
