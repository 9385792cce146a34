/** The screenshots of a set without a picture, by what went wrong, with advice and a button that takes them again. */
import type { ScreenshotFailure } from '../../domain/states.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { Viewer } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { SCREENSHOT_ADVICE, SCREENSHOT_LABELS } from '../labels.ts';
import { webLink } from '../parts.ts';
import type { PagePaths } from '../paths.ts';
import type { PictureView } from './pictures.ts';

/** Cases of one kind that are listed at once. */
const CASES_SHOWN = 12;
const MOST_CASES = 200;
const ADS_SHOWN = 3;

interface FailureOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly setId: string;
  /** Only a finished set can be taken again. */
  readonly isFinished: boolean;
}

/** @returns those that failed and are not being taken again. */
export function failuresOf<V extends PictureView>(views: readonly V[]): V[] {
  return views.filter(({ status, runningIn }) => isFailure(status) && runningIn === undefined);
}

export function isFailure(status: string): status is ScreenshotFailure {
  return Object.hasOwn(SCREENSHOT_ADVICE, status);
}

export function failures(views: readonly PictureView[], options: FailureOptions): Html | null {
  const failed = failuresOf(views);
  if (failed.length === 0) return null;
  const kinds = [...Map.groupBy(failed, ({ status }) => status)].toSorted(([, a], [, b]) => b.length - a.length);
  return html`<header class="bar"><h2>${failed.length} of ${views.length} failed</h2>${kinds.length > 1 && again(failed, options)}</header>
${kinds.map(([status, ofKind]) => isFailure(status) && kind(status, ofKind, options))}`;
}

function kind(status: ScreenshotFailure, failed: readonly PictureView[], options: FailureOptions): Html {
  const cases = [...Map.groupBy(failed, ({ site_url, reason }) => `${site_url}\n${reason ?? ''}`).values()];
  const more = cases.slice(CASES_SHOWN, MOST_CASES);
  const rest = cases.length - CASES_SHOWN;
  return html`<article class="kind"><header class="bar"><h3>${SCREENSHOT_LABELS[status]} <span class="meta">${counted(failed.length)}</span></h3>${again(failed, options, status)}</header>
<p class="advice">${SCREENSHOT_ADVICE[status]}</p>
<ul>${cases.slice(0, CASES_SHOWN).map((same) => oneCase(same, options))}</ul>
${rest > 0 && html`<details><summary>${rest} more</summary><ul>${more.map((same) => oneCase(same, options))}</ul>${cases.length > MOST_CASES && html`<p class="meta">And ${cases.length - MOST_CASES} more, which the JSON of the set names.</p>`}</details>`}
</article>`;
}

const counted = (count: number) => (count === 1 ? '1 screenshot' : `${count} screenshots`);

/** Screenshots of one site that failed for the same reason. */
function oneCase(failed: readonly PictureView[], { paths }: FailureOptions): HtmlContent {
  const [first] = failed;
  if (first === undefined) return null;
  const devices = [...new Set(failed.map(({ device }) => device))].join(', ');
  const byAd = [...Map.groupBy(failed, ({ ad }) => ad.id).values()].flatMap(([one]) => one ?? []);
  const ads = byAd
    .slice(0, ADS_SHOWN)
    .map(({ id, ad }, index) => html`${index > 0 && ', '}<a href="${paths.screenshot(id)}"><bdi>${ad.name}</bdi></a>`);
  const others = byAd.length > ADS_SHOWN && ` and ${byAd.length - ADS_SHOWN} more`;
  return html`<li><p class="address">${webLink(first.site_url)} <span class="meta">on ${devices}: ${ads}${others}</span></p>
<p class="reason">${first.reason ?? 'No reason was recorded.'}</p></li>`;
}

function again(
  failed: readonly PictureView[],
  { viewer, paths, setId, isFinished }: FailureOptions,
  status?: ScreenshotFailure,
): HtmlContent {
  if (!viewer.canWrite || !isFinished) return null;
  const path = paths.set(setId);
  const text =
    status === undefined
      ? `Take all ${failed.length} again`
      : failed.length === 1
        ? 'Take it again'
        : 'Take these again';
  return html`<form method="post" action="${path}/retake">${hiddenFields(viewer, path)}<input type="hidden" name="which" value="failures">${status !== undefined && html`<input type="hidden" name="status" value="${status}">`}<button>${text}</button></form>`;
}
