/** What could not be done, each with its reason in words and what can be done about it. */
import type { ScreenshotFailure } from '../../domain/states.ts';
import type { ScreenshotRow } from '../../store/database/rows.ts';
import { type Html, html, webLink } from './html.ts';
import { SCREENSHOT_ADVICE, SCREENSHOT_LABELS } from './labels.ts';

interface Failed {
  readonly status: ScreenshotFailure;
  readonly site: string;
  readonly reason: string;
  readonly shots: readonly ScreenshotRow[];
}

export function failures(shots: readonly ScreenshotRow[]): Html | null {
  const rows = alike(shots);
  if (rows.length === 0) return null;
  const count = rows.reduce((sum, row) => sum + row.shots.length, 0);
  return html`<h2>${count} of ${shots.length} could not be placed</h2>
<ul class="failures">${rows.map(failureItem)}</ul>`;
}

/** One entry for all pictures of a site that failed for the same reason. */
function alike(shots: readonly ScreenshotRow[]): Failed[] {
  const failed = shots.filter((shot) => isFailure(shot.status));
  const groups = Map.groupBy(failed, (shot) => `${shot.status}\n${shot.site_url}\n${shot.reason ?? ''}`);
  return [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined || !isFailure(first.status)) return [];
    return [{ status: first.status, site: first.site_url, reason: first.reason ?? '', shots: same }];
  });
}

function isFailure(status: string): status is ScreenshotFailure {
  return Object.hasOwn(SCREENSHOT_ADVICE, status);
}

function failureItem({ status, site, reason, shots }: Failed): Html {
  const devices = [...new Set(shots.map((shot) => shot.device))].join(', ');
  const ads = [...new Set(shots.map((shot) => shot.ad.name))];
  const listed = ads.slice(0, 3).map((ad, index) => html`${index > 0 && ', '}<bdi>${ad}</bdi>`);
  const named = html`${listed}${ads.length > 3 && ` and ${ads.length - 3} more`}`;
  return html`<li>
  <p class="what"><strong>${SCREENSHOT_LABELS[status]}</strong> <code>${status}</code> <span class="meta">${shots.length === 1 ? '1 picture' : `${shots.length} pictures`}</span></p>
  <p class="address">${webLink(site)} <span class="meta">on ${devices}: ${named}</span></p>
  ${reason !== '' && html`<p class="reason">${reason}</p>`}
  <p class="advice">${SCREENSHOT_ADVICE[status]}</p>
</li>`;
}
