/** Lists the failed screenshots of a set with their reasons and with advice. */
import type { ScreenshotFailure } from '../../domain/states.ts';
import type { ScreenshotRow } from '../../store/database/rows.ts';
import { type Html, html, webLink } from './html.ts';
import { SCREENSHOT_ADVICE, SCREENSHOT_LABELS } from './labels.ts';

interface FailureGroup {
  readonly status: ScreenshotFailure;
  readonly site: string;
  readonly reason: string;
  readonly screenshots: readonly ScreenshotRow[];
}

export function failures(screenshots: readonly ScreenshotRow[]): Html | null {
  const groups = groupFailures(screenshots);
  if (groups.length === 0) return null;
  const count = groups.reduce((sum, group) => sum + group.screenshots.length, 0);
  return html`<h2>${count} of ${screenshots.length} failed</h2>
<ul class="failures">${groups.map(failureItem)}</ul>`;
}

/** @returns one group for all screenshots of a site that failed for the same reason. */
function groupFailures(screenshots: readonly ScreenshotRow[]): FailureGroup[] {
  const failed = screenshots.filter(({ status }) => isFailure(status));
  const groups = Map.groupBy(failed, ({ status, site_url, reason }) => `${status}\n${site_url}\n${reason ?? ''}`);
  return [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined || !isFailure(first.status)) return [];
    return [{ status: first.status, site: first.site_url, reason: first.reason ?? '', screenshots: same }];
  });
}

function isFailure(status: string): status is ScreenshotFailure {
  return Object.hasOwn(SCREENSHOT_ADVICE, status);
}

function failureItem({ status, site, reason, screenshots }: FailureGroup): Html {
  const devices = [...new Set(screenshots.map(({ device }) => device))].join(', ');
  const ads = [...new Set(screenshots.map(({ ad }) => ad.name))];
  const listed = ads.slice(0, 3).map((ad, index) => html`${index > 0 && ', '}<bdi>${ad}</bdi>`);
  const names = html`${listed}${ads.length > 3 && ` and ${ads.length - 3} more`}`;
  const count = screenshots.length === 1 ? '1 screenshot' : `${screenshots.length} screenshots`;
  return html`<li>
  <p class="what"><strong>${SCREENSHOT_LABELS[status]}</strong> <code>${status}</code> <span class="meta">${count}</span></p>
  <p class="address">${webLink(site)} <span class="meta">on ${devices}: ${names}</span></p>
  ${reason !== '' && html`<p class="reason">${reason}</p>`}
  <p class="advice">${SCREENSHOT_ADVICE[status]}</p>
</li>`;
}
