import { screenshotRequestParser } from '../../contract/parseScreenshotRequest.ts';
import { acceptScreenshotRequest } from '../../core/requests/acceptScreenshotRequest.ts';
import { screenshotSetSummary } from '../../core/sets/setJson.ts';
import { countWanted } from '../../domain/screenshots.ts';
import { costOfPictures } from '../limits/costs.ts';
import { addLogFields } from '../server/accessLog.ts';
import { type Handler, jsonResponse } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { readJson } from './jsonBody.ts';
import type { PublicApiOptions } from './options.ts';

/** POST …/screenshot_requests: 202 with a set whose screenshots are then captured. */
export function createScreenshotRequest(options: PublicApiOptions): Handler {
  const { store, limits } = options;
  const parse = screenshotRequestParser(limits);
  return async (call) => {
    const { organizationId, place } = call;
    const { value, sha256 } = await readJson(call.request);
    const parsed = parse(value);
    await call.charge(costOfPictures(countWanted(parsed.entries)));
    return answerOnce({ db: store.db, call, endpoint: 'screenshot_requests', bodySha256: sha256 }, async (tx) => {
      const row = await acceptScreenshotRequest(tx, { organizationId, parsed }, options);
      addLogFields(call.response, { set_id: row.id });
      return jsonResponse(202, screenshotSetSummary(row, place));
    });
  };
}
