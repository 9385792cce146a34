/** Routes of the page of a new request. */
import type { Router } from 'express';
import { noteQuota } from '../api/server/accessLog.ts';
import { fileReceiver, type ReceiveFile } from '../api/uploads/receiveUpload.ts';
import { readDraftAds } from '../core/ads/readAd.ts';
import { listCampaigns } from '../core/sets/campaigns.ts';
import { DRAFT_CAMPAIGN } from '../domain/campaigns.ts';
import { Failure } from '../domain/failure.ts';
import type { PagesOptions, ResultsPage } from './context.ts';
import { messagePage } from './messagePages.ts';
import { checkDraft } from './newRequest/checkDraft.ts';
import { addTyped } from './newRequest/creatives.ts';
import { adIdsOf, type Draft, newDraft } from './newRequest/draft.ts';
import { FieldFaults } from './newRequest/fieldFaults.ts';
import { newRequestPage } from './newRequest/newRequestPage.ts';
import { type ReceivedForm, receiveForm } from './newRequest/receiveForm.ts';
import { submitRequest } from './newRequest/submitRequest.ts';
import { readTemplates, removeChosenTemplate, saveAsTemplate, useTemplate } from './newRequest/templates.ts';
import type { ViewerRequest } from './pageHandlers.ts';
import type { RouteTools } from './routing.ts';

const CAMPAIGNS_OFFERED = 100;

export function addNewRequestRoutes(router: Router, options: PagesOptions, { handlers }: RouteTools): void {
  const { store, artifacts, uploadLimits } = options;
  const receiveFile = fileReceiver({ db: store.db, artifacts, uploadLimits });
  router.get(
    '/o/:slug/new',
    handlers.page('organization', (pageRequest) => openPage(options, pageRequest)),
  );
  router.post(
    '/o/:slug/new',
    handlers.page('organization', (pageRequest) => handleForm(options, pageRequest, receiveFile)),
  );
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
