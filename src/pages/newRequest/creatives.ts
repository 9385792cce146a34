/**
 * Creatives of the page of a new request. Each becomes an ad of create-ad in the campaign of drafts, so that the service renders it
 * before anything is requested. The request then moves the ad into its campaign.
 */

import { type FormFields, readMultipartForm } from '../../api/uploads/multipart.ts';
import type { ReceiveFile } from '../../api/uploads/receiveUpload.ts';
import { type ParsedCreateAd, parseCreateAd } from '../../contract/parseScreenshotRequest.ts';
import { acceptAd } from '../../core/requests/acceptAd.ts';
import type { StoredUpload } from '../../core/uploads/uploads.ts';
import type { Media } from '../../domain/ads.ts';
import { DRAFT_CAMPAIGN } from '../../domain/campaigns.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import { isBlank } from '../../domain/text.ts';
import { uploadName } from '../../domain/uploads.ts';
import type { PagesOptions, Viewer } from '../context.ts';
import { requireOwnForm } from '../forms.ts';
import type { ViewerRequest } from '../pageRoutes.ts';
import { CREATIVES_MAX, type Draft, FieldFaults, readDraft, sentenceOf } from './draft.ts';

const MEBIBYTE = 1024 ** 2;
/** A tag may have 1 MiB. */
const LIMITS = { files: 50, fields: 300, fieldBytes: 1.5 * MEBIBYTE, allFieldBytes: 4 * MEBIBYTE };

export interface ReceivedForm {
  /** With the ads of the files. */
  readonly draft: Draft;
  readonly action: string;
  /** Number of files that became creatives. */
  readonly added: number;
  /** Faults of files. The other files were added. */
  readonly faults: FieldFaults;
}

/** Stores one ad. @returns its id. @throws Failure (422) */
async function addAd(options: PagesOptions, viewer: Viewer, parsed: ParsedCreateAd): Promise<string> {
  const { organizationId } = viewer;
  const { row } = await options.store.db
    .transaction()
    .execute((tx) => acceptAd(tx, { organizationId, parsed, source: 'draft' }, options));
  return row.id;
}

interface NewCreative {
  readonly media: Media;
  readonly name?: string;
  readonly size?: { readonly width: number; readonly height: number } | undefined;
}

/** @throws Failure (422) with all faults of this creative. */
function parseCreative({ limits }: PagesOptions, { media, name = '', size }: NewCreative): ParsedCreateAd {
  const ad = { media, ...(!isBlank(name) && { name }), ...(size && { size }) };
  const parsed = parseCreateAd({ campaign: { name: DRAFT_CAMPAIGN }, ad }, limits);
  const errors = { ...parsed.faults.errors, ...parsed.ad?.faults };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return parsed;
}

function addUploaded(options: PagesOptions, viewer: Viewer, { row }: StoredUpload): Promise<string> {
  return addAd(options, viewer, parseCreative(options, { media: { type: 'upload', content: row.id } }));
}

/** @returns why a file was not added, as a sentence. @throws any error that is no fault of the file. */
function fileFault(name: string, error: unknown): string {
  if (!(error instanceof Failure) || error.status >= 500) throw error;
  const texts = Object.values(error.errors).flat();
  return texts.map((text) => `${name}: ${sentenceOf('The file', text)}`).join(' ');
}

/**
 * Adds the addresses or the tag of the text field. If there is a fault, nothing is added.
 * @returns the ids of the new ads.
 */
export async function addTyped(
  options: PagesOptions,
  viewer: Viewer,
  draft: Draft,
): Promise<{ ids: readonly string[]; faults: FieldFaults }> {
  const faults = new FieldFaults();
  const size = readSize(draft.mediaSize, faults);
  const parsed = typedMedia(draft.media).flatMap((media) => {
    try {
      return [parseCreative(options, { media, name: draft.mediaName, size })];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      faults.addErrors(error.errors);
      return [];
    }
  });
  if (draft.adIds.length + parsed.length > CREATIVES_MAX)
    faults.add('media', `A request on this page has at most ${CREATIVES_MAX} creatives.`);
  if (faults.any) return { ids: [], faults };
  const ids: string[] = [];
  for (const one of parsed) ids.push(await addAd(options, viewer, one));
  return { ids, faults };
}

/** Markup is one tag. Anything else is one address a line. */
function typedMedia(text: string): Media[] {
  if (isBlank(text)) return [];
  if (text.includes('<')) return [{ type: 'html_tag', content: text }];
  return text
    .split('\n')
    .filter((line) => !isBlank(line))
    .map((content) => ({ type: 'url', content: content.trim() }));
}

function readSize(text: string, faults: FieldFaults): { width: number; height: number } | undefined {
  if (isBlank(text)) return undefined;
  const [, width, height] = /^\s*(\d{1,5})\s*[x×*]\s*(\d{1,5})\s*$/i.exec(text) ?? [];
  if (width !== undefined && height !== undefined) return { width: Number(width), height: Number(height) };
  faults.add('media', 'The size must be width × height in pixels, for example 300x250.');
  return undefined;
}

/** @throws Failure 400, 403, 413 */
export async function receiveForm(
  options: PagesOptions,
  { request, viewer }: ViewerRequest,
  receiveFile: ReceiveFile,
): Promise<ReceivedForm> {
  const faults = new FieldFaults();
  const ids: string[] = [];
  const requireOwn = (fields: FormFields) => {
    request.body = Object.fromEntries([...fields].map(([name, [value]]) => [name, value]));
    requireOwnForm(options, request, { viewer, scope: 'write' });
  };
  const fields = await readMultipartForm(request, LIMITS, async ({ name, chunks }, before) => {
    // A file of another site is not stored.
    requireOwn(before);
    // A browser sends one empty part if no file was chosen.
    if (name === '') return;
    if ((before.get('ad') ?? []).length + ids.length >= CREATIVES_MAX) {
      faults.add(
        'creatives',
        `${uploadName(name)} was not added: a request on this page has at most ${CREATIVES_MAX}.`,
      );
      return;
    }
    try {
      ids.push(await addUploaded(options, viewer, await receiveFile(viewer.organizationId, { name, chunks })));
    } catch (error) {
      faults.add('creatives', fileFault(uploadName(name), error));
    }
  });
  requireOwn(fields);
  const draft = readDraft(fields);
  const action = fields.get('action')?.at(-1) ?? 'check';
  return { draft: { ...draft, adIds: [...draft.adIds, ...ids] }, action, added: ids.length, faults };
}
