/** Decisions about the pictures of a set: one, a group, or those that a person selected, and the way back. */
import type { Request } from 'express';
import { reviewScreenshots, undoReviews } from '../../core/reviews/reviews.ts';
import { invalid } from '../../domain/failure.ts';
import { DECISIONS, type Decision } from '../../domain/reviews.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import { button } from '../components.ts';
import type { Viewer } from '../context.ts';
import { formField, formFields, hiddenFields, redirectPath } from '../forms.ts';
import { goBack, idOf, type PageRoutes, REVIEW, redirectTo } from '../pageRoutes.ts';
import { type PagePaths, withParameter } from '../paths.ts';
import { groupId } from './grid.ts';
import { GROUPINGS, groupPictures } from './grouping.ts';
import { PER_PAGE, readSetFacts, type SetFacts } from './pictures.ts';

/** Two for each picture of a list page, and the fields that all forms have. */
const FIELDS = 2 * PER_PAGE + 60;
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
      const { request, viewer, actor, paths } = given;
      const facts = await readSetFacts(options, { id: idOf(request), organizationId: viewer.organizationId });
      if (facts === undefined) return undefined;
      const [name, target = ''] = formField(request, 'decide').split(':', 2);
      const decision = DECISIONS.find((one) => one === name);
      if (decision === undefined) throw invalid({ decide: ['must be approved, rejected or none.'] });
      const chosen = { picked: formFields(request, 'pick'), shown: formFields(request, 'shown') };
      const screenshotIds = targetIds(facts, target, chosen);
      const reviews = screenshotIds.map((screenshotId) => ({ screenshotId, decision }));
      const { organizationId } = viewer;
      const setId = facts.set.id;
      const { reviewId } = await db
        .transaction()
        .execute((tx) => reviewScreenshots(tx, { organizationId, setId, reviews, actor }, options));
      const next = redirectPath(paths, formField(request, 'next'));
      return redirectTo(given, doneAddress(next, { decision, count: reviews.length, reviewId }));
    },
    { ...REVIEW, fields: FIELDS, readsSet: true },
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

interface Chosen {
  readonly picked: readonly string[];
  /** The pictures of the page, so that a group is decided without pictures of other list pages and filters. */
  readonly shown: readonly string[];
}

/** @returns the ids of the shown versions. */
function targetIds({ views }: SetFacts, target: string, { picked, shown }: Chosen): string[] {
  const pictures = views.filter(({ image_token }) => image_token !== null);
  const group = GROUPINGS.find((by) => target.startsWith(`${by}-`));
  const wanted =
    group === undefined
      ? pictures.filter(({ id }) => (target === 'selected' ? picked.includes(id) : id === target))
      : groupPictures(pictures, group)
          .filter((one) => groupId(one) === target)
          .flatMap(({ strips }) => strips.flat())
          .filter(({ id }) => shown.includes(id));
  return wanted.map(({ shownId }) => shownId);
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
  return html`<form class="toast" id="toast" role="status" method="post" action="${paths.organization}/undo" data-inplace>${hiddenFields(viewer, next)}<span>${subject(count)} ${WORDS[decision]}.</span>${undo}</form>`;
}

const NOTHING_UNDONE =
  'Nothing is left to take back: Undo works for ten minutes, and only while no newer decision stands.';

function subject(count: string): string {
  if (count === 'set') return 'The set is';
  return count === '1' ? '1 picture is' : `${count === '0' ? 'No' : count} pictures are`;
}
