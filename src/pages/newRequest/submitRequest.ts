/** Sends the request of the form: the same parser and the same acceptance as for a client of the API. */
import { createHash } from 'node:crypto';
import { costOfPictures } from '../../api/limits/costs.ts';
import type { JsonObject } from '../../contract/faults.ts';
import { type ParsedScreenshotRequest, screenshotRequestParser } from '../../contract/parseScreenshotRequest.ts';
import { insertAds } from '../../core/ads/insertAds.ts';
import { moveDraftAds } from '../../core/ads/readAd.ts';
import { acceptScreenshotRequest } from '../../core/requests/acceptScreenshotRequest.ts';
import { type IdempotentCall, keepAnswer, takeKey } from '../../core/requests/idempotency.ts';
import type { Queryable } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';
import { countWanted } from '../../domain/screenshots.ts';
import type { PagesOptions, Viewer } from '../context.ts';

interface FormRequest {
  readonly viewer: Viewer;
  /** The key of the form. */
  readonly key: string;
  readonly body: JsonObject;
  readonly adIds: readonly string[];
  /** Takes the cost of the pictures from the rate of the viewer's key. @throws Failure (429) */
  readonly charge: (cost: number) => Promise<void>;
}

/** Sent twice, the same form gives one set. @returns the id of the set. @throws Failure (422) with all faults. */
export async function submitRequest(
  options: PagesOptions,
  { viewer, key, body, adIds, charge }: FormRequest,
): Promise<string> {
  const { organizationId } = viewer;
  const parsed = screenshotRequestParser(options.limits)(body);
  if (parsed.faults.any) throw invalid(parsed.faults.errors);
  await charge(costOfPictures(countWanted(parsed.entries)));
  const bodySha256 = createHash('sha256').update(JSON.stringify(body)).digest();
  // A person may go back and change the form. Then it is another request.
  const formKey = `${key} ${bodySha256.toString('hex')}`;
  const call: IdempotentCall = { organizationId, endpoint: 'pages/new', key: formKey, bodySha256 };
  return options.store.db.transaction().execute(async (tx) => {
    const kept = await takeKey(tx, call, { wait: true });
    if (kept !== undefined) return kept.text;
    const id = await accept(tx, options, { organizationId, parsed, adIds });
    await keepAnswer(tx, call, { status: 303, text: id });
    return id;
  });
}

interface Accepted {
  readonly organizationId: string;
  readonly parsed: ParsedScreenshotRequest;
  readonly adIds: readonly string[];
}

async function accept(
  tx: Queryable,
  options: PagesOptions,
  { organizationId, parsed, adIds }: Accepted,
): Promise<string> {
  const { campaign, faults } = parsed;
  if (campaign === undefined) throw invalid(faults.errors);
  const found = await insertAds(tx, { organizationId, campaign, source: 'create_ad', ads: [] });
  if (found === undefined) throw new Error('unreachable: a campaign is found or created by its name');
  const toCampaignId = found.campaignId;
  await moveDraftAds(tx, { organizationId, ids: adIds, toCampaignId });
  const request = { organizationId, parsed: { ...parsed, campaign: { id: toCampaignId } } };
  return (await acceptScreenshotRequest(tx, request, options)).id;
}
