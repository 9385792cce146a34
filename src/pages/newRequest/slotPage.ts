/** The page of a placement: the picture of a page with its slots, of which a person chooses one for the request. */
import { noteQuota } from '../../api/server/accessLog.ts';
import { CreatePlacement, type SlotsRecord } from '../../contract/placements.ts';
import { deviceRecord } from '../../contract/records.ts';
import { acceptPlacement } from '../../core/requests/acceptPlacement.ts';
import { readPlacement } from '../../core/requests/readPlacement.ts';
import { findRuleOfPages } from '../../core/siteRules/siteRuleQueries.ts';
import type { Row } from '../../db/rows.ts';
import type { AdSize } from '../../domain/ads.ts';
import { findDevice, shortDevice } from '../../domain/devices.ts';
import { invalid } from '../../domain/failure.ts';
import { IMAGE_RATIO_MAX, PLACEMENT_SIZES_MAX } from '../../domain/placements.ts';
import { type Html, html } from '../../lib/html.ts';
import { button, linkButton, pageHead, tabs } from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { formField, hiddenFields } from '../parts/forms.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { siteName } from '../parts/pictureParts.ts';
import { pagesOfOffer, selectorOf, slotOffer } from '../pictures/slotOffer.ts';
import { slotOverlay } from '../pictures/slots.ts';
import { idOf, type PageResult, type PageRoutes, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';
import { chosenFor, fileOf, pageOfForm, type SitePage, slotKey } from './choices.ts';
import { type Draft, FieldFaults } from './draft.ts';
import { draftOfTab, formAddress, keepDraft } from './keptDraft.ts';
import { placeAddress } from './placePage.ts';
import { adsOn } from './requestBody.ts';

const pathOf = (paths: PagePaths, id: string) => `${paths.newRequest}/slots/${id}`;

/** After this time, something is wrong with the service. A page has a minute to load. */
const DEADLINE_MS = 5 * 60_000;
const REFRESH_SECONDS = 2;
/** The largest size of the picture of a page, in pixels. */
const PICTURE_MAX = 16_000;

export function addSlotRoutes(pages: PageRoutes): void {
  const { options } = pages;
  pages.get('/o/:slug/new/slots/:id', (given) => slotsPage(options, given));
  pages.post('/o/:slug/new/slots/:id', (given) => chooseSlot(options, given));
}

/** Leads to the screenshot of the page that the form names, or asks for a picture of the page. The form is shown again if that is not possible. */
export async function openSlots(
  options: PagesOptions,
  given: ViewerRequest,
  { draft, faults }: { readonly draft: Draft; readonly faults: FieldFaults },
): Promise<{ draft: Draft; faults: FieldFaults } | 'sent'> {
  const { request, response, viewer, paths } = given;
  if (faults.of('slots').length > 0) return { draft, faults };
  try {
    const page = pageOfForm((name) => formField(request, name));
    const file = fileOf(draft, page);
    const isFile = formField(request, 'action') === 'file';
    if (isFile && file === undefined) throw invalid({ slots: ['Choose a file first.'] });
    if (isFile && !file?.isScreenshot) return { draft, faults };
    const wanted = file?.isScreenshot ? undefined : await wantedPlacement(options, viewer, draft, page);
    await keepDraft(options, viewer, draft, faults);
    if (faults.of('form').length > 0) return { draft, faults };
    if (wanted === undefined) return redirectTo(given, placeAddress(paths, draft, page));
    const { organizationId } = viewer;
    const { id } = await options.store.db
      .transaction()
      .execute((tx) => acceptPlacement(tx, { organizationId, wanted }, options));
    return redirectTo(given, addressOf(pathOf(paths, id), { draft: draft.key }));
  } catch (error) {
    noteQuota(response, faults.addFailure(error, 'slots').code);
    return { draft, faults };
  }
}

/** @throws Failure (422) */
async function wantedPlacement(options: PagesOptions, viewer: Viewer, draft: Draft, page: SitePage) {
  const { site, device } = page;
  if (fileOf(draft, page) !== undefined)
    throw invalid({
      slots: ['This page is a file, whose best slot is used. Remove the file to choose a slot of the live page.'],
    });
  const ads = await adsOn(options, viewer, draft, page);
  const sizes = new Map(ads.flatMap(({ size }) => (size === null ? [] : [[nameOf(size), size] as const])));
  if (sizes.size === 0)
    throw invalid({ slots: ['Add an ad that fits the device first. Its size determines which slots fit.'] });
  // The pixels of a phone are small, so its page would be blurred.
  const image_ratio = (findDevice(device)?.ratio ?? 1) > 1 ? IMAGE_RATIO_MAX : 1;
  const wish = { site: { url: site }, device: deviceRecord(device), image_ratio };
  return CreatePlacement.parse({ ...wish, sizes: [...sizes.values()].slice(0, PLACEMENT_SIZES_MAX) });
}

const nameOf = ({ width, height }: AdSize) => `${width}x${height}`;

async function slotsPage(options: PagesOptions, given: ViewerRequest): Promise<PageResult> {
  const { request, response, viewer, paths } = given;
  const row = await readPlacement(options.store.db, { id: idOf(request), organizationId: viewer.organizationId });
  if (row === undefined) return undefined;
  const draft = await draftOfTab(options, given);
  const up = { href: formAddress(paths, draft), label: 'New request' };
  const name = `${siteName(row.site_url).address} on ${shortDevice(row.device)}`;
  const head = pageHead({ up, title: 'Choose the slot', meta: html`<bdi>${name}</bdi>` });
  const page = (body: Html): ResultsPage => ({
    title: 'Choose the slot',
    section: 'new',
    assets: ['set.css', 'newRequest.css'],
    body: html`${head}${body}`,
  });
  const fault = (text: string) => page(html`<p class="note fault" role="alert">${text} Go back and try again.</p>`);
  if (row.status === 'pending') {
    const waited = Date.now() - row.created_at.getTime();
    if (waited > DEADLINE_MS) return fault('The service did not capture the page within five minutes.');
    // Browsers do this without a script.
    response.set('Refresh', String(REFRESH_SECONDS));
    const seconds = Math.round(waited / 1000);
    return page(html`<div class="progress" role="status">
      <progress aria-label="The page is being captured"></progress>
      <p>The page is being captured (${seconds} s so far). This takes up to a minute, or up to five if the service is busy.</p>
    </div>`);
  }
  const size = row.record?.sizes.find((each) => nameOf(each) === request.query['size']) ?? row.record?.sizes[0];
  if (size === undefined) return fault(`There is no picture of the page: ${row.reason ?? 'no reason was recorded.'}`);
  const first = size.candidates.length > 0 ? 1 : null;
  const chosen = chosenFor(draft, { site: row.site_url, device: row.device }, size).slot;
  const slot = (chosen && 'index' in chosen ? chosen.index : size.chosen) ?? first;
  // The page begins at this slot, which may be far below.
  if (slot !== null && request.query['slot'] === undefined)
    return redirectTo(given, hrefOf(pathOf(paths, row.id), { size, slot, draft }));
  return page(await chooser(options, given, { row, size, draft }));
}

type JudgedSize = SlotsRecord['sizes'][number];

const hrefOf = (path: string, { size, slot, draft }: { size: JudgedSize; slot: number; draft: Draft }) =>
  `${addressOf(path, { draft: draft.key, size: nameOf(size), slot: String(slot) })}#slot-${slot}`;

async function chooser(
  options: PagesOptions,
  { request, viewer, paths }: ViewerRequest,
  { row, size, draft }: { row: Row<'placements'>; size: JudgedSize; draft: Draft },
): Promise<Html> {
  const { site_url: site, device, record, image_token: token } = row;
  const ads = await adsOn(options, viewer, draft, { site, device });
  const wished = Number(request.query['slot']);
  const path = pathOf(paths, row.id);
  const href = (slot: number) => hrefOf(path, { size, slot, draft });
  const slots = size.candidates.map((candidate, index) => ({
    ...candidate,
    size: [candidate.size.width, candidate.size.height] as [number, number],
    number: index + 1,
    isChosen: index + 1 === wished,
    place: candidate.box,
  }));
  const chosen = slots.find(({ isChosen }) => isChosen);
  const cut = (pixels = 0) => Math.min(pixels, PICTURE_MAX);
  const picture = { width: cut(record?.page.width), height: cut(record?.page.height) };
  const shown = ads.find((ad) => ad.size !== null && nameOf(ad.size) === nameOf(size))?.preview_token;
  const ad = shown && chosen?.problem === null ? { src: paths.image(shown), ...size } : undefined;
  const overlay = slotOverlay({ slots, found: slots.length }, picture, { idOf: 'slot', hrefOf: href, ad });
  const sizes = (record?.sizes ?? []).map((each) => ({
    label: `${each.width} × ${each.height}`,
    href: addressOf(path, { draft: draft.key, size: nameOf(each) }),
    isCurrent: each === size,
  }));
  const use =
    chosen &&
    (chosen.problem !== null
      ? html`<p class="fault">It cannot hold the ad: ${chosen.problem}.</p>`
      : html`<form method="post" action="${addressOf(path, { draft: draft.key })}">
        ${hiddenFields(viewer, paths.newRequest)}<input type="hidden" name="size" value="${nameOf(size)}">
        ${button({ label: 'Use this slot', icon: 'check', kind: 'primary', name: 'slot', value: String(chosen.number) })}
      </form>`);
  const offered = chosen?.problem === null && chosen.number !== size.chosen ? { site, device, size } : undefined;
  const pages = offered && pagesOfOffer(offered);
  const rule = pages && (await findRuleOfPages(options.store.db, viewer.organizationId, pages));
  const next = addressOf(path, { draft: draft.key, size: nameOf(size), slot: String(wished) });
  const offer =
    chosen &&
    offered &&
    slotOffer({ ...offered, selector: selectorOf(chosen.element, slots) }, { viewer, paths, next, rule });
  const items = slots.map(({ number, box, problem, isChosen }) => {
    const link = linkButton({
      href: href(number),
      label: `Slot ${number}`,
      ...(isChosen && { icon: 'check' as const }),
    });
    const fault = problem !== null && html`. It cannot hold the ad: ${problem}`;
    const size = `${Math.round(box.width)} × ${Math.round(box.height)}`;
    return html`<li>${link} <span class="meta">${size}, ${Math.round(box.y)} px from the top${fault}</span></li>`;
  });
  const title = chosen === undefined ? 'Choose a slot' : html`<strong>Slot ${chosen.number}</strong>`;
  return html`${sizes.length > 1 && tabs('Sizes of ads', sizes)}
${slots.length === 0 && html`<p class="note">This page has no slots.</p>`}
<div class="place">
  <div class="pictured"><img src="${paths.image(token ?? '')}" alt="The page ${siteName(site).address}"
    width="${picture.width}" height="${picture.height}">${overlay}</div>
  <aside>
    <div class="panel">
      <p>${title} for ads of ${size.width} × ${size.height}</p>
      ${size.site_rule && ruleLine(size.site_rule, paths)}
      ${use}
    </div>
    ${offer}
    <ol class="slots">${items}</ol>
  </aside>
</div>`;
}

const ruleLine = ({ id, selector }: { readonly id: string; readonly selector: string }, paths: PagePaths) =>
  html`<p class="meta">A <a href="${paths.settings('site_rules')}/${id}">site rule</a> uses <code>${selector}</code>
unless you choose a slot.</p>`;

async function chooseSlot(options: PagesOptions, given: ViewerRequest): Promise<PageResult> {
  const { request, viewer, paths } = given;
  const row = await readPlacement(options.store.db, { id: idOf(request), organizationId: viewer.organizationId });
  const size = row?.record?.sizes.find((each) => nameOf(each) === formField(request, 'size'));
  const number = Number(formField(request, 'slot'));
  if (row === undefined || size?.candidates[number - 1] === undefined) return undefined;
  const draft = await draftOfTab(options, given);
  const slots = { ...draft.slots, [slotKey({ site: row.site_url, device: row.device }, size)]: number };
  await keepDraft(options, viewer, { ...draft, slots }, new FieldFaults());
  return redirectTo(given, formAddress(paths, draft));
}
