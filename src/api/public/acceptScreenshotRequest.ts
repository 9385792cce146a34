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

/** The common request brings its media and is sound: the inserts themselves find what is there already. */
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
  /** Of each entry, in their order. */
  readonly adIds: readonly string[];
}

async function storeAds(tx: Queryable, options: AcceptOptions, existing: Existing): Promise<StoredAds> {
  const { organizationId, parsed } = options;
  const plan = parsed.entries.map((entry) => existing.adOf(entry) ?? newAdOf(entry));
  const ads = plan.filter((planned) => typeof planned !== 'string');
  if (ads.length === 0 && existing.campaignId !== undefined) {
    return { campaignId: existing.campaignId, adIds: plan.filter((planned) => typeof planned === 'string') };
  }
  if (parsed.campaign === undefined) throw new Error('A faulty body passed its examination.');
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
  if (content === undefined) throw new Error('A faulty entry passed its examination.');
  return newAd({ lookupKey: ad?.lookupKey, ...content });
}

/** The ads that hold the keys of those that could not be stored, by the ids these would have had. */
async function idsByKey(tx: Queryable, campaignId: string, taken: readonly NewAd[]): Promise<Map<string, string>> {
  const keys = taken.flatMap(({ lookupKey }) => lookupKey ?? []);
  const found = new Map((await findAdsByKey(tx, campaignId, keys)).map((row) => [row.lookup_key, row.id]));
  return new Map(
    taken.map(({ id, lookupKey }) => {
      const holder = found.get(lookupKey);
      if (holder === undefined) throw new Error('An ad was neither stored nor found under its lookup key.');
      return [id, holder];
    }),
  );
}
