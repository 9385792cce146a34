/** The place of an ad in a screenshot that is shown as the page. A click chooses it, also without scripts. */
import type { DraftAd } from '../../core/ads/readAd.ts';
import { findUpload } from '../../core/uploads/uploadQueries.ts';
import { findDevice, shortDevice } from '../../domain/devices.ts';
import { invalid } from '../../domain/failure.ts';
import { isUuid } from '../../domain/slugs.ts';
import { uploadKey } from '../../domain/uploads.ts';
import { sentFiles } from '../../fileReader/fileReader.ts';
import { html } from '../../lib/html.ts';
import { moduleBeside } from '../../lib/moduleBeside.ts';
import { pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { formField, hiddenFields } from '../parts/forms.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { siteName } from '../parts/pictureParts.ts';
import { idOf, type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';
import { chosenFor, fileOf, type SitePage, slotKey } from './choices.ts';
import { type Draft, FieldFaults } from './draft.ts';
import type { drawScreenshot } from './drawScreenshot.ts';
import { draftOfTab, formAddress, keepDraft } from './keptDraft.ts';
import { adsOn } from './requestBody.ts';

const DRAW = {
  module: moduleBeside(import.meta.url, './drawScreenshot'),
  run: 'drawScreenshot',
  seconds: 20,
  fault: (limit: string) => invalid({ page_file: [`The screenshot ${limit} to draw: send a smaller one.`] }),
};

/** @returns undefined for an upload that is unknown, expired, or no image. */
export async function findScreenshot({ store }: PagesOptions, organizationId: string, id: string) {
  const upload = isUuid(id) ? await findUpload(store.db, { id, organizationId }) : undefined;
  return upload?.format === 'image' ? upload : undefined;
}

interface ToPlace extends SitePage {
  readonly upload: string;
  readonly ad: Pick<DraftAd, 'name' | 'width' | 'height'>;
  /** Where the click is sent. */
  readonly action: string;
  readonly up: { readonly href: string; readonly label: string };
}

export function placePage({ viewer, paths }: ViewerRequest, shown: ToPlace): ResultsPage {
  const { site, device, upload, ad, action, up } = shown;
  const size = ad.width === null ? '' : ` (${ad.width} × ${ad.height})`;
  const title = 'Choose the place of the ad';
  const meta = html`<bdi>${siteName(site).address}</bdi> on ${shortDevice(device)}`;
  const body = html`${pageHead({ up, title, meta })}
<p>Click where the top left corner of <bdi>${ad.name}</bdi>${size} goes.</p>
<form class="given-page" method="post" action="${action}">${hiddenFields(viewer, up.href)}
  <input type="image" name="at" width="${findDevice(device)?.viewport.width ?? 0}" alt="The page: click the place of the ad"
    src="${addressOf(`${paths.organization}/page_files/${upload}`, { device })}">
</form>`;
  return { title, body, section: 'campaigns', assets: ['newRequest.css'] };
}

/** @returns where the person clicked, in CSS pixels of the page. */
export function clickedPlace({ request }: ViewerRequest, device: string, ad: ToPlace['ad']): { x: number; y: number } {
  const clicked = (name: string) => Math.max(0, Math.round(Number(formField(request, name)) || 0));
  // A click near the right edge would put the ad outside of the page.
  const right = Math.max(0, (findDevice(device)?.viewport.width ?? 0) - (ad.width ?? 0));
  return { x: Math.min(clicked('at.x'), right), y: clicked('at.y') };
}

/** @param ad whose place was clicked. */
export const placeAddress = (paths: PagePaths, { key: draft }: Draft, { site, device }: SitePage, ad?: string) =>
  addressOf(`${paths.newRequest}/place`, { draft, site, device, ad });

/** The drawn screenshot, and the places of ads in the screenshots of a draft. */
export function addPlaceRoutes(pages: PageRoutes): void {
  const { options } = pages;
  pages.get('/o/:slug/page_files/:id', async ({ request, response, viewer: { organizationId } }) => {
    const upload = await findScreenshot(options, organizationId, idOf(request));
    const device = findDevice(String(request.query['device']));
    if (upload === undefined || device === undefined) return undefined;
    const screen = { width: device.viewport.width, ratio: device.ratio };
    const plan = async () => ({ bytes: (await options.artifacts.get(uploadKey(upload.id))).bytes, ...screen });
    const jpeg = await sentFiles.read<typeof drawScreenshot>(organizationId, DRAW, plan);
    response.set('Cache-Control', 'private, max-age=3600').type('jpeg').send(jpeg);
    return 'sent';
  });
  // One ad of each size after the other, then the form.
  pages.get('/o/:slug/new/place', async (given) => {
    const { draft, page, ads } = await readDraftPage(options, given);
    const up = { href: formAddress(given.paths, draft), label: 'New request' };
    const upload = fileOf(draft, page)?.id ?? '';
    const ad = ads.find(({ size }) => chosenFor(draft, page, size).isUnplaced);
    if (ad === undefined) return redirectTo(given, up.href);
    const action = placeAddress(given.paths, draft, page, ad.id);
    return { ...placePage(given, { ...page, upload, ad, action, up }), section: 'new' };
  });
  pages.post('/o/:slug/new/place', async (given) => {
    const { draft, page, ads } = await readDraftPage(options, given);
    const ad = ads.find(({ id }) => id === given.request.query['ad']);
    if (ad === undefined) return undefined;
    const slots = { ...draft.slots, [slotKey(page, ad.size)]: clickedPlace(given, page.device, ad) };
    await keepDraft(options, given.viewer, { ...draft, slots }, new FieldFaults());
    return redirectTo(given, placeAddress(given.paths, draft, page));
  });
}

/** @returns the page that the query names, and the ads that the draft wants there. */
async function readDraftPage(options: PagesOptions, given: ViewerRequest) {
  const [site = '', device = ''] = ['site', 'device'].map((name) => String(given.request.query[name] ?? ''));
  const draft = await draftOfTab(options, given);
  return { draft, page: { site, device }, ads: await adsOn(options, given.viewer, draft, { site, device }) };
}
