/** The text beside one picture, on its page. */

import type { Thread } from '../../core/reviews/commentQueries.ts';
import type { PictureEvent } from '../../core/sets/pictureHistory.ts';
import type { NoSlotFacts } from '../../core/sets/readScreenshots.ts';
import type { SetHead } from '../../core/sets/readSet.ts';
import type { PlacedScreenshot, VersionRow } from '../../core/sets/readVersions.ts';
import type { SiteRuleRow } from '../../core/siteRules/siteRuleQueries.ts';
import { shortDevice } from '../../domain/devices.ts';
import { COMMENT_MAX } from '../../domain/reviews.ts';
import type { PictureSize } from '../../domain/thumbnails.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { givenPageForm } from '../newRequest/givenPage.ts';
import { button, facts } from '../parts/components.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { EMPTY_FORM, textField } from '../parts/formFields.ts';
import { hiddenFields } from '../parts/forms.ts';
import type { IconName } from '../parts/icons.ts';
import { decisionBadge, reviewedBy, SCREENSHOT_ADVICE, SCREENSHOT_LABELS, timeElement } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { warningList, webLink } from '../parts/pictureParts.ts';
import { sharesPage } from '../pictures/grouping.ts';
import { isRunning, type ReviewedPicture } from '../pictures/pictures.ts';
import { chosenSlot, slotOffer } from '../pictures/slotOffer.ts';
import { type FoundSlots, slotList } from '../pictures/slots.ts';
import { answerLine, ownThreads } from '../pictures/threads.ts';
import { cures, isFailure, whatFailed } from './failures.ts';
import { pictureHistory } from './pictureHistory.ts';
import { retakeFields } from './retakes.ts';
import { noteMark, seenField } from './seenReviews.ts';

/** The order on the page, because PostgreSQL does not keep the order of the fields. Other fields follow. */
const FIELD_ORDER = (
  'requested_url final_url device viewport ratio marker options ad_size slot score scale ad_box page_mode ' +
  'creative_mode site_rules warnings browser_version sha256'
).split(' ');
/** The page shows these elsewhere. */
const HIDDEN_FIELDS = ['kind', 'captured_at', 'reason'];

/** The content of the page of a picture. */
export interface PictureFacts {
  /** Under the id of the set's own version. */
  readonly view: ReviewedPicture;
  readonly set: SetHead;
  /** Newest first. */
  readonly versions: readonly VersionRow[];
  readonly record: object | undefined;
  readonly slots: FoundSlots | undefined;
  /** The size of the picture of the page, if it failed. */
  readonly pageSize: PictureSize | undefined;
  /** The slots that were found, if none took the ad. */
  readonly found: NoSlotFacts | undefined;
  /** The site rule for the site and device of the picture, if a person chose its slot. */
  readonly rule: SiteRuleRow | undefined;
  /** The screenshots of the set in the order of its page. */
  readonly places: readonly PlacedScreenshot[];
  /** About the shown version. */
  readonly threads: readonly Thread[];
  /** Newest first. */
  readonly events: readonly PictureEvent[];
}

export interface PicturePageOptions extends Pick<PagesOptions, 'locations'> {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** The id of a version; '' for the newest. */
  readonly version: string;
  /** The id of a screenshot to compare with; '' for none. */
  readonly compareWith: string;
  /** Says which decision the last form made. */
  readonly done: HtmlContent;
}

/** Each part is live on its own, so that a text that was not sent keeps only its part as it is. */
export function details(facts: PictureFacts, options: PicturePageOptions): Html {
  const part = (id: string, content: HtmlContent) =>
    content && html`<section id="${id}" data-live>${content}</section>`;
  return html`<aside id="details" class="details" data-keyed tabindex="0" aria-label="Review and details">
${part('verdict', verdict(facts))}
${part('decision', decision(facts, options))}
${part('hints', hints(facts, options))}
${part('comments', comments(facts, options))}
${part('slots', slots(facts, options))}
${part('about', about(facts, options))}
${part('retake', retake(facts, options))}
${part('history', pictureHistory(facts, options.paths))}
${part('record', provenance(facts.record))}</aside>`;
}

/** Warnings, and the offer after a person chose the slot of the picture. */
function hints(facts: PictureFacts, options: PicturePageOptions): HtmlContent {
  const { warnings } = facts.view;
  const rules =
    warnings.some(({ code }) => code === 'site_rule_failed') &&
    html`<p class="meta"><a href="${options.paths.settings('site_rules')}">Open the site rules</a></p>`;
  const shown = [warningList(warnings), rules, offer(facts, options)];
  return shown.some(Boolean) && shown;
}

/** Whether the reader should look at the other slots first. */
export function isSlotUncertain({ warnings }: Pick<ReviewedPicture, 'warnings'>): boolean {
  return warnings.some(({ code }) => code === 'slot_uncertain');
}

function about({ view, places }: PictureFacts, { paths }: PicturePageOptions): Html {
  const { ad } = view;
  const size = ad.width !== null && ad.height !== null && html` <span class="meta">${ad.width} × ${ad.height}</span>`;
  const others = places.filter((one) => sharesPage(one, view) && one.id !== view.id);
  const link = ({ id, ad: { name } }: PlacedScreenshot) =>
    html`<a href="${paths.screenshot(id)}"><bdi>${name}</bdi></a>`;
  const named = (text: string, list: readonly PlacedScreenshot[]) =>
    list.map((one, at) => html`${at > 0 ? ', ' : text}${link(one)}`);
  const [failed, shown] = [
    others.filter((one) => isFailure(one.status)),
    others.filter((one) => !isFailure(one.status)),
  ];
  const group =
    view.group_name && html`<bdi>${view.group_name}</bdi>${named(', with ', shown)}${named(', without ', failed)}`;
  return facts([
    ['Page', webLink(view.site_url)],
    ['Ad', html`<a href="${paths.ad(ad.id)}"><bdi>${ad.name}</bdi></a>${size}`],
    ['Group', group],
    ['Device', shortDevice(view.device)],
    ['Taken', view.captured_at && timeElement(view.captured_at)],
    ['Picture', view.image_width !== null && `${view.image_width} × ${view.image_height} pixels`],
  ]);
}

/** After a person chose the slot of the picture. */
function offer({ view, record, rule }: PictureFacts, { viewer, paths }: PicturePageOptions): HtmlContent {
  const chosen = view.status === 'uploaded' ? chosenSlot(record) : undefined;
  const place = { site: view.site_url, device: view.device };
  return chosen && slotOffer({ ...chosen, ...place }, { viewer, paths, next: paths.screenshot(view.id), rule });
}

/** Names the last reviewer. It is live apart from the form, so that it changes while a reviewer writes a reason. */
function verdict({ view: { review } }: PictureFacts): Html {
  const said =
    review !== null && html`<p>${decisionBadge(review.decision)} <span class="meta">${reviewedBy(review)}</span></p>`;
  return html`<div class="bar"><h2>Review</h2>${said}</div>`;
}

/** The form holds what it shows of the picture, so that a decision about another state asks first. */
export function decision({ view, places }: PictureFacts, { viewer, paths, version }: PicturePageOptions): HtmlContent {
  const { review, status } = view;
  if (!viewer.canReview) return review?.comment && html`<p><bdi>${review.comment}</bdi></p>`;
  const rest = places.slice(places.findIndex(({ id }) => id === view.id) + 1);
  // A decision counts for all ads of the picture.
  const after = rest.find((one) => !sharesPage(one, view));
  const fields = { after: after && paths.screenshot(after.id), version, noted: noteMark(review?.comment ?? '') };
  const choice = (value: 'approved' | 'rejected', verb: string, icon: IconName, key: string) => {
    const isPressed = review?.decision === value;
    const label = html`${verb} <kbd>${key.toUpperCase()}</kbd>`;
    return button({ name: 'decision', value: isPressed ? 'none' : value, key, isPressed, icon, label });
  };
  const note = { name: 'comment', label: html`Reason or note <kbd>C</kbd>`, rows: 2, max: COMMENT_MAX };
  return html`<form class="stack" method="post" action="${paths.screenshot(view.shownId)}/review">
    ${hiddenFields(viewer, paths.screenshot(view.id), fields)}${seenField(view)}
    ${textField({ ...note, value: review?.comment ?? '' }, EMPTY_FORM)}
    <div class="bar">
      ${status === 'uploaded' && [choice('rejected', 'Reject', 'x', 'r'), choice('approved', 'Approve', 'check', 'a')]}
      ${button({ name: 'decision', value: '', label: 'Save the note', kind: 'quiet' })}
    </div>
  </form>`;
}

/** Why there is no picture, and what to do. */
export function fault(facts: PictureFacts, { viewer, paths }: PicturePageOptions): HtmlContent {
  const { view, found } = facts;
  const { status, runningIn } = view;
  if (!isFailure(status)) return status !== 'uploaded' && html`<p>${SCREENSHOT_LABELS[status]}</p>`;
  if (runningIn !== undefined) return null;
  const action = status === 'no_slots' ? retakePath(facts, viewer.canWrite, paths) : undefined;
  const actions =
    action && html`<div class="actions">${cures({ viewer, action, next: paths.screenshot(view.id) }, [found])}</div>`;
  return html`<div class="note fault">
    <p><strong>${SCREENSHOT_LABELS[status]}</strong></p>
    ${whatFailed(view, found?.sizes)}
    <p class="advice">${SCREENSHOT_ADVICE[status]}</p>
    ${actions}
  </div>${retakePath(facts, viewer.canWrite, paths) && givenPageForm(view, { viewer, paths })}`;
}

function comments({ view, threads }: PictureFacts, { viewer, paths }: PicturePageOptions): HtmlContent {
  if (view.status !== 'uploaded' && threads.length === 0) return null;
  const here = paths.screenshot(view.id);
  const { shownId } = view;
  const given = { viewer, paths, next: here, action: `${paths.screenshot(shownId)}/comments`, hasPin: true, shownId };
  const { answer } = view;
  // The comment of an answer about this picture is the first one of a thread.
  const isInThread = threads.some(({ id }) => id === answer?.comment_id);
  return html`<h2>Comments</h2>
    <div id="answer" data-live>${answer && answerLine(isInThread ? { ...answer, comment: null } : answer)}</div>
    ${ownThreads(threads, given)}`;
}

function retake(facts: PictureFacts, { viewer, paths, locations }: PicturePageOptions): HtmlContent {
  const { view } = facts;
  if (view.runningIn !== undefined) {
    const set = html`<a href="${paths.set(view.runningIn)}">a separate set</a>`;
    return html`<p class="meta"><span class="badge pending">Being retaken</span> in ${set}</p>`;
  }
  const path = retakePath(facts, viewer.canWrite, paths);
  if (path === undefined) return null;
  const isOpen = isFailure(view.status) && html` open`;
  return html`<details${isOpen}>
    <summary>Retake this picture</summary>
    <form method="post" action="${path}">
      ${hiddenFields(viewer, paths.screenshot(view.id))}
      <div class="fields">${retakeFields({ locations })}${button({ label: 'Retake', icon: 'rotate-ccw' })}</div>
    </form>
  </details>`;
}

/** @returns undefined if the shown version cannot be taken again at the moment. */
function retakePath(
  { view, set, versions }: PictureFacts,
  canWrite: boolean,
  paths: PicturePageOptions['paths'],
): string | undefined {
  const version = versions.find(({ id }) => id === view.shownId);
  const isBusy = isRunning({ status: version?.set_status ?? set.status }) || view.runningIn !== undefined;
  return canWrite && !isBusy ? `${paths.screenshot(view.shownId)}/retake` : undefined;
}

function slots(facts: PictureFacts, { viewer, paths }: PicturePageOptions): HtmlContent {
  const { view, slots: found } = facts;
  if (found === undefined) return null;
  const hasPicture = view.image_token !== null;
  const size = hasPicture ? { width: view.image_width ?? 1, height: view.image_height ?? 1 } : facts.pageSize;
  const retakeAt = retakePath(facts, viewer.canWrite, paths);
  const list = slotList(found, { viewer, retakePath: retakeAt, next: paths.screenshot(view.id), size, hasPicture });
  const hint = hasPicture ? 'You can use a different slot instead.' : 'The ad is in none of these slots.';
  const isOpen = (isSlotUncertain(view) || isFailure(view.status)) && html` open`;
  return html`<details${isOpen}>
    <summary>Slots of the page</summary>
    <p class="hint">${hint} The best ones come first.</p>
    ${list}
  </details>`;
}

/** Shows the provenance record of a placement preview: which page, slot, device and creative it shows, and how it was made. */
function provenance(record: object | undefined): HtmlContent {
  if (record === undefined) return null;
  const position = (name: string) => (FIELD_ORDER.includes(name) ? FIELD_ORDER.indexOf(name) : FIELD_ORDER.length);
  const fields = Object.entries(record)
    .filter(([name]) => !HIDDEN_FIELDS.includes(name))
    .toSorted(([a], [b]) => position(a) - position(b));
  const pairs = facts(fields.map(([name, value]) => [name.replaceAll('_', ' '), fieldValue(value)] as const));
  return html`<details class="provenance"><summary>Details</summary>${pairs}</details>`;
}

/** @returns simple values as text, short lists on one line, everything else as indented JSON. */
function fieldValue(value: unknown): HtmlContent {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'object') return String(value);
  const text = JSON.stringify(value);
  return text.length <= 60
    ? html`<code>${text}</code>`
    : html`<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;
}
