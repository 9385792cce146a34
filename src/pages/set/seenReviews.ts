/** Asks a reviewer before a decision replaces what others decided, or is about a picture that the reviewer has not seen. */
import type { Request } from 'express';
import { replacesUnseen } from '../../core/reviews/reviews.ts';
import { Failure } from '../../domain/failure.ts';
import { DECISIONS, type Decision } from '../../domain/reviews.ts';
import { counted } from '../../domain/text.ts';
import { type Html, html } from '../../lib/html.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { button, linkButton, pageHead } from '../parts/components.ts';
import type { ResultsPage, Viewer } from '../parts/context.ts';
import { type ActionForm, formFields, hiddenFields } from '../parts/forms.ts';
import { DECISION_LABELS, reviewedBy } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { shotFigure } from '../parts/pictureParts.ts';
import type { ReviewedPicture } from '../pictures/pictures.ts';
import { nameOf } from '../pictures/stage.ts';

/** The state of a picture on the page of the form. */
interface Seen {
  /** The id of the version. */
  readonly version: string;
  readonly decision: Decision;
}

const decisionOf = ({ review }: Pick<ReviewedPicture, 'review'>): Decision => review?.decision ?? 'none';

/** A hidden field with what the page shows of a picture. */
export function seenField(view: ReviewedPicture): Html {
  return html`<input type="hidden" name="shown" value="${[view.id, view.shownId, decisionOf(view)].join(' ')}">`;
}

/** @returns the states on the page of the form, by the ids of the set's own versions. */
export function readSeen(request: Request): Map<string, Seen> {
  return new Map(
    formFields(request, 'shown').flatMap((text) => {
      const [id = '', version = '', name] = text.split(' ', 3);
      const decision = DECISIONS.find((one) => one === name);
      return decision === undefined ? [] : [[id, { version, decision }]];
    }),
  );
}

/** A hidden field with the note that the page shows. Browsers change line breaks when they send it. */
export const noteMark = (note: string): string =>
  sha256Of(Buffer.from(note.replaceAll('\r\n', '\n').trim())).slice(0, 16);

interface Wanted {
  readonly seen: ReadonlyMap<string, Seen>;
  readonly decision: Decision | undefined;
  /** The key or person whose decisions several pictures may replace without a question; undefined: those of anybody. */
  readonly own: Pick<Viewer, 'keyId' | 'userId'> | undefined;
}

/** @returns the pictures about which the reviewer is asked first. */
export function unseenChanges(views: readonly ReviewedPicture[], { seen, decision, own }: Wanted): ReviewedPicture[] {
  return views.filter((view) => {
    const [{ review }, now] = [view, decisionOf(view)];
    const known = seen.get(view.id);
    const isOthers =
      own !== undefined && review !== null && (review.user_id !== own.userId || review.key_id !== own.keyId);
    const expected = { decision: isOthers ? 'none' : known?.decision } as const;
    return isRetaken(view, seen) || replacesUnseen({ decision, expected }, { decision: now, comment: '' });
  });
}

const VERBS: Readonly<Record<Decision, string>> = {
  approved: 'Approve',
  rejected: 'Reject',
  none: 'Clear the decision of',
};
/** Whether another reviewer decided while the form was on its way. */
export const isDecidedMeanwhile = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'decision_changed';

interface Question {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** The path that takes the decision. */
  readonly action: string;
  /** The field of the button, for the pictures that the form picks. */
  readonly decide: { readonly name: string; readonly value: string };
  /** Undefined if only the note changes. */
  readonly decision: Decision | undefined;
  /** The page of the form. */
  readonly back: string;
  readonly views: readonly ReviewedPicture[];
  /** Those of them that others decided about, or that were taken again. */
  readonly changed: readonly ReviewedPicture[];
  readonly seen: ReadonlyMap<string, Seen>;
  /** More fields of the form. */
  readonly fields?: ActionForm['fields'];
}

function titleOf({ changed, seen }: Question): string {
  const pictures = counted(changed.length, 'picture');
  if (!changed.every((view) => isRetaken(view, seen))) return `Others have decided about ${pictures}`;
  return `${pictures} ${changed.length === 1 ? 'was' : 'were'} retaken`;
}

const isRetaken = ({ id, shownId }: ReviewedPicture, seen: Question['seen']): boolean => {
  const known = seen.get(id);
  return known !== undefined && known.version !== shownId;
};

/** Pictures that the question shows. It counts the others. */
const SHOWN_MAX = 24;

/** Says who decided what, and lets the reviewer leave these pictures out. */
export function questionPage(given: Question): ResultsPage {
  const { changed, views, decision, back, seen, paths } = given;
  const others = views.filter((view) => !changed.includes(view));
  const more = changed.length - SHOWN_MAX;
  const verb = decision === undefined ? 'Save the note' : VERBS[decision];
  const it = decision === undefined ? '' : views.length === 1 ? ' it' : ` all ${views.length}`;
  const buttons = [
    others.length > 0 &&
      decisionForm(given, others, `${verb} the other ${others.length === 1 ? 'one' : others.length}`),
    decisionForm(given, views, `${verb}${it} anyway`),
    linkButton({ href: back, label: 'Change nothing', kind: 'quiet' }),
  ];
  const body = html`${pageHead({ up: { href: back, label: 'Back' }, title: titleOf(given) })}
<p>Nothing is stored yet. Look at ${changed.length === 1 ? 'the picture' : 'these pictures'} before you decide.</p>
<div class="cells">${changed.slice(0, SHOWN_MAX).map((view) => figure(view, isRetaken(view, seen), paths))}</div>
${more > 0 && html`<p class="meta">And ${counted(more, 'more picture')}.</p>`}
<div class="bar">${buttons}</div>`;
  return { title: 'Others have decided', body, status: 409, section: 'campaigns', assets: ['set.css'] };
}

function figure(view: ReviewedPicture, isRetake: boolean, paths: PagePaths): Html {
  const { review } = view;
  const said =
    review &&
    html`<p>${DECISION_LABELS[review.decision]} ${reviewedBy(review)}</p>
      ${review.comment !== null && html`<p class="meta"><bdi>${review.comment}</bdi></p>`}`;
  return shotFigure(view, {
    ...{ paths, href: paths.screenshot(view.id), alt: nameOf(view), decision: decisionOf(view) },
    caption: html`<p class="what">${nameOf(view)}</p>
      ${isRetake && html`<p>Retaken since you opened the page</p>`}
      ${said}`,
  });
}

/** Sends the same decision again, with what this page shows. */
function decisionForm(
  { viewer, action, decide, back, fields }: Question,
  views: readonly ReviewedPicture[],
  label: string,
): Html {
  const picks = views.map((view) => html`${seenField(view)}<input type="hidden" name="pick" value="${view.id}">`);
  return html`<form method="post" action="${action}">
    ${hiddenFields(viewer, back, { sure: 'yes', ...fields })}${picks}
    ${button({ ...decide, label })}
  </form>`;
}
