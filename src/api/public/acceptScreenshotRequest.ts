import type { NewAdContent } from '../../contract/parseParts.ts';
import type { ParsedEntry, ParsedScreenshotRequest } from '../../contract/parseScreenshotRequest.ts';
import { invalid } from '../../domain/failure.ts';
import type { Limits } from '../../domain/limits.ts';
import { countWanted, expandScreenshots } from '../../domain/screenshots.ts';
import { findAdsByKey } from '../../store/ads/findReferences.ts';
import { insertAds, type NewAd, newAd } from '../../store/ads/insertAds.ts';
import type { Queryable } from '../../store/database/database.ts';
import type { SetRow } from '../../store/database/rows.ts';
import { insertSet } from '../../store/sets/insertSet.ts';
import { addUnknownCampaignFault, wantsS3 } from './checks.ts';
import { type Existing, examineEntries, NOTHING_EXISTS } from './examineEntries.ts';

export interface AcceptOptions {
  readonly organizationId: string;
  readonly parsed: ParsedScreenshotRequest;
  readonly limits: Limits;
}

type StoredSet = Pick<SetRow, 'id' | 'campaign_id' | 'status' | 'created_at'>;

/** Stores campaign, ads, set, screenshots and subscribers. @throws Failure (422) with all faults of the body. */
export async function acceptScreenshotRequest(tx: Queryable, options: AcceptOptions): Promise<StoredSet> {
  const { organizationId, parsed, limits } = options;
  const existing = needsLook(options) ? await examineEntries(tx, options) : NOTHING_EXISTS;
  const { campaignId, adIds } = await storeAds(tx, options, existing);
  const entries = parsed.entries.map(({ screenshots }, index) => ({ adId: adIds[index] ?? '', screenshots }));
  const pictures = expandScreenshots(entries, limits.screenshots);
  const { instructions, subscribers } = parsed;
  const set = await insertSet(tx, { organizationId, campaignId, instructions, pictures, subscribers });
  return { ...set, campaign_id: campaignId, status: 'draft' };
}

/** The usual request is valid and has media. The inserts then find existing ads themselves. */
function needsLook({ parsed, limits }: AcceptOptions): boolean {
  return (
    parsed.faults.any ||
    wantsS3(parsed.subscribers) ||
    parsed.entries.some(({ ad }) => ad?.content === undefined) ||
    countWanted(parsed.entries) > limits.screenshots
  );
}

interface StoredAds {
  readonly campaignId: string;
  /** The ad of each entry, in the order of the entries. */
  readonly adIds: readonly string[];
}

async function storeAds(tx: Queryable, options: AcceptOptions, existing: Existing): Promise<StoredAds> {
  const { organizationId, parsed } = options;
  const plan = parsed.entries.map((entry) => existing.adOf(entry) ?? newAdOf(entry));
  const ads = plan.filter((planned) => typeof planned !== 'string');
  if (ads.length === 0 && existing.campaignId !== undefined) {
    return { campaignId: existing.campaignId, adIds: plan.filter((planned) => typeof planned === 'string') };
  }
  if (parsed.campaign === undefined) throw new Error('unreachable: an invalid body passed validation');
  const { campaign } = parsed;
  const stored = await insertAds(tx, { organizationId, campaign, source: 'screenshot_request', ads });
  if (stored === undefined) {
    addUnknownCampaignFault(parsed.faults);
    throw invalid(parsed.faults.errors);
  }
  const taken = ads.filter(({ id }) => !stored.inserted.has(id));
  const byKey = await idsByKey(tx, stored.campaignId, taken);
  const adIds = plan.map((planned) => (typeof planned === 'string' ? planned : (byKey.get(planned.id) ?? planned.id)));
  return { campaignId: stored.campaignId, adIds };
}

function newAdOf({ ad }: ParsedEntry): NewAd {
  const content: NewAdContent | undefined = ad?.content;
  if (content === undefined) throw new Error('unreachable: an invalid entry passed validation');
  return newAd({ lookupKey: ad?.lookupKey, ...content });
}

/** @returns the ids of existing ads for new ads whose lookup key was taken, by the ids of the new ads. */
async function idsByKey(tx: Queryable, campaignId: string, taken: readonly NewAd[]): Promise<Map<string, string>> {
  const keys = taken.flatMap(({ lookupKey }) => lookupKey ?? []);
  const found = new Map((await findAdsByKey(tx, campaignId, keys)).map((row) => [row.lookup_key, row.id]));
  return new Map(
    taken.map(({ id, lookupKey }) => {
      const holder = found.get(lookupKey);
      if (holder === undefined) throw new Error('unreachable: the ad was neither stored nor found by its lookup key');
      return [id, holder];
    }),
  );
}
