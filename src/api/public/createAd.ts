import { parseCreateAd } from '../../contract/parseCreateAd.ts';
import { acceptAd } from '../../workflow/acceptance/acceptAd.ts';
import { adSummary } from '../presenters/records.ts';
import { addLogFields } from '../server/accessLog.ts';
import { type AuthorizedRequest, type JsonResponse, jsonResponse } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { jsonBodyReader } from './jsonBody.ts';
import type { BodyOptions } from './options.ts';

/** POST …/ads: 201 with a new ad, or 200 with the ad that already has the lookup key. The service then captures the preview of a new ad. */
export function createAd(options: BodyOptions): (call: AuthorizedRequest) => Promise<JsonResponse> {
  const { store, limits } = options;
  const readBody = jsonBodyReader(options.bodies);
  return async (call) => {
    const { value, sha256 } = await readBody(call);
    const parsed = parseCreateAd(value, limits);
    return answerOnce({ db: store.db, call, endpoint: 'ads', bodySha256: sha256 }, async (tx) => {
      const { row, created } = await acceptAd(tx, { ...call, parsed }, options);
      addLogFields(call.response, { ad_id: row.id });
      return jsonResponse(created ? 201 : 200, adSummary(row, call.place));
    });
  };
}
