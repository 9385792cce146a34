/** The screenshots of a set without a picture: what went wrong in plain words, and what cures it. */
import { readFoundSizes } from '../../core/sets/readScreenshots.ts';
import type { SetHead } from '../../core/sets/readSet.ts';
import { shortDevice } from '../../domain/devices.ts';
import type { ScreenshotFailure } from '../../domain/states.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, linkButton } from '../components.ts';
import type { PagesOptions, Viewer } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { SCREENSHOT_ADVICE, SCREENSHOT_LABELS } from '../labels.ts';
import { webLink } from '../parts.ts';
import { addressOf, type PagePaths } from '../paths.ts';
import { isFinished, type PictureView } from './pictures.ts';

/** Cases of one kind that are listed at once. */
const CASES_SHOWN = 12;
const MOST_CASES = 200;
const ADS_SHOWN = 3;

interface FailureOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly set: SetHead;
}

/** The sizes of the slots that the page of a screenshot has, by the id of the screenshot. */
type FoundSizes = ReadonlyMap<string, readonly string[]>;

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
  const sizes = await readFoundSizes(store.db, noSlot);
  return html`${kinds.length > 1 && html`<p class="bar">${retake(failed, options, { label: `Retake all ${failed.length}` })}</p>`}
${kinds.map(([status, ofKind]) => isFailure(status) && kind(status, ofKind, { ...options, sizes }))}`;
}

function kind(
  status: ScreenshotFailure,
  failed: readonly PictureView[],
  options: FailureOptions & { readonly sizes: FoundSizes },
): Html {
  const cases = [...Map.groupBy(failed, ({ site_url, reason }) => `${site_url}\n${reason ?? ''}`).values()];
  const more = cases.slice(CASES_SHOWN, MOST_CASES);
  const rest = cases.length - CASES_SHOWN;
  return html`<article class="panel wide kind"><header><h2>${SCREENSHOT_LABELS[status]} <span class="count">${failed.length}</span></h2>
<p class="advice">${SCREENSHOT_ADVICE[status]}</p>${cures(status, failed, options)}</header>
<ul>${cases.slice(0, CASES_SHOWN).map((same) => oneCase(same, options))}</ul>
${rest > 0 && html`<details><summary>${rest} more</summary><ul>${more.map((same) => oneCase(same, options))}</ul>${cases.length > MOST_CASES && html`<p class="meta">And ${cases.length - MOST_CASES} more, which the JSON of the set names.</p>`}</details>`}
</article>`;
}

/** Screenshots of one site that failed for the same reason. */
function oneCase(
  failed: readonly PictureView[],
  { paths, sizes }: FailureOptions & { readonly sizes: FoundSizes },
): HtmlContent {
  const [first] = failed;
  if (first === undefined) return null;
  const devices = [...new Set(failed.map(({ device }) => shortDevice(device)))].join(', ');
  const byAd = [...Map.groupBy(failed, ({ ad }) => ad.id).values()].flatMap(([one]) => one ?? []);
  const ads = byAd
    .slice(0, ADS_SHOWN)
    .map(
      ({ id, ad }, index) =>
        html`${index > 0 && ', '}<a href="${paths.screenshot(id)}"><bdi>${ad.name}</bdi></a>${ad.width !== null && ` (${ad.width}×${ad.height})`}`,
    );
  const others = byAd.length > ADS_SHOWN && ` and ${byAd.length - ADS_SHOWN} more`;
  return html`<li><p>${webLink(first.site_url)} <span class="meta">on ${devices}: ${ads}${others}</span></p>
<p class="reason">${takes(sizes.get(first.shownId)) ?? first.reason ?? 'No reason was recorded.'}</p>
<details><summary>Details</summary><p class="meta">${first.reason}</p><p class="meta">${first.status}</p></details></li>`;
}

/** For example "This page takes 970×250 and 300×250.", largest first. */
function takes(sizes: readonly string[] = []): string | undefined {
  const [last, ...others] = sizes.toReversed();
  if (last === undefined) return undefined;
  return `This page takes ${others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`}.`;
}

/** Retakes that may help, with one option each. */
function cures(status: ScreenshotFailure, failed: readonly PictureView[], options: FailureOptions): HtmlContent {
  const change = linkButton({
    href: addressOf(`${options.paths.set(options.set.id)}/retake`, { status }),
    label: 'Change device, slot or page…',
  });
  const plain = retake(failed, options, { status, label: failed.length === 1 ? 'Retake' : `Retake ${failed.length}` });
  const scaled = retake(failed, options, { status, label: 'Allow scaling', field: 'allow_scaling' });
  const kept = retake(failed, options, { status, label: 'Keep other ads', field: 'keep_other_ads' });
  if (plain === null) return null;
  return html`<div class="actions">${status === 'no_slots' ? [scaled, kept] : plain}${change}</div>`;
}

function retake(
  failed: readonly PictureView[],
  { viewer, paths, set }: FailureOptions,
  { status, label, field }: { status?: ScreenshotFailure; label: string; field?: 'allow_scaling' | 'keep_other_ads' },
): Html | null {
  if (!viewer.canWrite || !isFinished(set) || failed.length === 0) return null;
  const path = paths.set(set.id);
  return html`<form method="post" action="${path}/retake">${hiddenFields(viewer, path)}<input type="hidden" name="which" value="failures">${status !== undefined && html`<input type="hidden" name="status" value="${status}">`}${field && html`<input type="hidden" name="${field}" value="yes">`}${button({ label, icon: 'rotate-ccw' })}</form>`;
}
