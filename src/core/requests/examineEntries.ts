import type { ParsedEntry, ParsedScreenshotRequest } from '../../contract/parseScreenshotRequest.ts';
import type { Queryable } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';
import type { Limits } from '../../domain/limits.ts';
import { expandScreenshots } from '../../domain/screenshots.ts';
import { type FoundReferences, findReferences } from '../ads/findReferences.ts';
import { addMissingConnectorFaults, addUnknownCampaignFault, lockUploads, type UploadNames } from './checks.ts';

/** The objects of a request that already exist. */
export interface Existing {
  readonly campaignId: string | undefined;
  /** The id of the entry's ad, if it exists. */
  adOf(entry: ParsedEntry): string | undefined;
  /** File names of the uploads that new ads name, by the ids of the uploads. */
  readonly uploadNames: UploadNames;
}

export const NOTHING_EXISTS: Existing = {
  campaignId: undefined,
  adOf: () => undefined,
  uploadNames: new Map(),
};

interface Examined {
  readonly organizationId: string;
  readonly parsed: ParsedScreenshotRequest;
  readonly limits: Limits;
}

/** Finds the existing objects and adds the faults that depend on them. @throws Failure (422) with all faults. */
export async function examineEntries(tx: Queryable, examined: Examined): Promise<Existing> {
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
  const uploadNames = await lockUploads(tx, { organizationId, newAds, faults });
  const existing: Existing = { campaignId: resolved.campaignId, adOf, uploadNames };
  addTooManyFault(parsed, existing, limits);
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

function addTooManyFault({ entries, faults }: ParsedScreenshotRequest, existing: Existing, limits: Limits): void {
  const merged = entries.map((entry, index) => ({
    adId: existing.adOf(entry) ?? `entry ${index}`,
    screenshots: entry.screenshots,
  }));
  const pictures = expandScreenshots(merged, limits.screenshots);
  if (pictures.length <= limits.screenshots) return;
  const most = limits.screenshots.toLocaleString('en');
  faults.add('screenshot_requests', `must result in at most ${most} screenshots: send several requests.`);
}
