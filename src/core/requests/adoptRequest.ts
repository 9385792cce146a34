/** Requests of people may use any ad of the organization. Those of the API make what they say. */
import type { ParsedScreenshotRequest } from '../../contract/readRequest.ts';
import type { Queryable } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';
import { insertAds } from '../ads/insertAds.ts';
import { adoptAds } from '../ads/sameContent.ts';

interface ToAdopt {
  readonly organizationId: string;
  /** Its entries name ads by their ids. */
  readonly parsed: ParsedScreenshotRequest;
}

/** Finds or makes the campaign, and finds or makes each ad in it. @returns the request with their ids. @throws Failure (422) without a campaign. */
export async function adoptRequest(
  tx: Queryable,
  { organizationId, parsed }: ToAdopt,
): Promise<ParsedScreenshotRequest> {
  const { campaign, faults } = parsed;
  if (campaign === undefined) throw invalid(faults.errors);
  const found = await insertAds(tx, { organizationId, campaign, source: 'create_ad', ads: [] });
  if (found === undefined) throw new Error('unreachable: a campaign is found or created by its name');
  const { campaignId } = found;
  const ids = parsed.entries.flatMap(({ ad }) => ad?.id ?? []);
  const adopted = await adoptAds(tx, { organizationId, ids, campaignId });
  const entries = parsed.entries.map((entry) => ({
    ...entry,
    ad: entry.ad && { ...entry.ad, id: adopted.get(entry.ad.id ?? '') ?? entry.ad.id },
  }));
  return { ...parsed, entries, campaign: { id: campaignId } };
}
