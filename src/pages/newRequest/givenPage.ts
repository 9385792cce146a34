/** A screenshot or a saved page in place of a site that blocks every visit: its upload, and the place of the ad in a screenshot. */
import { COST } from '../../api/limits/costs.ts';
import { readMultipartForm } from '../../api/uploads/multipart.ts';
import { fileReceiver } from '../../api/uploads/receiveUpload.ts';
import { retakeParser } from '../../contract/retakes.ts';
import { repeatSet } from '../../core/requests/repeatScreenshots.ts';
import { readScreenshot, readScreenshots } from '../../core/sets/readScreenshots.ts';
import type { UploadRow } from '../../core/uploads/uploadQueries.ts';
import { invalid } from '../../domain/failure.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { hiddenFields, requireOwnForm } from '../parts/forms.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import {
  goBack,
  idOf,
  type PageResult,
  type PageRoutes,
  redirectTo,
  type ViewerRequest,
} from '../routes/pageRoutes.ts';
import { PAGE_FILES } from './choices.ts';
import { clickedPlace, findScreenshot, placePage } from './placePage.ts';

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
    <p class="hint" id="page_file-hint">${PAGE_FILES.hint} It counts for all pictures of this page on this device that failed.</p>
    <input id="page_file" name="page_file" type="file" required aria-describedby="page_file-hint" accept="${PAGE_FILES.accept}">
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
      return retakeWith(options, given, upload.id);
    },
    { readsBody: true, cost: COST.heavy },
  );
  pages.get(path, async (given) => {
    const shown = await readShown(options, given);
    if (shown === undefined) return undefined;
    const { id, site_url: site, device, ad, upload } = shown;
    const up = { href: given.paths.screenshot(id), label: 'Back to the picture' };
    const action = addressOf(`${pathOf(given.paths, id)}/place`, { upload });
    return placePage(given, { site, device, upload, ad, action, up });
  });
  pages.post(`${path}/place`, async (given) => {
    const shown = await readShown(options, given);
    if (shown === undefined) return undefined;
    return retakeWith(options, given, shown.upload, clickedPlace(given, shown.device, shown.ad));
  });
}

/** One file, the fields of each form, and nothing else. */
const LIMITS = { files: 1, fields: 5, fieldBytes: 4_096, allFieldBytes: 16_384 };

/**
 * Takes all pictures of the set that failed on this page again, with the file as their page. A place in a screenshot is for ads
 * of one size. @throws Failure: 404, 409, 422 with the faults.
 */
async function retakeWith(
  options: PagesOptions,
  given: ViewerRequest,
  uploadId: string,
  area?: { readonly x: number; readonly y: number },
): Promise<PageResult> {
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

/** @returns the screenshot, with the file that the query names as its page. */
async function readShown(options: PagesOptions, given: ViewerRequest) {
  const { organizationId } = given.viewer;
  const screenshot = await readScreenshot(options.store.db, { organizationId, screenshotId: idOf(given.request) });
  const upload = await findScreenshot(options, organizationId, String(given.request.query['upload'] ?? ''));
  return screenshot && upload && { ...screenshot, upload: upload.id };
}
