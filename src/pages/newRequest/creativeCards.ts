/** The creatives of a new request, each as the service rendered it. */
import type { DraftAd } from '../../core/ads/readAd.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import type { PagePaths } from '../paths.ts';
import { thumbnail, widthAtHeight } from '../thumbnail.ts';
import { warningList } from '../warnings.ts';

/** The largest preview, CSS pixels, as in the style sheet. */
const SHOWN = { width: 208, height: 150 };

export function creativeCard(ad: DraftAd, paths: PagePaths): Html {
  const size = ad.width !== null && ad.height !== null && html` <span class="meta">${ad.width} × ${ad.height}</span>`;
  return html`<li class="creative ${ad.status}" data-ad="${ad.id}" data-status="${ad.status}">
  <input type="hidden" name="ad" value="${ad.id}">
  ${preview(ad, paths)}
  <p class="name"><a href="${paths.ad(ad.id)}" target="_blank" rel="noopener"><bdi>${ad.name}</bdi></a>${size}</p>
  ${failure(ad)}
  ${warningList(ad.warnings)}
  <button class="quiet" name="action" value="remove:${ad.id}" aria-label="Remove ${ad.name}">Remove</button>
</li>`;
}

function preview(ad: DraftAd, paths: PagePaths): Html {
  const { preview_token: token, width, height } = ad;
  if (token === null || width === null || height === null) {
    const text = { pending: 'Rendering…', uploaded: 'No preview' } as const;
    const label = ad.status === 'pending' || ad.status === 'uploaded' ? text[ad.status] : 'Not rendered';
    return html`<div class="picture empty">${label}</div>`;
  }
  const size = { width, height };
  const shownWidth = Math.min(width, SHOWN.width, widthAtHeight(size, SHOWN.height));
  return html`<div class="picture">${thumbnail({ paths, token, alt: `Preview of ${ad.name}`, size, shownWidth, lazy: false })}</div>`;
}

function failure({ status, reason }: DraftAd): HtmlContent {
  if (status === 'pending' || status === 'uploaded') return null;
  return html`<p class="fault">${reason ?? 'No reason was recorded.'} <span class="advice">Remove it, or correct it and add it again.</span></p>`;
}
