/**
 * Receives the form of a new request. Each new file, address or tag becomes an ad of create-ad in the campaign of drafts, so that
 * the service renders it before anything is requested. The request then moves the ad into its campaign.
 */

import { type FormFields, type FormFile, readMultipartForm } from '../../api/uploads/multipart.ts';
import type { ReceiveFile } from '../../api/uploads/receiveUpload.ts';
import type { JsonObject } from '../../contract/faults.ts';
import { createAdParser, type ParsedCreateAd } from '../../contract/readRequest.ts';
import { findAdOfFile } from '../../core/ads/sameContent.ts';
import type { readSites } from '../../core/mediaPlans/readSites.ts';
import { acceptAd } from '../../core/requests/acceptAd.ts';
import type { StoredUpload } from '../../core/uploads/uploads.ts';
import type { Media } from '../../domain/ads.ts';
import { DRAFT_CAMPAIGN } from '../../domain/campaigns.ts';
import { completeOwnDevice, findDevice, ownDeviceFaults, ownDeviceName } from '../../domain/devices.ts';
import { invalid } from '../../domain/failure.ts';
import { PLAN_LIMITS, type PlanWords } from '../../domain/mediaPlans.ts';
import { isBlank, storable } from '../../domain/text.ts';
import { isPageFile, uploadName } from '../../domain/uploads.ts';
import { sentFiles } from '../../fileReader/fileReader.ts';
import { moduleBeside } from '../../lib/moduleBeside.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { requireOwnForm } from '../parts/forms.ts';
import type { ViewerRequest } from '../routes/pageRoutes.ts';
import { pageOfForm, withFile } from './choices.ts';
import { ADS_MAX, type Draft, draftOf, FieldFaults } from './draft.ts';
import { keptDraft } from './keptDraft.ts';
import type { readPlan } from './readPlan.ts';

const MEBIBYTE = 1024 ** 2;
/** A tag may have 1 MiB. The rows of a plan that the page shows have more than a thousand cells. */
const LIMITS = { files: 52, fields: 3_000, fieldBytes: 1.5 * MEBIBYTE, allFieldBytes: 4 * MEBIBYTE };

export interface ReceivedForm {
  /** With the ads of the files. */
  readonly draft: Draft;
  /** A part of the form, with which the script of the page adds an ad, is not a draft to store. */
  readonly isWhole: boolean;
  /** The meanings of words of the plan. */
  readonly words: PlanWords;
  readonly action: string;
  /** Number of files that became ads. */
  readonly added: number;
  /** Names of files that were known, so that their ads were used again. */
  readonly reused: readonly string[];
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

/** @throws Failure (422) with all faults of this creative. */
function parseCreative({ limits }: PagesOptions, ad: JsonObject): ParsedCreateAd {
  const parsed = createAdParser(limits)({ campaign: { name: DRAFT_CAMPAIGN }, ad });
  const errors = { ...parsed.faults.errors, ...parsed.ad?.faults };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return parsed;
}

/** The same bytes are the same ad. */
async function addUploaded(options: PagesOptions, viewer: Viewer, { row }: StoredUpload) {
  const known = await findAdOfFile(options.store.db, { organizationId: viewer.organizationId, uploadId: row.id });
  const media = { type: 'upload', content: row.id } as const;
  return {
    id: known ?? (await addAd(options, viewer, parseCreative(options, { media }))),
    isKnown: known !== undefined,
  };
}

/**
 * Adds the addresses or the tag of the text field. If there is a fault, nothing is added.
 * @returns the ids of the new ads.
 */
export async function addTyped(
  options: PagesOptions,
  viewer: Viewer,
  draft: Draft,
  faults: FieldFaults,
): Promise<readonly string[]> {
  const size = readSize(draft.mediaSize, faults);
  const typed = typedMedia(draft.media);
  const parsed = typed.flatMap((media) => {
    try {
      const name = !isBlank(draft.mediaName) && { name: draft.mediaName };
      return [parseCreative(options, { media, ...name, ...(size && { size }) })];
    } catch (error) {
      faults.addFailure(error);
      return [];
    }
  });
  if (draft.adIds.length + parsed.length > ADS_MAX)
    faults.add('media', `A request on this page has at most ${ADS_MAX} ads.`);
  if (parsed.length < typed.length || faults.of('media').length > 0) return [];
  const ids: string[] = [];
  for (const one of parsed) ids.push(await addAd(options, viewer, one));
  return ids;
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

type Sender = Pick<Viewer, 'organizationId'>;

/** Reads a table that was pasted, and a custom device that was typed but not added. A text with a fault stays. */
export async function withTyped({ organizationId }: Sender, typed: Draft, faults: FieldFaults): Promise<Draft> {
  const draft = withOwnDevice(typed, faults);
  if (isBlank(draft.planText)) return draft;
  try {
    const plan = await sentFiles.read<typeof readPlan>(organizationId, READ_PLAN, () => draft.planText);
    return { ...draft, planText: '', plan };
  } catch (error) {
    faults.addFailure(error, 'plan');
    return draft;
  }
}

function withOwnDevice(draft: Draft, faults: FieldFaults): Draft {
  const { width, height, ratio, touch } = draft.own;
  if (isBlank(width + height + ratio)) return draft;
  const size = { width: Number(width), height: Number(height), ratio: isBlank(ratio) ? 1 : Number(ratio) };
  // If the box is not checked, the width decides.
  const device = completeOwnDevice({ ...size, touch: touch || undefined, userAgent: undefined });
  const found = Object.entries(ownDeviceFaults(device));
  for (const [name, text] of found) faults.add('devices', `The ${name} of your custom device ${text}`);
  if (![width, height].every((side) => /^\s*\d+\s*$/.test(side)) || Number.isNaN(size.ratio))
    faults.add('devices', 'A custom device needs a width and a height in whole pixels, and a ratio such as 2 or 2.63.');
  if (faults.of('devices').length > 0) return draft;
  const devices = [...new Set([...draft.devices, ownDeviceName(device)])];
  return { ...draft, devices, own: { width: '', height: '', ratio: '', touch: false } };
}

/** @returns at most a byte more than a table may have. */
async function bytesOf({ chunks }: FormFile): Promise<Buffer> {
  const read: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    if (bytes <= PLAN_LIMITS.bytes) read.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(read);
}

const TABLE = {
  seconds: 15,
  fault: (limit: string) => invalid({ plan: [`The table ${limit} to read: keep only its rows, and save it as CSV.`] }),
};
const READ_PLAN = { ...TABLE, module: moduleBeside(import.meta.url, './readPlan'), run: 'readPlan' };
const SITES_MODULE = moduleBeside(import.meta.url, '../../core/mediaPlans/readSites');
const READ_SITES = { ...TABLE, module: SITES_MODULE, run: 'readSites' };

/** @returns the changes of the draft that a table of sites, or a media plan, makes. */
async function readTableFile(
  { organizationId }: Sender,
  file: FormFile,
  faults: FieldFaults,
): Promise<(draft: Draft) => Draft> {
  const bytes = await bytesOf(file);
  const field = file.field === 'site_file' ? 'sites' : 'plan';
  try {
    if (field === 'plan') {
      const plan = await sentFiles.read<typeof readPlan>(organizationId, READ_PLAN, () => bytes);
      return (draft) => ({ ...draft, plan });
    }
    const { sites, faults: found } = await sentFiles.read<typeof readSites>(organizationId, READ_SITES, () => bytes);
    for (const { row, text } of found.slice(0, FAULTY_ROWS_SHOWN)) faults.add(field, `Row ${row} of the file: ${text}`);
    return (draft) => ({ ...draft, sites: withSites(draft.sites, sites) });
  } catch (error) {
    faults.addFailure(error, field);
    return (draft) => draft;
  }
}

const FAULTY_ROWS_SHOWN = 10;

/** @returns the text with more lines. */
export function withSites(text: string, sites: readonly string[]): string {
  const lines = [...text.split('\n').filter((line) => !isBlank(line)), ...sites];
  return [...new Set(lines)].map((line) => `${line}\n`).join('');
}

const NEW_PLAN = 'Another window added this plan to the draft: check it, or remove it.';
const OTHER_PLAN =
  'The plan in this form has since been sent, removed or replaced, perhaps in another window. Check the current plan, or add yours again.';

const NO_PAGE = 'is neither a screenshot (PNG, JPEG, WebP) nor a saved page (MHTML, HTML, zip).';

function wordsOf(fields: FormFields): PlanWords {
  const words = [...fields].flatMap(([name, [device = '']]): [string, string][] =>
    name.startsWith('word:') && findDevice(device) ? [[storable(name.slice('word:'.length)), device]] : [],
  );
  return Object.fromEntries(words);
}

/** @throws Failure 400, 403, 413 */
export async function receiveForm(
  options: PagesOptions,
  { request, viewer }: ViewerRequest,
  receiveFile: ReceiveFile,
): Promise<ReceivedForm> {
  const faults = new FieldFaults();
  const ids: string[] = [];
  const reused: string[] = [];
  const changes: ((draft: Draft) => Draft)[] = [];
  const requireOwn = (fields: FormFields) => {
    request.body = Object.fromEntries([...fields].map(([name, [value]]) => [name, value]));
    requireOwnForm(request, viewer.formToken);
  };
  const fields = await readMultipartForm(request, LIMITS, async (file, before) => {
    const { field, name, chunks } = file;
    // A file of another site is not stored.
    requireOwn(before);
    // A browser sends one empty part if no file was chosen.
    if (name === '') return;
    if (field === 'page_file') {
      try {
        const page = pageOfForm((of) => before.get(of)?.[0] ?? '');
        const { row } = await receiveFile(viewer.organizationId, { name, chunks });
        if (!isPageFile(row.format, row.content_type)) throw invalid({ page_file: [NO_PAGE] });
        const shown = { id: row.id, name: row.name, isScreenshot: row.format === 'image' };
        changes.push((draft) => ({ ...draft, ...withFile(draft, page, shown) }));
      } catch (error) {
        faults.addFailure(error, 'slots', uploadName(name));
      }
      return;
    }
    if (field !== 'files') {
      changes.push(await readTableFile(viewer, file, faults));
      return;
    }
    if ((before.get('ad') ?? []).length + ids.length >= ADS_MAX) {
      faults.add('ads', `${uploadName(name)} was not added: a request on this page has at most ${ADS_MAX}.`);
      return;
    }
    try {
      const added = await addUploaded(options, viewer, await receiveFile(viewer.organizationId, { name, chunks }));
      ids.push(added.id);
      if (added.isKnown) reused.push(uploadName(name));
    } catch (error) {
      faults.addFailure(error, 'ads', uploadName(name));
    }
  });
  requireOwn(fields);
  const isWhole = fields.has('key');
  const kept = await keptDraft(options, viewer, fields.get('key')?.[0] ?? '');
  const shownPlan = fields.get('plan_id')?.[0];
  if (isWhole && shownPlan !== kept?.plan?.id) faults.add('plan', shownPlan === undefined ? NEW_PLAN : OTHER_PLAN);
  const given = new Set(fields.get('ad') ?? []).size;
  if (given > ADS_MAX)
    faults.add('ads', `${given - ADS_MAX} ads were left out: a request here has at most ${ADS_MAX}.`);
  const typed = changes.reduce((draft, change) => change(draft), draftOf(fields, kept));
  const draft = { ...typed, adIds: [...new Set([...typed.adIds, ...ids])] };
  const action = fields.get('action')?.at(-1) ?? 'check';
  return { draft, isWhole, words: wordsOf(fields), action, added: ids.length, reused, faults };
}
