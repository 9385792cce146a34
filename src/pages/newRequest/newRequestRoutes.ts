/** Routes of the page of a new request. */
import { createHash } from 'node:crypto';
import { costOfPictures } from '../../api/limits/costs.ts';
import { noteQuota } from '../../api/server/accessLog.ts';
import { fileReceiver, type ReceiveFile } from '../../api/uploads/receiveUpload.ts';
import type { JsonObject } from '../../contract/faults.ts';
import { type ParsedScreenshotRequest, screenshotRequestParser } from '../../contract/parseScreenshotRequest.ts';
import { insertAds } from '../../core/ads/insertAds.ts';
import { moveDraftAds, readDraftAds } from '../../core/ads/readAd.ts';
import { acceptScreenshotRequest } from '../../core/requests/acceptScreenshotRequest.ts';
import { type IdempotentCall, keepAnswer, takeKey } from '../../core/requests/idempotency.ts';
import { listCampaigns } from '../../core/sets/campaigns.ts';
import type { Queryable } from '../../db/database.ts';
import { DRAFT_CAMPAIGN } from '../../domain/campaigns.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import { countWanted } from '../../domain/screenshots.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import type { PageRoutes, ViewerRequest } from '../pageRoutes.ts';
import { messagePage } from '../parts.ts';
import { addTyped, type ReceivedForm, receiveForm } from './creatives.ts';
import { adIdsOf, type Draft, FieldFaults, newDraft } from './draft.ts';
import { newRequestPage } from './newRequestPage.ts';
import { checkDraft } from './requestBody.ts';
import { readTemplates, removeChosenTemplate, saveAsTemplate, useTemplate } from './templates.ts';

interface FormRequest {
  readonly viewer: Viewer;
  /** The key of the form. */
  readonly key: string;
  readonly body: JsonObject;
  readonly adIds: readonly string[];
  /** Takes the cost of the pictures from the rate of the viewer's key. @throws Failure (429) */
  readonly charge: (cost: number) => Promise<void>;
}

interface Accepted {
  readonly organizationId: string;
  readonly parsed: ParsedScreenshotRequest;
  readonly adIds: readonly string[];
}

const CAMPAIGNS_OFFERED = 100;

export function addNewRequestRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const { store, artifacts, uploadLimits } = options;
  const receiveFile = fileReceiver({ db: store.db, artifacts, uploadLimits });
  pages.get('/o/:slug/new', (given) => openPage(options, given));
  pages.post('/o/:slug/new', (given) => handleForm(options, given, receiveFile), { readsBody: true });
}

/** The query may name ads (`ad`), a template and a campaign. */
async function openPage(options: PagesOptions, pageRequest: ViewerRequest): Promise<ResultsPage> {
  const { request, viewer } = pageRequest;
  if (!viewer.canWrite) return READ_ONLY;
  const values = (name: string) => [request.query[name] ?? []].flat().map(String);
  const adIds = adIdsOf(values('ad'));
  const [campaign = '', template = ''] = [values('campaign')[0], values('template')[0]];
  const draft = { ...newDraft(), adIds, campaign, template };
  const shown = template === '' ? { draft } : await useTemplate(options, viewer, draft);
  return show(options, pageRequest, shown);
}

const READ_ONLY = messagePage(
  'This key may only read',
  'To request pictures, sign out and sign in with a key that has the scope "write".',
  403,
);

interface Shown {
  readonly draft: Draft;
  readonly faults?: FieldFaults;
  readonly notice?: string | undefined;
}

async function show(options: PagesOptions, { viewer, paths }: ViewerRequest, shown: Shown): Promise<ResultsPage> {
  const { organizationId } = viewer;
  const { db } = options.store;
  const [ads, templates, campaigns] = await Promise.all([
    readDraftAds(db, { organizationId, ids: shown.draft.adIds }),
    readTemplates(options, viewer),
    listCampaigns(db, { organizationId }, { page: 1, perPage: CAMPAIGNS_OFFERED }),
  ]);
  const names = campaigns.rows.map(({ name }) => name).filter((name) => name !== DRAFT_CAMPAIGN);
  const faults = shown.faults ?? new FieldFaults();
  return newRequestPage({ viewer, paths, ads, templates, campaigns: names, ...shown, faults });
}

async function handleForm(
  options: PagesOptions,
  pageRequest: ViewerRequest,
  receiveFile: ReceiveFile,
): Promise<ResultsPage | 'sent'> {
  const received = await receiveForm(options, pageRequest, receiveFile);
  const typed = await addTyped(options, pageRequest.viewer, received.draft);
  const added = received.added + typed.ids.length;
  const draft = withAdded(received.draft, typed.ids);
  const form = { ...received, draft, added, faults: received.faults.with(typed.faults) };
  const shown = await act(options, pageRequest, form);
  return shown === 'sent' ? 'sent' : show(options, pageRequest, shown);
}

function withAdded(draft: Draft, ids: readonly string[]): Draft {
  if (ids.length === 0) return draft;
  return { ...draft, adIds: [...draft.adIds, ...ids], media: '', mediaName: '', mediaSize: '' };
}

const TEMPLATE_ACTIONS = {
  'template-use': useTemplate,
  'template-save': saveAsTemplate,
  'template-remove': removeChosenTemplate,
} as const;

const isTemplateAction = (action: string): action is keyof typeof TEMPLATE_ACTIONS =>
  Object.hasOwn(TEMPLATE_ACTIONS, action);

async function act(options: PagesOptions, pageRequest: ViewerRequest, form: ReceivedForm): Promise<Shown | 'sent'> {
  const { draft, action, added, faults } = form;
  if (isTemplateAction(action)) {
    const outcome = await TEMPLATE_ACTIONS[action](options, pageRequest.viewer, draft);
    return { ...outcome, faults: faults.with(outcome.faults) };
  }
  if (action.startsWith('remove:')) {
    const removed = action.slice('remove:'.length);
    return { draft: { ...draft, adIds: draft.adIds.filter((id) => id !== removed) }, faults };
  }
  if (action !== 'request') return { draft, faults, notice: addedText(added) };
  // A person sees each creative before anything is requested.
  if (added > 0) return { draft, faults, notice: `${addedText(added)} Look at it, then press the last button again.` };
  return request(options, pageRequest, form);
}

function addedText(added: number): string | undefined {
  if (added === 0) return undefined;
  return added === 1 ? 'One creative was added.' : `${added} creatives were added.`;
}

async function request(options: PagesOptions, pageRequest: ViewerRequest, form: ReceivedForm): Promise<Shown | 'sent'> {
  const { viewer, paths, response } = pageRequest;
  const { draft, faults } = form;
  const { organizationId } = viewer;
  const ads = await readDraftAds(options.store.db, { organizationId, ids: draft.adIds });
  const adIds = ads.map(({ id }) => id);
  const body = checkDraft(options, { draft: { ...draft, adIds }, ads, faults });
  if (faults.any) return { draft, faults };
  try {
    const charge = async (cost: number) => options.requestLimits?.take(viewer.keyId, cost, response);
    const setId = await submitRequest(options, { viewer, key: draft.key, body, adIds, charge });
    response.redirect(303, paths.set(setId));
    return 'sent';
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error;
    noteQuota(response, error.code);
    faults.addErrors(error.errors);
    return { draft, faults };
  }
}

/** Sent twice, the same form gives one set. @returns the id of the set. @throws Failure (422) with all faults. */
async function submitRequest(
  options: PagesOptions,
  { viewer, key, body, adIds, charge }: FormRequest,
): Promise<string> {
  const { organizationId } = viewer;
  const parsed = screenshotRequestParser(options.limits)(body);
  if (parsed.faults.any) throw invalid(parsed.faults.errors);
  await charge(costOfPictures(countWanted(parsed.entries)));
  const bodySha256 = createHash('sha256').update(JSON.stringify(body)).digest();
  // A person may go back and change the form. Then it is another request.
  const formKey = `${key} ${bodySha256.toString('hex')}`;
  const call: IdempotentCall = { organizationId, endpoint: 'pages/new', key: formKey, bodySha256 };
  return options.store.db.transaction().execute(async (tx) => {
    const kept = await takeKey(tx, call, { wait: true });
    if (kept !== undefined) return kept.text;
    const id = await accept(tx, options, { organizationId, parsed, adIds });
    await keepAnswer(tx, call, { status: 303, text: id });
    return id;
  });
}

async function accept(
  tx: Queryable,
  options: PagesOptions,
  { organizationId, parsed, adIds }: Accepted,
): Promise<string> {
  const { campaign, faults } = parsed;
  if (campaign === undefined) throw invalid(faults.errors);
  const found = await insertAds(tx, { organizationId, campaign, source: 'create_ad', ads: [] });
  if (found === undefined) throw new Error('unreachable: a campaign is found or created by its name');
  const toCampaignId = found.campaignId;
  await moveDraftAds(tx, { organizationId, ids: adIds, toCampaignId });
  const request = { organizationId, parsed: { ...parsed, campaign: { id: toCampaignId } } };
  return (await acceptScreenshotRequest(tx, request, options)).id;
}
