/** The head of a set's page: which set it is, how far its review is, and what a person can do with it. */
import { countStatuses, type ScreenshotTotals, totalsOf } from '../../domain/reviewNotes.ts';
import { setName } from '../../domain/setNames.ts';
import { statusOfRounds } from '../../domain/states.ts';
import { counted } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { objectLinks } from '../objects/objectPages.ts';
import { badge, button, dialog, linkButton, menu, pageHead } from '../parts/components.ts';
import { EMPTY_FORM, textField } from '../parts/formFields.ts';
import { actionForm, hiddenFields } from '../parts/forms.ts';
import { progressLabel, reviewedBy, SET_LABELS, setBadge, timeElement } from '../parts/labels.ts';
import { addressOf } from '../parts/paths.ts';
import { downloadForm } from '../pictures/downloads.ts';
import { oncePerPicture } from '../pictures/grouping.ts';
import { pictureChooser } from '../pictures/pictureChooser.ts';
import { isFinished, isRunning, type PictureView, type SetFacts, type SetPageOptions } from '../pictures/pictures.ts';

/** The counts of what people see now: after retakes, with the picture of a group once. */
export const totalsOfViews = (views: readonly PictureView[]) =>
  totalsOf(countStatuses(oncePerPicture(views).map(({ status }) => status)));

/** The state of all rounds together. */
export function stateOf({ set, retakes }: Pick<SetFacts, 'set' | 'retakes'>) {
  const status = statusOfRounds(
    set.status,
    retakes.map((retake) => retake.status),
  );
  const cancel_requested_at = isRunning(set) ? set.cancel_requested_at : null;
  return { status, cancel_requested_at, isReviewed: set.review?.decision === set.status };
}

export function setHead(facts: SetFacts, { paths, viewer }: SetPageOptions): Html {
  const { set } = facts;
  const totals = totalsOfViews(facts.views);
  const head = pageHead({
    up: { href: paths.campaign(set.campaign_id), label: html`<bdi>${set.campaign}</bdi>` },
    title: html`<bdi>${setName(set)}</bdi>`,
    badge: setBadge(stateOf(facts), totals),
    meta: progress(facts, totals),
    actions: actions(facts, totals, { paths, viewer }),
  });
  return html`<div id="head" data-live>${head}${relations(facts, { paths, viewer })}</div>`;
}

/** How many pictures have a decision, and how many there are to decide about. */
function reviewedOf({ views, decisions }: SetFacts): { readonly reviewed: number; readonly pictures: number } {
  const shown = oncePerPicture(views).filter(({ image_token }) => image_token !== null);
  return { reviewed: shown.filter(({ shownId }) => decisions.has(shownId)).length, pictures: shown.length };
}

function progress(facts: SetFacts, totals: ScreenshotTotals): Html {
  const { set } = facts;
  const { reviewed, pictures } = reviewedOf(facts);
  const isReviewed = stateOf(facts).status === 'in_review' && pictures > 0;
  const [done, all] = isReviewed ? [reviewed, pictures] : [totals.total - totals.pending, totals.total];
  const text = isReviewed ? `${reviewed} of ${pictures} reviewed` : progressLabel(totals);
  const label = isReviewed ? 'Pictures reviewed' : 'Pictures taken';
  const bar =
    (isReviewed || isRunning(set)) &&
    html` <progress value="${done}" max="${Math.max(1, all)}" aria-label="${label}"></progress>`;
  const review = set.review !== null && html` · ${SET_LABELS[set.status].toLowerCase()} ${reviewedBy(set.review)}`;
  return html`<span class="so-far">${text}${bar}</span> · requested ${timeElement(set.created_at)}${review}`;
}

function actions(facts: SetFacts, { uploaded, pending }: ScreenshotTotals, { paths, viewer }: HeadOptions): Html {
  const { set } = facts;
  const path = paths.set(set.id);
  const finished = isFinished(set);
  const canCancel = viewer.canWrite && !finished && set.cancel_requested_at === null;
  return html`${viewer.canWrite && (!finished || uploaded > 0) && button({ label: 'Share', icon: 'share-2', opens: 'share' })}
${finished && uploaded > 0 && button({ label: 'Download', icon: 'download', opens: 'download' })}
${viewer.canWrite && finished && linkButton({ href: `${path}/retake`, label: 'Retake', icon: 'rotate-ccw' })}
${viewer.canReview && stateOf(facts).status === 'in_review' && button({ label: 'Finish review', icon: 'check', kind: 'primary', opens: 'finish' })}
${canCancel && button({ label: `Cancel ${counted(pending, 'picture')}`, opens: 'cancel' })}
${menu({ label: 'More', icon: 'ellipsis', iconOnly: true }, [
  viewer.canWrite &&
    linkButton({ href: `${paths.schedules}/new?set=${set.id}`, label: 'Repeat this request', icon: 'repeat' }),
  ...objectLinks(path, viewer, 'Name and instructions'),
  viewer.canReview &&
    isDecided(set) &&
    actionForm({ viewer, action: `${path}/reopen`, next: path, label: 'Reopen the review', icon: 'undo-2' }),
  linkButton({ href: `${path}.json`, label: 'JSON', icon: 'plug' }),
])}`;
}

type HeadOptions = Pick<SetPageOptions, 'paths' | 'viewer'>;

const isDecided = ({ status }: SetFacts['set']) => status === 'approved' || status === 'rejected';

/** The boxes that the buttons of the head open. They are not live, so that what is typed into them stays. */
export function setDialogs(facts: SetFacts, { paths, viewer }: SetPageOptions): HtmlContent {
  const { set } = facts;
  const path = paths.set(set.id);
  const { pending, uploaded } = totalsOfViews(facts.views);
  const action = { viewer, action: `${path}/cancel`, next: path, kind: 'danger' } as const;
  const cancel = html`<p>Pictures that were taken stay. The others will not be taken.</p>
${actionForm({ ...action, label: `Cancel ${counted(pending, 'picture')}` })}`;
  const chooser = pictureChooser(facts, paths);
  return html`${uploaded > 0 && dialog('download', 'Download', downloadForm({ path, pictures: uploaded, isShared: false, chooser }))}
${viewer.canReview && stateOf(facts).status === 'in_review' && dialog('finish', 'Finish the review', finishForm(facts, path, { paths, viewer }))}
${viewer.canWrite && isRunning(set) && dialog('cancel', 'Cancel this set?', cancel)}`;
}

function finishForm(facts: SetFacts, path: string, { viewer }: HeadOptions): Html {
  const { reviewed, pictures } = reviewedOf(facts);
  const rejected = [...facts.decisions.values()].filter((decision) => decision === 'rejected').length;
  const open = pictures - reviewed;
  const others = rejected > 0 && `, ${rejected} as rejected`;
  const undecided = open > 0 && ` ${open} of them ${open === 1 ? 'has' : 'have'} no decision yet.`;
  return html`<form class="stack" method="post" action="${path}/approve">
    ${hiddenFields(viewer, path)}
    <p id="finish-facts" data-live>${pictures - rejected} of ${pictures} pictures count as approved${others}.${undecided}
      The result is sent to its receivers.</p>
    ${textField({ name: 'notes', label: html`Notes <span class="meta">(optional)</span>`, rows: 3, max: 10_000 }, EMPTY_FORM)}
    <p class="bar">
      ${button({ label: 'Approve the set', kind: 'primary' })}
      ${button({ label: 'Reject the set', kind: 'danger', formAction: `${path}/reject` })}
    </p>
  </form>`;
}

function relations({ set, retakes }: SetFacts, { paths, viewer }: HeadOptions): HtmlContent {
  const path = paths.set(set.id);
  const cancel = (id: string) =>
    viewer.canWrite &&
    actionForm({ viewer, action: `${paths.set(id)}/cancel`, next: path, label: 'Cancel', kind: 'quiet' });
  return [
    set.schedule_id !== null &&
      html`<p class="meta">This set is a run of <a href="${paths.schedule(set.schedule_id)}">a schedule</a>.</p>`,
    ...retakes.filter(isRunning).map(({ id, round, total, resolved }) => {
      const state = badge('pending', `Retaking ${counted(total, 'picture')}`);
      const link = html`<a href="${addressOf(path, { tab: 'rounds' })}">v${round}</a>`;
      return html`<div class="meta bar">${state} <span>${link}, ${resolved} of ${total} finished</span>${cancel(id)}</div>`;
    }),
  ];
}

/** The texts of the request and of the reviewer about the set, each folded to a line. */
export function notes({ set }: SetFacts): HtmlContent {
  const given = [
    ['Instructions', set.instructions],
    ['Review notes', set.review_notes],
  ] as const;
  return given.map(
    ([title, text]) =>
      text !== null &&
      html`<details class="said"><summary><strong>${title}</strong> <span>${text}</span></summary><p class="note">${text}</p></details>`,
  );
}
