import type { ParsedEntry, ParsedScreenshotRequest } from '../../contract/parseScreenshotRequest.ts';
import { invalid } from '../../domain/failure.ts';
import type { Limits } from '../../domain/limits.ts';
import { expandScreenshots } from '../../domain/screenshots.ts';
import { type FoundReferences, findReferences } from '../../store/ads/findReferences.ts';
import type { Queryable } from '../../store/database/database.ts';
import { addMissingConnectorFaults, addUnknownCampaignFault } from './checks.ts';

/** What of a request is there already. */
export interface Existing {
  readonly campaignId: string | undefined;
  /** The id of the ad that an entry designates, if it exists. */
  adOf(entry: ParsedEntry): string | undefined;
}

export const NOTHING_EXISTS: Existing = { campaignId: undefined, adOf: () => undefined };

interface Examined {
  readonly organizationId: string;
  readonly parsed: ParsedScreenshotRequest;
  readonly limits: Limits;
}

/** Finds what is there, and with it the faults that only then can be told. @throws Failure (422) with all of them. */
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
  for (const entry of entries) noteEntry(entry, parsed, resolved);
  const existing: Existing = {
    campaignId: resolved.campaignId,
    adOf: ({ ad }) => (ad?.id === undefined ? resolved.adsByKey.get(ad?.lookupKey ?? '')?.id : ad.id.toLowerCase()),
  };
  noteTooMany(parsed, existing, limits);
  await addMissingConnectorFaults(tx, { organizationId, subscribers, faults });
  if (faults.any) throw invalid(faults.errors);
  return existing;
}

function noteEntry(
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
  // An unknown campaign.id is a fault of its own; a name that is new is a campaign without ads.
  const judged = resolved.campaignId !== undefined || (campaign !== undefined && 'name' in campaign);
  if (judged && row.campaign_id !== resolved.campaignId) {
    faults.add(`${path}.id`, 'is the id of an ad of another campaign.');
  }
}

function noteTooMany({ entries, faults }: ParsedScreenshotRequest, existing: Existing, limits: Limits): void {
  const merged = entries.map((entry, index) => ({
    adId: existing.adOf(entry) ?? `entry ${index}`,
    screenshots: entry.screenshots,
  }));
  if (expandScreenshots(merged, limits.screenshots).length <= limits.screenshots) return;
  const most = limits.screenshots.toLocaleString('en');
  faults.add('screenshot_requests', `must result in at most ${most} screenshots: send several requests.`);
}
