/** Downloads of a set: starting one, and the page that says how far its file is. Neither needs a script. */
import type { Request, Response } from 'express';
import { COST } from '../../api/limits/costs.ts';
import { ExportQuery, exportOptions } from '../../contract/exports.ts';
import { type ExportRow, findExport } from '../../core/exports/exportQueries.ts';
import { requestExport, waitForExport } from '../../core/exports/exports.ts';
import { readBranding } from '../../core/organizations/branding.ts';
import {
  EXPORT_FORMATS,
  type ExportAudience,
  type ExportFormat,
  MAX_DOCUMENT_PICTURES,
  partsOf,
} from '../../domain/exports.ts';
import { Failure } from '../../domain/failure.ts';
import { FRAMES, type Frame } from '../../domain/frames.ts';
import { isUuid } from '../../domain/slugs.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { type Choice, checkbox, EMPTY_FORM, selectField } from '../parts/formFields.ts';
import { idOf, type PageRoutes, type ViewerRequest } from '../routes/pageRoutes.ts';

const FORMATS: Readonly<Record<ExportFormat, string>> = {
  pptx: 'PowerPoint (PPTX)',
  pdf: 'PDF',
  zip: 'Original pictures (ZIP)',
};

const FRAME_NAMES: Readonly<Record<Frame, string>> = {
  browser: 'Browser window with address and time',
  device: 'Phone or tablet; browser window for desktop',
};

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
}

const WAIT_MS = 1_500;
const REFRESH_SECONDS = 2;

/** Whose pictures a page offers. */
export interface DownloadSource {
  readonly organizationId: string;
  readonly setId: string;
  readonly audience: ExportAudience;
  readonly approvedOnly?: boolean;
  /** Only these screenshots, for a link that shows no others. */
  readonly ids?: readonly string[] | null;
  /** Path of the page that offers the downloads; the paths of the downloads are below it. */
  readonly path: string;
  /** '' or the prefix of the service. */
  readonly base: string;
}

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
  const { organizationId, setId, audience } = source;
  const query = ExportQuery.safeParse(request.query);
  if (!query.success) throw unknownDownload();
  const { format, frame, part, time_zone } = query.data;
  // A few files are enough for all readers of a link.
  const choice = audience === 'shared' ? { format, frame, part } : { ...query.data, time_zone };
  const options = exportOptions(choice, await readBranding(store.db, organizationId), source);
  const requested = await requestExport(store.db, { organizationId, setId, options }, queue);
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
  const body = html`<section class="signin"><h1>Download</h1><p class="address">${row.file_name}</p>${state(row, source)}
<p><a href="${source.path}">Back to the pictures</a></p></section>`;
  return { title: row.file_name, body };
}

async function findDownload(
  { store }: PagesOptions,
  { organizationId, setId, audience, approvedOnly = false, ids }: DownloadSource,
  request: Request,
): Promise<ExportRow | undefined> {
  const id = String(request.params['export']).toLowerCase();
  const row = isUuid(id) ? await findExport(store.db, { id, organizationId }) : undefined;
  if (row?.set_id !== setId || row.options.audience !== audience) return undefined;
  // A link opens only files with its pictures.
  const isSame =
    (row.options.approved_only === true) === approvedOnly && `${row.options.screenshot_ids}` === `${ids ?? undefined}`;
  return isSame || audience === 'organization' ? row : undefined;
}

function state(row: ExportRow, source: DownloadSource): HtmlContent {
  switch (row.status) {
    case 'ready':
      return html`<p>The file is ready and the download starts. <a href="${fileOf(row, source)}">Download it again</a></p>`;
    case 'failed':
      return html`<p class="fault">${failureOf(row, source)}</p>`;
    case 'expired':
      return html`<p>This file was removed. Start the download again.</p>`;
    default:
      return progress(row);
  }
}

function progress({ done, total }: ExportRow): Html {
  return html`<div class="progress"><progress value="${done}" max="${total}" aria-label="Pictures in the file"></progress>
<p>${done} of ${total} pictures are in the file. The download starts when it is ready.</p></div>`;
}

/** Readers of a share link do not see internal reasons. */
function failureOf({ reason }: ExportRow, { audience }: DownloadSource): string {
  const text = audience === 'shared' ? null : reason;
  return text ?? 'The file could not be built. Start the download again later.';
}

function sendState(response: Response, row: ExportRow, source: DownloadSource): void {
  const { status, done, total, file_name } = row;
  const url = status === 'ready' ? fileOf(row, source) : null;
  const reason = status === 'failed' ? failureOf(row, source) : null;
  const page = `${source.path}/exports/${row.id}`;
  response.set('Cache-Control', 'no-store').json({ status, done, total, file_name, url, page, reason });
}

const isOpen = ({ status }: ExportRow) => status === 'pending' || status === 'building';
const fileOf = ({ token, file_name }: ExportRow, { base }: DownloadSource) => `${base}/e/${token}/${file_name}`;

const unknownDownload = () =>
  new Failure({ status: 422, code: 'invalid', errors: { format: [`must be one of: ${EXPORT_FORMATS.join(', ')}.`] } });

/** With the asset downloads.js, the reader stays on the page. */
export function downloadForm({ path, pictures, isShared, picked, chooser }: PanelOptions): Html {
  const formats = EXPORT_FORMATS.map((format): Choice => [format, FORMATS[format]]);
  const frames: Choice[] = [['none', 'None'], ...FRAMES.map((frame): Choice => [frame, FRAME_NAMES[frame]])];
  return html`<form class="stack" method="get" action="${path}/export" data-download>
  ${picked && !chooser && html`<input type="hidden" name="screenshots" value="${picked.join(',')}">`}
  ${selectField({ name: 'format', id: 'download-format', label: 'Format', choices: formats }, EMPTY_FORM)}
  ${selectField({ name: 'frame', id: 'download-frame', label: 'Frame', choices: frames, value: 'device' }, EMPTY_FORM)}
  ${partChoice(pictures)}
  ${
    !isShared &&
    html`${checkbox({ name: 'label', value: 'false', label: 'Leave out the label “Placement preview”', isChecked: false })}
  ${checkbox({ name: 'failures', value: 'true', label: 'Add failures and the creative check, for your team', isChecked: false })}`
  }
  ${chooser && (picked ? chooser : html`<details><summary>Choose and order pictures</summary>${chooser}</details>`)}
  ${button({ label: 'Download', icon: 'download', kind: 'primary' })}
</form>
<div role="status" data-download-state></div>`;
}

function partChoice(pictures: number): HtmlContent {
  const parts = partsOf('pptx', pictures);
  if (parts === 1) return null;
  const range = (part: number) =>
    `${(part - 1) * MAX_DOCUMENT_PICTURES + 1} to ${Math.min(pictures, part * MAX_DOCUMENT_PICTURES)}`;
  const choices = Array.from({ length: parts }, (_, at): Choice => [String(at + 1), range(at + 1)]);
  const hint = `A PowerPoint or PDF file holds ${MAX_DOCUMENT_PICTURES} pictures. A ZIP file holds all.`;
  return selectField({ name: 'part', id: 'download-part', label: 'Pictures', choices, hint }, EMPTY_FORM);
}

/** Routes of the downloads of a set. Those of shared pages are in sharedRoutes.ts. */
export function addDownloadRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/screenshot_sets/:id';
  pages.get(`${path}/export`, (call) => startDownload(options, sourceOf(call), call), { cost: COST.heavy });
  pages.get(`${path}/exports/:export`, (call) => downloadPage(options, sourceOf(call), call));
}

function sourceOf({ request, viewer, paths }: ViewerRequest): DownloadSource {
  const setId = idOf(request);
  const { organizationId } = viewer;
  return { organizationId, setId, audience: 'organization', path: paths.set(setId), base: paths.base };
}
