import { parseCreateAd } from '../../contract/parseCreateAd.ts';
import { acceptAd } from '../../core/requests/acceptAd.ts';
import { adSummary } from '../../core/sets/setJson.ts';
import { addLogFields } from '../server/accessLog.ts';
import { type Handler, jsonResponse } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { readJson } from './jsonBody.ts';
import type { PublicApiOptions } from './options.ts';

/** POST …/ads: 201 with a new ad, or 200 with the ad that already has the lookup key. The service then captures the preview of a new ad. */
export function createAd(options: PublicApiOptions): Handler {
  const { store, limits } = options;
  return async (call) => {
    const { value, sha256 } = await readJson(call.request);
    const parsed = parseCreateAd(value, limits);
    return answerOnce({ db: store.db, call, endpoint: 'ads', bodySha256: sha256 }, async (tx) => {
      const { row, created } = await acceptAd(tx, { ...call, parsed }, options);
      addLogFields(call.response, { ad_id: row.id });
      return jsonResponse(created ? 201 : 200, adSummary(row, call.place));
    });
  };
}
