/** A screenshot or a saved page in place of a site that blocks every visit: its upload, and the place of the ad in a screenshot. */
import { COST } from '../../api/limits/costs.ts';
import { readMultipartForm } from '../../api/uploads/multipart.ts';
import { fileReceiver } from '../../api/uploads/receiveUpload.ts';
import { retakeParser } from '../../contract/retakes.ts';
import { repeatSet } from '../../core/requests/repeatScreenshots.ts';
import { readScreenshot, readScreenshots } from '../../core/sets/readScreenshots.ts';
import { findUpload, type UploadRow } from '../../core/uploads/uploadQueries.ts';
import { findDevice } from '../../domain/devices.ts';
import { invalid } from '../../domain/failure.ts';
import { isUuid } from '../../domain/slugs.ts';
import { uploadKey } from '../../domain/uploads.ts';
import { sentFiles } from '../../fileReader/fileReader.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { moduleBeside } from '../../lib/moduleBeside.ts';
import { button, pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { formField, hiddenFields, requireOwnForm } from '../parts/forms.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { siteName } from '../parts/pictureParts.ts';
import {
  goBack,
  idOf,
  type PageResult,
  type PageRoutes,
  redirectTo,
  type ViewerRequest,
} from '../routes/pageRoutes.ts';
import type { drawScreenshot } from './drawScreenshot.ts';

const pathOf = (paths: PagePaths, screenshotId: string) => `${paths.screenshot(screenshotId)}/page`;

/** Failures that a file in place of the site cures. */
export const CURED: readonly string[] = ['blocked', 'net_read_timeout', 'generic_error', 'not_found'];

/** @returns nothing if a file would not help. */
export function givenPageForm(
  { shownId, status }: { readonly shownId: string; readonly status: string },
  { viewer, paths }: { readonly viewer: Viewer; readonly paths: PagePaths },
): HtmlContent {
  if (!CURED.includes(status)) return null;
  return html`<form class="stack" method="post" enctype="multipart/form-data" action="${pathOf(paths, shownId)}">
    ${hiddenFields(viewer, paths.screenshot(shownId))}
    <label for="page_file">Use a screenshot or a saved page instead</label>
    <p class="hint" id="page_file-hint">A PNG, JPEG or WebP of the page, or the page saved as MHTML (“Webpage, single file”), as HTML,
      or as a zip of HTML with its files. It counts for all pictures of this page on this device that failed.</p>
    <input id="page_file" name="page_file" type="file" required aria-describedby="page_file-hint"
      accept=".png,.jpg,.jpeg,.webp,.mhtml,.mht,.html,.htm,.zip">
    <div class="actions">${button({ label: 'Upload and retake', icon: 'rotate-ccw' })}</div>
  </form>`;
}

export function addGivenPageRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const { store, artifacts, uploadLimits } = options;
  const receiveFile = fileReceiver({ db: store.db, artifacts, uploadLimits });
  const path = '/o/:slug/screenshots/:id/page';
  pages.post(
    path,
    async (given) => {
      const { request, viewer, paths } = given;
      const uploads: UploadRow[] = [];
      await readMultipartForm(request, LIMITS, async ({ name, chunks }, fields) => {
        request.body = Object.fromEntries([...fields].map(([field, [value]]) => [field, value]));
        // A file of another site is not stored.
        requireOwnForm(request, viewer.formToken);
        if (name !== '') uploads.push((await receiveFile(viewer.organizationId, { name, chunks })).row);
      });
      const [upload] = uploads;
      if (upload === undefined) throw invalid({ page_file: ['is required: choose a screenshot or a saved page.'] });
      if (upload.format === 'image')
        return redirectTo(given, addressOf(pathOf(paths, idOf(request)), { upload: upload.id }));
      return retakeWith(options, given, { uploadId: upload.id });
    },
    { readsBody: true, cost: COST.heavy },
  );
  pages.get(path, async (given) => {
    const shown = await readShown(options, given);
    return shown && placePage(given, shown);
  });
  pages.get(`${path}/image`, async (given) => {
    const { response, viewer } = given;
    const shown = await readShown(options, given);
    if (shown === undefined) return undefined;
    const { width, ratio } = shown;
    const plan = async () => ({ bytes: (await artifacts.get(uploadKey(shown.upload.id))).bytes, width, ratio });
    const jpeg = await sentFiles.read<typeof drawScreenshot>(viewer.organizationId, DRAW, plan);
    response.set('Cache-Control', 'private, max-age=3600').type('jpeg').send(jpeg);
    return 'sent';
  });
  pages.post(`${path}/place`, async (given) => {
    const shown = await readShown(options, given, formField(given.request, 'upload'));
    if (shown === undefined) return undefined;
    const { width: adWidth } = shown.screenshot.ad;
    const clicked = (name: string) => Math.max(0, Math.round(Number(formField(given.request, name)) || 0));
    // A click near the right edge would put the ad outside of the page.
    const area = { x: Math.min(clicked('at.x'), Math.max(0, shown.width - (adWidth ?? 0))), y: clicked('at.y') };
    return retakeWith(options, given, { uploadId: shown.upload.id, area });
  });
}

/** One file, the fields of each form, and nothing else. */
const LIMITS = { files: 1, fields: 5, fieldBytes: 4_096, allFieldBytes: 16_384 };
const DRAW = {
  module: moduleBeside(import.meta.url, './drawScreenshot'),
  run: 'drawScreenshot',
  seconds: 20,
  fault: (limit: string) => invalid({ page_file: [`The screenshot ${limit} to draw: send a smaller one.`] }),
};

interface Given {
  readonly uploadId: string;
  readonly area?: { readonly x: number; readonly y: number };
}

/**
 * Takes all pictures of the set that failed on this page again, with the file as their page. A place in a screenshot is for ads
 * of one size. @throws Failure: 404, 409, 422 with the faults.
 */
async function retakeWith(options: PagesOptions, given: ViewerRequest, { uploadId, area }: Given): Promise<PageResult> {
  const { request, viewer, actor } = given;
  const { db } = options.store;
  const { organizationId } = viewer;
  const screenshot = await readScreenshot(db, { organizationId, screenshotId: idOf(request) });
  if (screenshot === undefined) return undefined;
  const { set_id: setId, site_url: url, device, ad } = screenshot;
  const alike = (await readScreenshots(db, setId)).filter(
    (one) =>
      one.site_url === url &&
      one.device === device &&
      CURED.includes(one.status) &&
      (area === undefined || (one.ad.width === ad.width && one.ad.height === ad.height)),
  );
  const changes = { site: { url, page: { upload_id: uploadId } }, ...(area && { options: { slot: { area } } }) };
  const wish = retakeParser(options.limits)({ screenshot_ids: alike.map(({ id }) => id), ...changes });
  const repeated = { organizationId, setId, kind: 'retake', wish, actor, onlyOpenFailures: true } as const;
  await db.transaction().execute((tx) => repeatSet(tx, repeated, options));
  return goBack(given);
}

/** @returns the screenshot that the client gave, and the screen on which it is shown. */
async function readShown(
  { store: { db } }: PagesOptions,
  { request, viewer: { organizationId } }: ViewerRequest,
  id = String(request.query['upload'] ?? ''),
) {
  const screenshot = await readScreenshot(db, { organizationId, screenshotId: idOf(request) });
  const upload = isUuid(id) ? await findUpload(db, { id, organizationId }) : undefined;
  const device = screenshot && findDevice(screenshot.device);
  if (screenshot === undefined || device === undefined || upload?.format !== 'image') return undefined;
  return { screenshot, upload, width: device.viewport.width, ratio: device.ratio };
}

type Shown = NonNullable<Awaited<ReturnType<typeof readShown>>>;

/** A click on the image sends its place, also without scripts. */
function placePage({ viewer, paths }: ViewerRequest, { screenshot, upload, width }: Shown): ResultsPage {
  const { id, ad, site_url } = screenshot;
  const path = pathOf(paths, id);
  const size = ad.width === null ? '' : ` (${ad.width} × ${ad.height})`;
  const body: Html = html`${pageHead({
    up: { href: paths.screenshot(id), label: 'Back to the picture' },
    title: 'Choose the place of the ad',
    meta: html`<bdi>${siteName(site_url).address}</bdi>`,
  })}
<p>Click where the top left corner of <bdi>${ad.name}</bdi>${size} goes.</p>
<form class="given-page" method="post" action="${path}/place">${hiddenFields(viewer, paths.screenshot(id))}
  <input type="hidden" name="upload" value="${upload.id}">
  <input type="image" name="at" width="${width}" alt="The page: click the place of the ad"
    src="${addressOf(`${path}/image`, { upload: upload.id })}">
</form>`;
  return { title: 'Choose the place of the ad', body, section: 'campaigns', assets: ['newRequest.css'] };
}
