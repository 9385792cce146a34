import type { NewAdContent, ParsedEntry, ParsedScreenshotRequest } from '../../contract/readRequest.ts';
import type { Queryable } from '../../db/database.ts';
import type { Enqueuer } from '../../db/queue.ts';
import type { Row, SetRow } from '../../db/rows.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { invalid } from '../../domain/failure.ts';
import type { Limits } from '../../domain/limits.ts';
import { isHigher } from '../../domain/priorities.ts';
import { DEFAULT_QUOTAS, type DefaultQuotas, quotaExceeded } from '../../domain/quotas.ts';
import { countWanted, expandScreenshots, type Retaken } from '../../domain/screenshots.ts';
import { type FoundReferences, findReferences, type NewAd, newAd } from '../ads/insertAds.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { readHighestPriority } from '../organizations/organizations.ts';
import { countPictures } from '../organizations/usage.ts';
import { insertSet } from '../sets/insertSet.ts';
import { storeNewAds } from './acceptAd.ts';
import { addMissingConnectorFaults, addUnknownCampaignFault, lockUploads, type UploadNames } from './checks.ts';

/** The objects of a request that already exist. */
interface Existing {
  readonly campaignId: string | undefined;
  /** The id of the entry's ad, if it exists. */
  adOf(entry: ParsedEntry): string | undefined;
  /** File names of the uploads that new ads name, by the ids of the uploads. */
  readonly uploadNames: UploadNames;
}

interface Examined {
  readonly organizationId: string;
  readonly parsed: ParsedScreenshotRequest;
  readonly limits: Limits;
  /** `screenshot_request` unless given. */
  readonly source?: Row<'ads'>['source'];
}

/** A screenshot request that its parser has read. */
export interface RequestToAccept {
  readonly organizationId: string;
  readonly parsed: ParsedScreenshotRequest;
  /** The set that this request takes again. */
  readonly retakeOf?: Retaken | undefined;
  /** The schedule that makes this request. */
  readonly scheduleId?: string | undefined;
  /** Gets an entry in the audit log. A program's requests have none, because there are too many of them. */
  readonly actor?: Actor | undefined;
}

type StoredSet = Pick<SetRow, 'id' | 'campaign_id' | 'status' | 'metadata' | 'created_at' | 'priority'>;

export interface AcceptanceContext {
  readonly queue: Enqueuer;
  readonly limits: Limits;
  readonly quotas?: DefaultQuotas | undefined;
}

/** Stores campaign, ads, set, screenshots and subscribers, and asks for the set's admission. @throws Failure: 409 as `storeNewAds`, 422 with all faults, 429 over the quota of the day. */
export async function acceptScreenshotRequest(
  tx: Queryable,
  request: RequestToAccept,
  { queue, limits, quotas }: AcceptanceContext,
): Promise<StoredSet> {
  const { organizationId, parsed, retakeOf, scheduleId, actor } = request;
  const { campaignId, adIds } = await storeRequestedAds(tx, { organizationId, parsed, limits });
  const entries = parsed.entries.map(({ screenshots }, index) => ({ adId: adIds[index] ?? '', screenshots }));
  const pictures = expandScreenshots(entries, limits.screenshots);
  const { name, instructions, metadata, priority, subscribers } = parsed;
  const set = await insertSet(tx, {
    ...{ organizationId, campaignId, name, instructions, metadata, priority },
    ...{ pictures, subscribers, retakeOf, scheduleId },
  });
  await requireQuota(tx, { organizationId, quotas }, pictures.length);
  if (actor !== undefined) {
    const action = retakeOf === undefined ? 'screenshot_set.requested' : 'screenshot_set.retaken';
    const to = { pictures: pictures.length, retake_of_id: retakeOf?.id };
    await recordAction(tx, actor, { action, of: { organizationId, id: set.id }, to });
  }
  await queue.enqueue(tx, 'launch', { organization_id: organizationId });
  return { ...set, campaign_id: campaignId, status: 'draft', metadata };
}

/** @throws Failure (429) if the organization requested too many screenshots today. The transaction then stores nothing. */
export async function requireQuota(
  tx: Queryable,
  options: { readonly organizationId: string; readonly quotas?: DefaultQuotas | undefined },
  pictures: number,
): Promise<void> {
  const { organizationId, quotas = DEFAULT_QUOTAS } = options;
  const over = await countPictures(tx, { organizationId, pictures, defaultQuota: quotas.picturesPerDay });
  if (over !== undefined) throw quotaExceeded({ ...over, wanted: pictures });
}

interface RequestedAds {
  readonly campaignId: string;
  /** The ad of each entry, in the order of the entries. */
  readonly adIds: readonly string[];
}

/** Stores the campaign and the new ads of a request, and finds the others. @throws Failure: 409 as `storeNewAds`, 422 with all faults. */
export async function storeRequestedAds(tx: Queryable, options: Examined): Promise<RequestedAds> {
  const existing = await examineEntries(tx, options);
  const { organizationId, parsed, source = 'screenshot_request' } = options;
  const plan = parsed.entries.map((entry) => existing.adOf(entry) ?? newAdOf(entry, existing.uploadNames));
  const ads = plan.filter((planned) => typeof planned !== 'string');
  if (ads.length === 0 && existing.campaignId !== undefined) {
    return { campaignId: existing.campaignId, adIds: plan.filter((planned) => typeof planned === 'string') };
  }
  if (parsed.campaign === undefined) throw new Error('unreachable: an invalid body passed validation');
  const { campaign } = parsed;
  const given = { organizationId, campaign, source, ads };
  const { campaignId, existing: found } = await storeNewAds(tx, given, parsed.faults);
  const adIds = plan.map((planned) =>
    typeof planned === 'string' ? planned : (found.get(planned.lookupKey ?? '')?.id ?? planned.id),
  );
  return { campaignId, adIds };
}

function newAdOf({ ad }: ParsedEntry, uploadNames: UploadNames): NewAd {
  const content: NewAdContent | undefined = ad?.content;
  if (content === undefined) throw new Error('unreachable: an invalid entry passed validation');
  return newAd({ lookupKey: ad?.lookupKey, ...content, fileName: uploadNames.get(content.media.content) });
}

/** Finds the existing objects and adds the faults that depend on them. @throws Failure (422) with all faults. */
async function examineEntries(tx: Queryable, examined: Examined): Promise<Existing> {
  const { organizationId, parsed, limits } = examined;
  const { campaign, entries, subscribers, faults } = parsed;
  const resolved = await findReferences(tx, {
    organizationId,
    campaign,
    adIds: entries.flatMap(({ ad }) => ad?.id ?? []),
    lookupKeys: entries.flatMap(({ ad }) => ad?.lookupKey ?? []),
  });
  if (campaign !== undefined && 'id' in campaign && resolved.campaignId === undefined) addUnknownCampaignFault(faults);
  for (const entry of entries) addEntryFaults(entry, parsed, resolved);
  const adOf = ({ ad }: ParsedEntry) =>
    ad?.id === undefined ? resolved.adsByKey.get(ad?.lookupKey ?? '')?.id : ad.id.toLowerCase();
  const newAds = entries.filter((entry) => adOf(entry) === undefined);
  const uploadNames = await lockUploads(tx, { organizationId, newAds, entries, faults });
  const existing: Existing = { campaignId: resolved.campaignId, adOf, uploadNames };
  addTooManyFault(parsed, existing, limits);
  await addPriorityFault(tx, examined);
  await addMissingConnectorFaults(tx, { organizationId, subscribers, faults });
  if (faults.any) throw invalid(faults.errors);
  return existing;
}

function addEntryFaults(
  { ad, path }: ParsedEntry,
  { campaign, faults }: ParsedScreenshotRequest,
  resolved: FoundReferences,
): void {
  if (ad === undefined) return;
  if (ad.id === undefined) {
    if (!resolved.adsByKey.has(ad.lookupKey ?? '')) faults.addAll(ad.faults);
    return;
  }
  const row = resolved.adsById.get(ad.id.toLowerCase());
  if (row === undefined) {
    faults.add(`${path}.id`, 'is not the id of an ad of this organization.');
    return;
  }
  // An unknown campaign.id has its own fault. A campaign with a new name has no ads.
  const isCampaignKnown = resolved.campaignId !== undefined || (campaign !== undefined && 'name' in campaign);
  if (isCampaignKnown && row.campaign_id !== resolved.campaignId) {
    faults.add(`${path}.id`, 'is the id of an ad of another campaign.');
  }
}

async function addPriorityFault(tx: Queryable, { organizationId, parsed }: Examined): Promise<void> {
  const { priority, faults } = parsed;
  if (priority === undefined) return;
  const highest = await readHighestPriority(tx, organizationId);
  if (isHigher(priority, highest)) faults.add('priority', `must be at most "${highest}" for this organization.`);
}

function addTooManyFault({ entries, faults }: ParsedScreenshotRequest, existing: Existing, limits: Limits): void {
  if (countWanted(entries) <= limits.screenshots) return;
  const merged = entries.map((entry, index) => ({
    adId: existing.adOf(entry) ?? `entry ${index}`,
    screenshots: entry.screenshots,
  }));
  const pictures = expandScreenshots(merged, limits.screenshots);
  if (pictures.length <= limits.screenshots) return;
  const most = limits.screenshots.toLocaleString('en');
  faults.add('screenshot_requests', `must result in at most ${most} screenshots: send several requests.`);
}
