/** The list in which a person chooses and orders the pictures of a file. */
import { readExportPictures } from '../../core/exports/exportContent.ts';
import type { Queryable } from '../../db/database.ts';
import { shortDevice } from '../../domain/devices.ts';
import { shownPart } from '../../domain/thumbnails.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import { markerLabel } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { siteName, thumbnail, widthAtHeight } from '../parts/pictureParts.ts';
import { inPageOrder, oncePerPicture } from './grouping.ts';
import type { PictureView, SetFacts } from './pictures.ts';

/** For a file with more, people select pictures in the grid. */
const MOST = 60;
/** CSS pixels, as in the grid, of which the browser has the pictures. */
const SHOWN_HEIGHT = 200;

type Choosable = Pick<PictureView, 'id' | 'site_url' | 'device' | 'marker_ms' | 'image_token'> &
  Pick<PictureView, 'image_width' | 'image_height'> & { readonly ad: { readonly name: string } };

/** @returns null if there is nothing to choose. */
export function pictureChooser({ views, decisions }: SetFacts, paths: PagePaths): HtmlContent {
  const isInFile = ({ image_token, shownId }: PictureView) => image_token && decisions.get(shownId) !== 'rejected';
  return chooserOf(oncePerPicture(inPageOrder(views.filter(isInFile), 'file')), paths);
}

/** As {@link pictureChooser}, for all sets of a campaign. @param pictures how many they have. */
export async function campaignChooser(
  db: Queryable,
  { campaignId, pictures }: { campaignId: string; pictures: number },
  paths: PagePaths,
): Promise<HtmlContent> {
  if (pictures > MOST) return null;
  const rows = await readExportPictures(db, { campaignId, options: { audience: 'organization' } }, { skip: 0 });
  const shown = rows.map((row) => ({
    ...row,
    ad: { name: row.ad_name },
    image_width: row.width,
    image_height: row.height,
  }));
  return chooserOf(shown, paths);
}

/** In the order of the file. The asset downloads.js moves pictures. */
function chooserOf(pictures: readonly Choosable[], paths: PagePaths): HtmlContent {
  if (pictures.length < 2 || pictures.length > MOST) return null;
  return html`<p class="hint">Drag a picture, or use its buttons, to change the order. A file with no chosen picture has all pictures.</p>
<ol class="order" aria-label="Pictures of the file">${pictures.map((view) => item(view, paths))}</ol>`;
}

function item({ id, ad, site_url, device, marker_ms, image_token, ...view }: Choosable, paths: PagePaths) {
  const moment = marker_ms !== null && markerLabel(marker_ms);
  const name = [ad.name, siteName(site_url).host, shortDevice(device), moment].filter(Boolean).join(' · ');
  const size = shownPart({ width: view.image_width ?? 1, height: view.image_height ?? 1 });
  const shown = { token: image_token ?? '', alt: '', size, shownWidth: widthAtHeight(size, SHOWN_HEIGHT) };
  const move = (to: 'up' | 'down', arrow: string) =>
    html`<button type="button" class="icon-only" data-move="${to}" aria-label="Move ${to}: ${name}">${arrow}</button>`;
  return html`<li class="bar" draggable="true"><label class="check"><input type="checkbox" name="screenshots" value="${id}" checked>
${thumbnail({ paths, ...shown })} <bdi>${name}</bdi></label>${move('up', '↑')}${move('down', '↓')}</li>`;
}
