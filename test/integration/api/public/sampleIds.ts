/** Makes the objects that the sample request of an operation needs. */
import { randomUUID } from 'node:crypto';
import type { ArtifactStore } from '../../../../src/artifacts/store.ts';
import { insertUser } from '../../../../src/core/people/users.ts';
import { DEFAULT_LIMITS } from '../../../../src/domain/limits.ts';
import type { SetStatus } from '../../../../src/domain/states.ts';
import { insertExportSet } from '../../../support/exportSet.ts';
import { idVariables, type NamedOperation, openApiDocument, operationsOf } from '../../../support/operations.ts';
import type { Json, TestApi } from '../../../support/publicApi.ts';
import { required } from '../../../support/required.ts';

export type SampleIds = Readonly<Record<string, string>>;
/** Runs the sample of another operation. @returns its answer. */
export type RunSample = (named: NamedOperation, ids: SampleIds) => Promise<Json>;

export const OPERATIONS = operationsOf(openApiDocument(DEFAULT_LIMITS).paths);

/** The status of the set that an operation needs, if it is not an approved one. */
const SET_STATUS: Readonly<Record<string, SetStatus>> = {
  approve: 'in_review',
  reject: 'in_review',
  cancel: 'capturing',
};

export async function sampleIds(
  given: { api: TestApi; artifacts: ArtifactStore; run: RunSample },
  named: NamedOperation,
): Promise<SampleIds> {
  const ids: Record<string, string> = {};
  const status = SET_STATUS[named.path.split('/').at(-1) ?? ''];
  for (const name of idVariables(named.path)) {
    if (name === 'SET_ID' || name === 'SCREENSHOT_ID') Object.assign(ids, await newSet(given, status));
    else if (name === 'AD_ID') ids[name] = await newCapturedAd(given.api);
    else if (name === 'CAMPAIGN_ID') ids[name] = await newCampaign(given, named.path.endsWith('/exports'));
    else if (name === 'DELIVERY_ID') ids[name] = await newDelivery(given.api);
    else if (name === 'MEMBER_ID') ids[name] = await newMember(given.api);
    else if (name === 'SITE_RULE_ID') ids[name] = await newSiteRule(given.api);
    else if (name === 'EVENT_ID') ids[name] = await newEvent(given.api);
    else ids[name] = await createdBySample(given, { named, name, ids });
  }
  for (const put of OPERATIONS) {
    // The object of a PUT must exist before it is read, checked or removed.
    const isAbove = put.method === 'PUT' && named.method !== 'PUT' && `${named.path}/`.startsWith(`${put.path}/`);
    if (isAbove) await given.run(put, ids);
  }
  return ids;
}

async function newAd(api: TestApi): Promise<string> {
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  return (await api.post('ads', { campaign: { name: 'Samples' }, ad: { media } })).json.id;
}

/** Only such an ad can be deleted. */
async function newCapturedAd(api: TestApi): Promise<string> {
  const id = await newAd(api);
  await api.store.db.updateTable('ads').set({ status: 'uploaded' }).where('id', '=', id).execute();
  return id;
}

/** @param hasPictures as an export needs them. */
async function newCampaign(
  { api, artifacts }: { api: TestApi; artifacts: ArtifactStore },
  hasPictures: boolean,
): Promise<string> {
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const ad = (await api.post('ads', { campaign: { name: `Samples ${randomUUID()}` }, ad: { media } })).json;
  const { db } = api.store;
  const { id } = await db.selectFrom('organizations').select('id').where('slug', '=', 'acme').executeTakeFirstOrThrow();
  const organization = { id, slug: 'acme', campaignId: ad.campaign_id };
  if (hasPictures) await insertExportSet({ db, artifacts, organization }, [{}]);
  return ad.campaign_id;
}

/** An organization has one rule for a host, so the sample cannot be repeated. */
async function newSiteRule(api: TestApi): Promise<string> {
  return (await api.post('site_rules', { host: `${randomUUID()}.example`, hide: ['#bar'] })).json.id;
}

async function newMember({ store: { db } }: TestApi): Promise<string> {
  const { id: organizationId } = await db
    .selectFrom('organizations')
    .select('id')
    .where('slug', '=', 'acme')
    .executeTakeFirstOrThrow();
  const userId = await insertUser(db, { email: null, name: 'Member' });
  const member = { organization_id: organizationId, user_id: userId, role: 'viewer' } as const;
  await db.insertInto('memberships').values(member).execute();
  return userId;
}

async function newSet({ api, artifacts }: { api: TestApi; artifacts: ArtifactStore }, status: SetStatus = 'approved') {
  const { db } = api.store;
  const adId = await newAd(api);
  const { organization_id: id, campaign_id: campaignId } = await db
    .selectFrom('ads')
    .select(['organization_id', 'campaign_id'])
    .where('id', '=', adId)
    .executeTakeFirstOrThrow();
  const set = await insertExportSet({ db, artifacts, organization: { id, slug: 'acme', campaignId } }, [{}], {
    status,
  });
  return { SET_ID: set.id, SCREENSHOT_ID: required(set.shots[0]) };
}

async function newDelivery(api: TestApi): Promise<string> {
  const { db } = api.store;
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const newAd = {
    campaign: { name: 'Samples' },
    ad: { media },
    subscribers: [{ webhook: { url: 'https://hook.example' } }],
  };
  const { id: ad_id } = (await api.post('ads', newAd)).json;
  const subscriber = await db
    .selectFrom('subscribers')
    .selectAll()
    .where('ad_id', '=', ad_id)
    .executeTakeFirstOrThrow();
  const { organization_id } = subscriber;
  const [id, event_id] = [randomUUID(), randomUUID()];
  const body = JSON.stringify({ data: { object: { type: 'ad', id: ad_id } } });
  await db.insertInto('events').values({ id: event_id, organization_id, topic: 'ad.uploaded', body }).execute();
  const ids = { id, organization_id, event_id, subscriber_id: subscriber.id, ad_id };
  const state = { channel: 'webhook', target: 'https://hook.example', status: 'gone', attempts: 1 } as const;
  await db
    .insertInto('deliveries')
    .values({ ...ids, ...state, finished_at: new Date() })
    .execute();
  return id;
}

async function newEvent(api: TestApi): Promise<string> {
  const { event_id } = (await api.get(`deliveries/${await newDelivery(api)}`)).json;
  return event_id;
}

/** Runs the sample that creates such an object: the POST of `…/exports` for `…/exports/{id}`. */
async function createdBySample(
  { run, api, artifacts }: { api: TestApi; artifacts: ArtifactStore; run: RunSample },
  { named, name, ids }: { named: NamedOperation; name: string; ids: SampleIds },
): Promise<string> {
  const collection = /([^/]+)\/\{[^}]+\}[^{]*$/.exec(named.path)?.[1] ?? '';
  const all = OPERATIONS.filter(({ method, path }) => method === 'POST' && path.endsWith(`/${collection}`));
  const creating = all.find(({ path }) => named.path.startsWith(path)) ?? all[0];
  if (creating === undefined) throw new Error(`No operation creates the object of ${name} in ${named.path}.`);
  const needed = { ...(await sampleIds({ run, api, artifacts }, creating)), ...ids };
  return (await run(creating, needed)).id;
}
