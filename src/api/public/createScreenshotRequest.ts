import { type ParsedScreenshotRequest, screenshotRequestParser } from '../../contract/parseScreenshotRequest.ts';
import { screenshotSetSummary } from '../presenters/records.ts';
import { note } from '../server/accessLog.ts';
import { jsonBodyReader } from '../server/jsonBody.ts';
import { acceptScreenshotRequest } from './acceptScreenshotRequest.ts';
import type { PublicApiOptions } from './context.ts';
import { type Answer, answer, type Call } from './endpoint.ts';
import { once } from './once.ts';

/** POST …/screenshot_requests: 202 with a set whose screenshots are then captured. */
export function createScreenshotRequest(options: PublicApiOptions): (call: Call) => Promise<Answer> {
  const { store, limits, enqueuer } = options;
  const readBody = jsonBodyReader(limits.bodyBytes);
  const parse = screenshotRequestParser(limits);
  return async (call) => {
    const { organizationId, place } = call;
    const { value, sha256 } = await readBody(call.request, call.response, call.organizationId);
    const parsed: ParsedScreenshotRequest = parse(value);
    return once({ db: store.db, call, endpoint: 'screenshot_requests', bodySha256: sha256 }, async (tx) => {
      const row = await acceptScreenshotRequest(tx, { organizationId, parsed, limits });
      note(call.response, { set_id: row.id });
      await enqueuer.enqueue(tx, 'launch', { organization_id: organizationId });
      return answer(202, screenshotSetSummary(row, place));
    });
  };
}
