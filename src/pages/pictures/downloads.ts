/** Downloads of a set: starting one, and the page that says how far its file is. Neither needs a script. */
import type { Request, Response } from 'express';
import { COST } from '../../api/limits/costs.ts';
import { ExportQuery, exportOptions } from '../../contract/exports.ts';
import { type ExportRow, findExport } from '../../core/exports/exportQueries.ts';
import { requestExport, waitForExport } from '../../core/exports/exports.ts';
import { readBranding } from '../../core/organizations/branding.ts';
import type { Owner } from '../../core/sets/shownVersions.ts';
import { EXPORT_FORMATS, type ExportAudience, MAX_DOCUMENT_PICTURES, partsOf } from '../../domain/exports.ts';
import { Failure } from '../../domain/failure.ts';
import { FRAMES } from '../../domain/frames.ts';
import { isUuid } from '../../domain/slugs.ts';
import { type Texts, textsOf } from '../../domain/texts/languages.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { type Choice, checkbox, EMPTY_FORM, selectField } from '../parts/formFields.ts';
import { OWNER_PAGES, ownerPath } from '../routes/ownerPages.ts';
import type { PageRoutes, ViewerRequest } from '../routes/pageRoutes.ts';

interface PanelOptions {
  /** Path of the page; its downloads are below it. */
  readonly path: string;
  readonly pictures: number;
  /** A few files are enough for all readers of a link, so they have fewer choices. */
  readonly isShared: boolean;
  /** The selected screenshots; all unless given. */
  readonly picked?: readonly string[];
  /** A list of pictures to choose from. */
  readonly chooser?: HtmlContent;
  readonly texts?: Texts['parts'];
}

const WAIT_MS = 1_500;
const REFRESH_SECONDS = 2;

/** Whose pictures a page offers. */
export interface DownloadSource {
  readonly organizationId: string;
  readonly owner: Owner;
  readonly audience: ExportAudience;
  readonly approvedOnly?: boolean;
  /** Only these screenshots, for a link that shows no others. */
  readonly ids?: readonly string[] | null;
  /** Path of the page that offers the downloads; the paths of the downloads are below it. */
  readonly path: string;
  /** '' or the prefix of the service. */
  readonly base: string;
  readonly texts?: Texts['parts'];
}

const textsIn = ({ texts = textsOf('en').parts }: Pick<PanelOptions, 'texts'>) => texts.download;

interface Call {
  readonly request: Request;
  readonly response: Response;
}

/** Redirects to the file if it is ready soon, otherwise to the page of the download. A script gets the state as JSON. */
export async function startDownload(
  { store, queue }: PagesOptions,
  source: DownloadSource,
  { request, response }: Call,
): Promise<'sent'> {
  const { organizationId, owner, audience } = source;
  const query = ExportQuery.safeParse(request.query);
  if (!query.success) throw unknownDownload();
  const { format, frame, part, time_zone } = query.data;
  // A few files are enough for all readers of a link.
  const choice = audience === 'shared' ? { format, frame, part } : { ...query.data, time_zone };
  const options = exportOptions(choice, await readBranding(store.db, organizationId), source);
  const requested = await requestExport(store.db, { organizationId, ...owner, options }, queue);
  if (request.accepts(['html', 'json']) === 'json') {
    sendState(response, requested, source);
    return 'sent';
  }
  const row = await waitForExport(store.db, requested, { waitMs: WAIT_MS, isCanceled: () => request.closed });
  response.redirect(303, row.status === 'ready' ? fileOf(row, source) : `${source.path}/exports/${row.id}`);
  return 'sent';
}

/** The page of a download. It reloads until the file is ready, and then starts the download. */
export async function downloadPage(
  options: PagesOptions,
  source: DownloadSource,
  { request, response }: Call,
): Promise<ResultsPage | 'sent' | undefined> {
  const row = await findDownload(options, source, request);
  if (row === undefined) return undefined;
  if (request.accepts(['html', 'json']) === 'json') {
    sendState(response, row, source);
    return 'sent';
  }
  if (isOpen(row)) response.set('Refresh', String(REFRESH_SECONDS));
  if (row.status === 'ready') response.set('Refresh', `0;url=${fileOf(row, source)}`);
  const { form, page } = textsIn(source);
  const body = html`<section class="signin"><h1>${form.label}</h1><p class="address">${row.file_name}</p>${state(row, source)}
<p><a href="${source.path}">${page.back}</a></p></section>`;
  return { title: row.file_name, body };
}

async function findDownload(
  { store }: PagesOptions,
  { organizationId, owner, audience, approvedOnly = false, ids }: DownloadSource,
  request: Request,
): Promise<ExportRow | undefined> {
  const id = String(request.params['export']).toLowerCase();
  const row = isUuid(id) ? await findExport(store.db, { id, organizationId }) : undefined;
  if (row === undefined || row.options.audience !== audience) return undefined;
  if ((owner.setId ?? null) !== row.set_id || (owner.campaignId ?? null) !== row.campaign_id) return undefined;
  // A link opens only files with its pictures.
  const isSame =
    (row.options.approved_only === true) === approvedOnly && `${row.options.screenshot_ids}` === `${ids ?? undefined}`;
  return isSame || audience === 'organization' ? row : undefined;
}

function state(row: ExportRow, source: DownloadSource): HtmlContent {
  const { page } = textsIn(source);
  const { status, done, total } = row;
  const text = stateText(row, source);
  if (status === 'ready') return html`<p>${text} <a href="${fileOf(row, source)}">${page.again}</a></p>`;
  if (!isOpen(row)) return html`<p${status === 'failed' && html` class="fault"`}>${text}</p>`;
  return html`<div class="progress"><progress value="${done}" max="${total}" aria-label="${page.progress}"></progress>
<p>${text}</p></div>`;
}

/** Readers of a share link do not see internal reasons. */
function stateText({ status, done, total, reason }: ExportRow, source: DownloadSource): string {
  const { building, states } = textsIn(source);
  if (status === 'pending' || status === 'building') return building(done, total);
  return (status === 'failed' && source.audience === 'organization' && reason) || states[status];
}

function sendState(response: Response, row: ExportRow, source: DownloadSource): void {
  const { status, done, total, file_name } = row;
  const url = status === 'ready' ? fileOf(row, source) : null;
  const page = `${source.path}/exports/${row.id}`;
  const text = stateText(row, source);
  response.set('Cache-Control', 'no-store').json({ status, done, total, file_name, url, page, text });
}

const isOpen = ({ status }: ExportRow) => status === 'pending' || status === 'building';
const fileOf = ({ token, file_name }: ExportRow, { base }: DownloadSource) => `${base}/e/${token}/${file_name}`;

const unknownDownload = () =>
  new Failure({ status: 422, code: 'invalid', errors: { format: [`must be one of: ${EXPORT_FORMATS.join(', ')}.`] } });

/** With the asset downloads.js, the reader stays on the page. */
export function downloadForm(options: PanelOptions): Html {
  const { path, pictures, isShared, picked, chooser } = options;
  const texts = textsIn(options);
  const { form, formats, frames } = texts;
  const formatChoices = EXPORT_FORMATS.map((format): Choice => [format, formats[format]]);
  const frameChoices = (['none', ...FRAMES] as const).map((frame): Choice => [frame, frames[frame]]);
  return html`<form class="stack" method="get" action="${path}/export" data-download="${texts.page.progress}">
  ${picked && !chooser && html`<input type="hidden" name="screenshots" value="${picked.join(',')}">`}
  ${selectField({ name: 'format', id: 'download-format', label: form.format, choices: formatChoices }, EMPTY_FORM)}
  ${selectField({ name: 'frame', id: 'download-frame', label: form.frame, choices: frameChoices, value: 'device' }, EMPTY_FORM)}
  ${partChoice(pictures, texts)}
  ${
    !isShared &&
    html`${checkbox({ name: 'label', value: 'false', label: 'Leave out the label “Placement preview”', isChecked: false })}
  ${checkbox({ name: 'failures', value: 'true', label: 'Add failures and the creative check, for your team', isChecked: false })}`
  }
  ${chooser && (picked ? chooser : html`<details><summary>Choose and order pictures</summary>${chooser}</details>`)}
  ${button({ label: form.label, icon: 'download', kind: 'primary' })}
</form>
<div role="status" data-download-state></div>`;
}

function partChoice(pictures: number, { form, most }: Texts['parts']['download']): HtmlContent {
  const parts = partsOf('pptx', pictures);
  if (parts === 1) return null;
  const rangeOf = (part: number) =>
    `${(part - 1) * MAX_DOCUMENT_PICTURES + 1}–${Math.min(pictures, part * MAX_DOCUMENT_PICTURES)}`;
  const choices = Array.from({ length: parts }, (_, at): Choice => [String(at + 1), rangeOf(at + 1)]);
  const hint = most(MAX_DOCUMENT_PICTURES);
  return selectField({ name: 'part', id: 'download-part', label: form.pictures, choices, hint }, EMPTY_FORM);
}

/** Routes of the downloads of sets and campaigns. Those of shared pages are in sharedRoutes.ts. */
export function addDownloadRoutes(pages: PageRoutes): void {
  const { options } = pages;
  for (const { route, ownerOf } of OWNER_PAGES) {
    const sourceOf = ({ request, viewer: { organizationId }, paths }: ViewerRequest): DownloadSource => {
      const owner = ownerOf(request);
      return { organizationId, owner, audience: 'organization', path: ownerPath(paths, owner), base: paths.base };
    };
    pages.get(`${route}/export`, (call) => startDownload(options, sourceOf(call), call), { cost: COST.heavy });
    pages.get(`${route}/exports/:export`, (call) => downloadPage(options, sourceOf(call), call));
  }
}
