/** The request that a schedule repeats: a body of the API, a template or the screenshots of a set. */
import { isObject, type JsonObject } from '../../contract/faults.ts';
import { screenshotRequestParser } from '../../contract/readRequest.ts';
import { deviceRecord } from '../../contract/records.ts';
import type { RequestSource } from '../../contract/schedules.ts';
import type { Queryable } from '../../db/database.ts';
import type { ObjectRef } from '../../db/rows.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import { readSubscribersAsGiven } from '../journal/subscriberRows.ts';
import { type AcceptanceContext, storeRequestedAds } from '../requests/acceptScreenshotRequest.ts';
import { adoptRequest } from '../requests/adoptRequest.ts';
import { findNamed } from '../requests/savedObjects.ts';
import { readSetHead } from '../sets/readSet.ts';
import { type RetakeSource, readRetakeSources } from '../sets/readVersions.ts';

const NOT_KEPT = 'they are secrets, and a schedule keeps none.';

/** In JSON, as for drafts. */
const REQUEST_MAX_BYTES = 2 * 1024 * 1024;

/**
 * Stores the campaign and the new ads of the request, which each run then uses.
 * @returns the body of the request, which names them by id.
 * @throws Failure: 409 as `storeNewAds`, 422 with all faults, below the name of the source.
 */
export async function storeRepeatedRequest(
  tx: Queryable,
  { organizationId, source }: { readonly organizationId: string; readonly source: RequestSource },
  { limits, queue }: AcceptanceContext,
): Promise<{ readonly campaignId: string; readonly json: string }> {
  try {
    const body = await bodyOf(tx, organizationId, source);
    const read = screenshotRequestParser(limits)(body);
    read.faults.rejectIfFull();
    if (read.entries.some(({ screenshots }) => screenshots.some(({ access }) => access)))
      throw invalid({ screenshot_requests: [`must have no cookies and headers of pages: ${NOT_KEPT}`] });
    if (read.entries.some(({ screenshots }) => screenshots.some(({ options }) => options.givenPage)))
      throw invalid({ screenshot_requests: ['must have no files as pages: a schedule opens its pages at each run.'] });
    const isOwn = 'request' in source || read.faults.any;
    const parsed = isOwn ? read : await adoptRequest(tx, { organizationId, parsed: read });
    const { campaignId, adIds } = await storeRequestedAds(tx, { organizationId, parsed, limits, source: 'create_ad' });
    // Renders the previews of new ads.
    await queue.enqueue(tx, 'launch', { organization_id: organizationId });
    const entries = [body['screenshot_requests']].flat().filter(isObject);
    const screenshot_requests = entries.map((entry, index) => ({ ...entry, ad: { id: adIds[index] } }));
    const json = JSON.stringify({ ...body, campaign: { id: campaignId }, screenshot_requests });
    if (Buffer.byteLength(json) > REQUEST_MAX_BYTES)
      throw invalid({ screenshot_requests: ['are too large to be repeated: make several schedules.'] });
    return { campaignId, json };
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 422) throw error;
    const [name] = Object.keys(source);
    throw invalid(Object.fromEntries(Object.entries(error.errors).map(([path, texts]) => [`${name}.${path}`, texts])));
  }
}

async function bodyOf(tx: Queryable, organizationId: string, source: RequestSource): Promise<JsonObject> {
  if ('request' in source) return source.request;
  if ('template' in source) return templateBody(tx, { organizationId, id: source.template });
  return setBody(tx, { organizationId, id: source.screenshot_set });
}

/** Each ad of the template on each of its sites and devices. @throws Failure (422) */
async function templateBody(tx: Queryable, named: ObjectRef): Promise<JsonObject> {
  const template = await findNamed(tx, 'request_templates', named);
  if (template === undefined) throw invalid({ id: ['is not the id of a template of this organization.'] });
  const { ads = [], group, campaign, instructions, devices, options, site_list: list, sites: own } = template.body;
  const saved = list && (await findNamed(tx, 'site_lists', { ...named, id: list.id }));
  const sites = [...own, ...(saved?.body.sites ?? [])];
  const parts = { ads: ads.length, sites: sites.length, devices: devices.length, campaign };
  const missing = Object.entries(parts).flatMap(([name, part]) => (part ? [] : [name]));
  if (missing.length > 0)
    throw invalid({ id: [`is the id of a template without ${missing.join(', ')}: save it with all of them first.`] });
  const screenshots = sites.flatMap((site) =>
    devices.map(({ name }) => ({ site, device: deviceRecord(name), options })),
  );
  return { campaign, instructions, screenshot_requests: ads.map(({ id }) => ({ ad: { id }, group, screenshots })) };
}

const optionsOf = ({ markerMs, options }: RetakeSource) => ({
  ad: { frames: markerMs === null ? [] : [{ marker: markerMs / 1000 }], allow_scaling: options.allowScaling },
  ...{ slot: options.slot, animation: options.animation },
  page: { other_ads: options.otherAds, full_page: options.fullPage, view: options.view, location: options.location },
});

/** The screenshots of a set, one object for each. @throws Failure (422) */
async function setBody(tx: Queryable, named: ObjectRef): Promise<JsonObject> {
  const set = await readSetHead(tx, named);
  if (set === undefined) throw invalid({ id: ['is not the id of a set of this organization.'] });
  const sources = await readRetakeSources(tx, set.id);
  if (sources.some(({ access }) => access))
    throw invalid({ id: [`is the id of a set with cookies or headers of pages: ${NOT_KEPT}`] });
  if (sources.some(({ options }) => options.givenPage))
    throw invalid({ id: ['is the id of a set with files as pages: a schedule opens its pages at each run.'] });
  const byEntry = Map.groupBy(sources, ({ adId, options: { group } }) => JSON.stringify([adId, group]));
  const subscribers = (await readSubscribersAsGiven(tx, set.id)).map(({ webhook, s3 }) => ({
    webhook,
    s3: s3 && { bucket: s3.bucket, region: s3.region, key_prefix: s3.keyPrefix, connector: s3.connector },
  }));
  const { campaign_id: id, instructions, metadata } = set;
  const screenshot_requests = [...byEntry.values()].map((pictures) => ({
    ad: { id: pictures[0]?.adId },
    group: pictures[0]?.options.group,
    screenshots: pictures.map((picture) => ({
      site: { url: picture.siteUrl },
      device: deviceRecord(picture.device),
      options: optionsOf(picture),
    })),
  }));
  return { campaign: { id }, screenshot_requests, subscribers, instructions, metadata };
}
