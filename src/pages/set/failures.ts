/** The screenshots of a set without a picture: what went wrong in plain words, and how to fix it. */
import { readImageSizes } from '../../core/sets/images.ts';
import { type NoSlotFacts, readNoSlotFacts } from '../../core/sets/readScreenshots.ts';
import type { SetHead } from '../../core/sets/readSet.ts';
import { shortDevice } from '../../domain/devices.ts';
import type { ScreenshotFailure } from '../../domain/states.ts';
import { type PictureSize, shownPart } from '../../domain/thumbnails.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { CURED } from '../newRequest/givenPage.ts';
import { linkButton } from '../parts/components.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { type ActionForm, actionForm, hiddenFields } from '../parts/forms.ts';
import { SCREENSHOT_ADVICE, SCREENSHOT_LABELS } from '../parts/labels.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { thumbnail, webLink } from '../parts/pictureParts.ts';
import { isFinished, type PictureView } from '../pictures/pictures.ts';
import { pictureBar } from './grid.ts';

/** Cases of one kind that are listed at once. */
const CASES_SHOWN = 12;
const MOST_CASES = 200;
const ADS_SHOWN = 3;
const PAGES_SHOWN = 3;
/** CSS pixels. */
const PAGE_WIDTH = 96;

interface FailureOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly set: SetHead;
}

/** By the id of the screenshot. */
type SlotsFound = ReadonlyMap<string, NoSlotFacts>;

interface CaseOptions extends FailureOptions {
  readonly found: SlotsFound;
  /** The sizes of the pictures of pages, by their tokens. */
  readonly pages: ReadonlyMap<string, PictureSize>;
}

/** @returns those that failed and are not being retaken. */
export function failuresOf<V extends PictureView>(views: readonly V[]): V[] {
  return views.filter(({ status, runningIn }) => isFailure(status) && runningIn === undefined);
}

export function isFailure(status: string): status is ScreenshotFailure {
  return Object.hasOwn(SCREENSHOT_ADVICE, status);
}

export async function failures(
  { store }: PagesOptions,
  views: readonly PictureView[],
  options: FailureOptions,
): Promise<Html> {
  const failed = failuresOf(views);
  if (failed.length === 0) return html`<p class="hint">No picture failed.</p>`;
  const kinds = [...Map.groupBy(failed, ({ status }) => status)].toSorted(([, a], [, b]) => b.length - a.length);
  const noSlot = failed.filter(({ status }) => status === 'no_slots').map(({ shownId }) => shownId);
  const found = await readNoSlotFacts(store.db, noSlot);
  const pages = await readImageSizes(
    store.db,
    failed.flatMap(({ page_token }) => page_token ?? []),
  );
  const all = kinds.length > 1 ? retakeOf(options) : undefined;
  const path = options.paths.set(options.set.id);
  const selection =
    retakeOf(options) &&
    html`<form id="selection" method="post">${hiddenFields(options.viewer, path)}${pictureBar(options.viewer, path, 'retake')}</form>`;
  return html`${all && html`<div class="bar">${retakeForm(all, `Retake all ${failed.length}`)}</div>`}
${kinds.map(([status, ofKind]) => isFailure(status) && kind(status, ofKind, { ...options, found, pages }))}${selection}`;
}

function kind(status: ScreenshotFailure, failed: readonly PictureView[], options: CaseOptions): Html {
  const cases = [...Map.groupBy(failed, ({ site_url, reason }) => `${site_url}\n${reason ?? ''}`).values()];
  const more = cases.slice(CASES_SHOWN, MOST_CASES);
  const rest = cases.length - CASES_SHOWN;
  const item = (same: readonly PictureView[]) => oneCase(same, options);
  const unlisted = html`<p class="meta">And ${cases.length - MOST_CASES} more, listed in the JSON of the set.</p>`;
  const fold = html`<details>
    <summary>${rest} more</summary>
    <ul>${more.map(item)}</ul>
    ${cases.length > MOST_CASES && unlisted}
  </details>`;
  return html`<article class="panel wide kind">
    <header>
      <h2>${SCREENSHOT_LABELS[status]} <span class="count">${failed.length}</span></h2>
      <p class="advice">${SCREENSHOT_ADVICE[status]}</p>
      ${actions(status, failed, options)}
    </header>
    <ul>${cases.slice(0, CASES_SHOWN).map(item)}</ul>
    ${rest > 0 && fold}
  </article>`;
}

/** Screenshots of one site that failed for the same reason. */
function oneCase(failed: readonly PictureView[], { paths, found, pages, ...options }: CaseOptions): HtmlContent {
  const [first] = failed;
  if (first === undefined) return null;
  const devices = [...new Set(failed.map(({ device }) => shortDevice(device)))].join(', ');
  const byAd = [...Map.groupBy(failed, ({ ad }) => ad.id).values()].flatMap(([one]) => one ?? []);
  const link = ({ id, ad }: PictureView) => {
    const size = ad.width !== null && ` (${ad.width}×${ad.height})`;
    return html`<a href="${paths.screenshot(id)}"><bdi>${ad.name}</bdi></a>${size}`;
  };
  const ads = byAd.slice(0, ADS_SHOWN).map((view, index) => html`${index > 0 && ', '}${link(view)}`);
  const others = byAd.length > ADS_SHOWN && ` and ${byAd.length - ADS_SHOWN} more`;
  const what = html`<span class="meta">on ${devices}: ${ads}${others}</span>`;
  const box =
    retakeOf({ paths, ...options }) &&
    html`<input type="checkbox" form="selection" name="pick" value="${failed.map(({ id }) => id).join(',')}"
      aria-label="Select ${first.site_url}, ${devices}"> `;
  // One file counts for all pictures of a page on a device.
  const files = [...Map.groupBy(failed, ({ device }) => shortDevice(device))].map(([device, [{ id } = first]]) =>
    linkButton({ href: `${paths.screenshot(id)}#page_file`, label: `Use a file on ${device}…` }),
  );
  return html`<li>${pagePictures(failed, pages, paths)}<p>${box}${webLink(first.site_url)} ${what}</p>
${whatFailed(first, found.get(first.shownId)?.sizes)}${box && CURED.includes(first.status) && files}</li>`;
}

/** The page on each device. A link leads to the picture with the slots. */
function pagePictures(failed: readonly PictureView[], pages: CaseOptions['pages'], paths: PagePaths): HtmlContent {
  const shown = [...Map.groupBy(failed, ({ page_token }) => page_token)].slice(0, PAGES_SHOWN);
  return shown.map(([token, [view]]) => {
    const size = pages.get(token ?? '');
    if (token === null || size === undefined || view === undefined) return null;
    const alt = `The page on ${shortDevice(view.device)}`;
    const picture = thumbnail({ paths, token, alt, size: shownPart(size), shownWidth: PAGE_WIDTH });
    return html`<a class="seen" href="${paths.screenshot(view.id)}">${picture}</a>`;
  });
}

/** Says in plain words why it failed, with the reason of the service behind Details. */
export function whatFailed({ reason, status, group_name }: PictureView, sizes: readonly string[] | undefined): Html {
  // Another ad of the group may be in the slot that fits.
  const summary = group_name === null ? takes(sizes) : undefined;
  return html`<p class="reason">${summary ?? reason ?? 'No reason was recorded.'}</p>
<details><summary>Details</summary><p class="meta">${reason}</p><p class="meta">${status}</p></details>`;
}

/** For example "This page has slots for 970×250 and 300×250.", largest first. */
function takes(sizes: readonly string[] = []): string | undefined {
  const [last, ...others] = sizes.toReversed();
  if (last === undefined) return undefined;
  return `This page has slots for ${others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`}.`;
}

/** Retakes of these, and a page with more choices; nothing if they cannot be taken again. */
function actions(
  status: ScreenshotFailure,
  failed: readonly PictureView[],
  options: FailureOptions & { readonly found: SlotsFound },
): HtmlContent {
  const retake = retakeOf(options);
  if (retake === undefined) return null;
  const target = { ...retake, fields: { ...retake.fields, status } };
  const plain = retakeForm(target, failed.length === 1 ? 'Retake' : `Retake ${failed.length}`);
  const cured = cures(
    target,
    failed.map(({ shownId }) => options.found.get(shownId)),
  );
  const change = linkButton({ href: addressOf(retake.action, { status }), label: 'Change device, slot or page…' });
  return html`<div class="actions">${cured.length > 0 ? cured : plain}${change}</div>`;
}

function retakeOf({ viewer, paths, set }: FailureOptions): RetakeTarget | undefined {
  if (!viewer.canWrite || !isFinished(set)) return undefined;
  const next = paths.set(set.id);
  return { viewer, next, action: `${next}/retake`, fields: { which: 'failures' } };
}

/** A form that takes pictures again, without its label. */
type RetakeTarget = Omit<ActionForm, 'label'>;

/** Retakes that may find a slot, each of the screenshots that it can help. @param found of the screenshots that found none. */
export function cures(target: RetakeTarget, found: readonly (NoSlotFacts | undefined)[]): readonly Html[] {
  return CURES.flatMap(({ option, label, helps }) => {
    const count = found.filter((slots) => slots?.[helps]).length;
    const fields = { ...target.fields, [option]: 'yes', helps };
    const some = count < found.length ? `${label} (${count} of ${found.length})` : label;
    return count === 0 ? [] : [retakeForm({ ...target, fields }, some)];
  });
}

const CURES = [
  { option: 'allow_scaling', label: 'Allow scaling', helps: 'mayScale' },
  { option: 'keep_other_ads', label: 'Keep other ads', helps: 'hidesAds' },
] as const;

export const HELPS = CURES.map(({ helps }) => helps);

const retakeForm = (target: RetakeTarget, label: string) => actionForm({ ...target, label, icon: 'rotate-ccw' });
