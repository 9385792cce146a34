/** Routes of the page of a new request. */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { COST, costOfPictures } from '../../api/limits/costs.ts';
import { noteQuota } from '../../api/server/accessLog.ts';
import { fileReceiver, type ReceiveFile } from '../../api/uploads/receiveUpload.ts';
import type { JsonObject } from '../../contract/faults.ts';
import { screenshotRequestParser } from '../../contract/readRequest.ts';
import { listAds } from '../../core/ads/listAds.ts';
import { readDraftAds } from '../../core/ads/readAd.ts';
import { rememberPlanWords } from '../../core/mediaPlans/planWords.ts';
import { acceptScreenshotRequest } from '../../core/requests/acceptScreenshotRequest.ts';
import { adoptRequest } from '../../core/requests/adoptRequest.ts';
import { deleteDraft, listDrafts } from '../../core/requests/drafts.ts';
import { type IdempotentCall, keepAnswer, takeKey } from '../../core/requests/idempotency.ts';
import { readCampaignSites } from '../../core/sets/campaignNews.ts';
import { readCampaign } from '../../core/sets/campaigns.ts';
import { invalid } from '../../domain/failure.ts';
import { countWanted } from '../../domain/screenshots.ts';
import { isUuid } from '../../domain/slugs.ts';
import { counted } from '../../domain/text.ts';
import { type Html, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { messagePage } from '../parts/layout.ts';
import { type PageRoutes, rateKeyOf, redirectTo, type ViewerRequest } from '../routes/pageRoutes.ts';
import { withoutChoice } from './choices.ts';
import { adIdsOf, type Draft, FieldFaults, newDraft } from './draft.ts';
import { keepDraft, keptDraft } from './keptDraft.ts';
import { newRequestPage } from './newRequestPage.ts';
import { readView, type Shown } from './newRequestView.ts';
import { addPlaceRoutes } from './placePage.ts';
import { addTyped, type ReceivedForm, receiveForm, withTyped } from './receiveForm.ts';
import { checkDraft } from './requestBody.ts';
import { actOnSaved, isSavedAction } from './saved.ts';
import { addSlotRoutes, openSlots } from './slotPage.ts';

interface FormRequest {
  /** The key of the form. */
  readonly key: string;
  readonly body: JsonObject;
  /** The draft stays for the whole request. */
  readonly isTrial: boolean;
}

export function addNewRequestRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const { store, artifacts, uploadLimits } = options;
  const receiveFile = fileReceiver({ db: store.db, artifacts, uploadLimits });
  pages.get('/o/:slug/new', (given) => openPage(options, given));
  pages.post('/o/:slug/new', (given) => handleForm(options, given, receiveFile), { readsBody: true });
  pages.post('/o/:slug/new/sample', (given) => requestSample(options, given, receiveFile), { cost: COST.heavy });
  addSlotRoutes(pages);
  addPlaceRoutes(pages);
}

const readSample = (name: string) => readFileSync(new URL(`./sample/${name}`, import.meta.url));

/** Requests a sample ad on a sample page. Both are files, so the first picture needs no internet. */
async function requestSample(options: PagesOptions, given: ViewerRequest, receiveFile: ReceiveFile): Promise<'sent'> {
  const { viewer, paths } = given;
  const upload = async (name: string, content: string | Buffer) => {
    const { row } = await receiveFile(viewer.organizationId, { name, chunks: Readable.from([Buffer.from(content)]) });
    return row.id;
  };
  const page = readSample('index.html').toString();
  // A given page loads nothing but its file.
  const whole = page.replaceAll(
    /(?<=src=")\w+\.webp/g,
    (name) => `data:image/webp;base64,${readSample(name).toString('base64')}`,
  );
  const site = { url: 'https://harbour-post.example', page: { upload_id: await upload('page.html', whole) } };
  const media = { type: 'upload', content: await upload('sample_300x250.html', readSample('banner.html')) };
  const screenshots = ['desktop', 'iphone'].map((name) => ({ site, device: { name } }));
  const body = { campaign: { name: 'Sample' }, screenshot_requests: [{ ad: { media }, screenshots }] };
  return redirectTo(given, paths.set(await submitRequest(options, given, { key: randomUUID(), body, isTrial: true })));
}

/** The draft of the tab (`draft`). The query may name more ads (`ad`), and a template and a campaign to begin with. */
async function openPage(options: PagesOptions, pageRequest: ViewerRequest): Promise<ResultsPage | 'sent'> {
  const { request, viewer, paths } = pageRequest;
  if (!viewer.canWrite) return READ_ONLY;
  const values = (name: string) => [request.query[name] ?? []].flat().map(String);
  const [key = ''] = values('draft');
  if (!isUuid(key)) {
    const query = new URL(request.originalUrl, 'http://localhost').searchParams;
    query.set('draft', randomUUID());
    return redirectTo(pageRequest, `${paths.newRequest}?${query}`);
  }
  const withAds = (draft: Draft) => ({ ...draft, adIds: adIdsOf([...draft.adIds, ...values('ad')]) });
  const kept = await keptDraft(options, viewer, key);
  if (kept !== undefined) return show(options, pageRequest, { draft: withAds(kept) });
  const begun = (await draftOfCampaign(options, viewer, values('of')[0] ?? '')) ?? newDraft();
  const [campaign = begun.campaign, template = ''] = [values('campaign')[0], values('template')[0]];
  const draft = withAds({ ...begun, key, campaign });
  if (template === '') return show(options, pageRequest, { draft, others: await listDrafts(options.store.db, viewer) });
  const form = { action: 'template-use', draft: { ...draft, template }, faults: new FieldFaults() } as const;
  return show(options, pageRequest, await actOnSaved(options, viewer, form));
}

/** A request of a campaign mostly shows what the campaign showed before. */
const OF_CAMPAIGN = { ads: 20, sites: 50 };

/** @returns a draft with the name, the newest ads and the sites of the campaign; undefined if there is none. */
async function draftOfCampaign(
  { store: { db } }: PagesOptions,
  { organizationId }: Viewer,
  id: string,
): Promise<Draft | undefined> {
  const campaign = isUuid(id) ? await readCampaign(db, { id, organizationId }) : undefined;
  if (campaign === undefined) return undefined;
  const filter = { organizationId, campaignId: id, status: 'uploaded' as const };
  const [ads, sites] = await Promise.all([
    listAds(db, filter, { page: 1, perPage: OF_CAMPAIGN.ads }),
    readCampaignSites(db, id, OF_CAMPAIGN.sites),
  ]);
  const lines = sites.map(({ site_url }) => site_url).join('\n');
  return { ...newDraft(), campaign: campaign.name, adIds: ads.rows.map((ad) => ad.id), sites: lines };
}

const READ_ONLY = messagePage(
  'You have read-only access',
  'To request pictures, you need the role manager or owner, or a key with the scope "write".',
  403,
);

const show = async (options: PagesOptions, given: ViewerRequest, shown: Shown): Promise<ResultsPage> =>
  newRequestPage(await readView(options, given, shown));

async function handleForm(
  options: PagesOptions,
  pageRequest: ViewerRequest,
  receiveFile: ReceiveFile,
): Promise<ResultsPage | 'sent'> {
  const { viewer } = pageRequest;
  const received = await receiveForm(options, pageRequest, receiveFile);
  const { organizationId } = viewer;
  const { words } = received;
  if (Object.keys(words).length > 0)
    await options.store.db
      .transaction()
      .execute((tx) => rememberPlanWords(tx, { organizationId, words }, pageRequest.actor));
  // The script of the page saves what is typed. Nothing is added until the person asks for it.
  const shown = received.action === 'save' ? received : await addAndAct(options, pageRequest, received);
  if (shown === 'sent') return 'sent';
  if (!received.isWhole) return show(options, pageRequest, shown);
  await keepDraft(options, viewer, shown.draft, received.faults);
  return show(options, pageRequest, shown);
}

async function addAndAct(options: PagesOptions, pageRequest: ViewerRequest, received: ReceivedForm) {
  const { draft, faults } = received;
  const { viewer } = pageRequest;
  const ids = await addTyped(options, viewer, draft, faults);
  const adIds = [...draft.adIds, ...ids];
  const added = ids.length === 0 ? draft : { ...draft, adIds, media: '', mediaName: '', mediaSize: '' };
  const typed = await withTyped(viewer, added, faults);
  return act(options, pageRequest, { ...received, draft: typed, added: received.added + ids.length });
}

async function act(options: PagesOptions, pageRequest: ViewerRequest, form: ReceivedForm): Promise<Shown | 'sent'> {
  const { viewer, paths } = pageRequest;
  const { draft, action, added, faults } = form;
  if (isSavedAction(action)) return actOnSaved(options, viewer, { action, draft, faults });
  const [verb, subject = ''] = action.split(/:(.*)/s);
  switch (verb) {
    case 'remove':
      return { draft: { ...draft, adIds: draft.adIds.filter((id) => id !== subject) }, faults };
    case 'use':
      return { draft: { ...draft, adIds: adIdsOf([...draft.adIds, subject]) }, faults };
    case 'plan-remove':
      return { draft: { ...draft, plan: null }, faults };
    case 'slot':
    case 'file':
      return openSlots(options, pageRequest, { draft, faults });
    case 'choice-clear':
      return { draft: { ...draft, ...withoutChoice(draft, subject) }, faults };
    case 'clear':
      await deleteDraft(options.store.db, viewer, draft.key);
      return redirectTo(pageRequest, paths.newRequest);
  }
  if (action !== 'request' && action !== 'try') return { draft, faults, notice: addedText(form) };
  // A person sees each ad before anything is requested.
  if (added > 0)
    return {
      draft,
      faults,
      notice: html`${addedText(form)} Check what was added, then request the pictures again.`,
    };
  return request(options, pageRequest, form);
}

/** The script of the page adds up the counts of several files. */
function addedText({ added, reused }: ReceivedForm): Html | undefined {
  if (added === 0) return undefined;
  const text = html`<span data-added="${added}">${counted(added, 'ad')} ${added === 1 ? 'was' : 'were'} added.</span>`;
  if (reused.length === 0) return text;
  const known = reused.length === 1 ? `The ad of ${reused[0]}` : `The ads of ${reused.length} files`;
  return html`${text} ${known} already existed and will be reused.`;
}

async function request(options: PagesOptions, pageRequest: ViewerRequest, form: ReceivedForm): Promise<Shown | 'sent'> {
  const { viewer, paths, response } = pageRequest;
  const { draft, faults } = form;
  const { organizationId } = viewer;
  const isTrial = form.action === 'try';
  const ads = await readDraftAds(options.store.db, { organizationId, ids: draft.adIds });
  const body = await checkDraft(options, { organizationId, draft, ads, faults, isTrial });
  if (faults.any) return { draft, faults };
  try {
    if (isTrial) await keepDraft(options, viewer, draft, faults);
    const setId = await submitRequest(options, pageRequest, { key: draft.key, body, isTrial });
    response.redirect(303, paths.set(setId));
    return 'sent';
  } catch (error) {
    noteQuota(response, faults.addFailure(error).code);
    return { draft, faults };
  }
}

/** Sent twice, the same form gives one set. @returns the id of the set. @throws Failure: 422 with all faults, 429 */
async function submitRequest(
  options: PagesOptions,
  { viewer, actor, response }: ViewerRequest,
  { key, body, isTrial }: FormRequest,
): Promise<string> {
  const { organizationId } = viewer;
  const parsed = screenshotRequestParser(options.limits)(body);
  if (parsed.faults.any) throw invalid(parsed.faults.errors);
  await options.requestLimits?.take(rateKeyOf(viewer), costOfPictures(countWanted(parsed.entries)), response);
  const bodySha256 = createHash('sha256').update(JSON.stringify(body)).digest();
  // A person may go back and change the form. Then it is another request.
  const formKey = `${key} ${bodySha256.toString('hex')}`;
  const callerId = viewer.userId ?? viewer.keyId ?? '';
  const call: IdempotentCall = { organizationId, callerId, endpoint: 'pages/new', key: formKey, bodySha256 };
  return options.store.db.transaction().execute(async (tx) => {
    const kept = await takeKey(tx, call, { wait: true });
    if (kept !== undefined) return kept.text;
    const adopted = await adoptRequest(tx, { organizationId, parsed });
    const { id } = await acceptScreenshotRequest(tx, { organizationId, parsed: adopted, actor }, options);
    await keepAnswer(tx, call, { status: 303, text: id });
    if (!isTrial) await deleteDraft(tx, viewer, key);
    return id;
  });
}
