import { screenshotRequestParser } from '../../contract/parseScreenshotRequest.ts';
import type { Limits } from '../../domain/limits.ts';
import { countWanted } from '../../domain/screenshots.ts';
import { runInSlices } from '../../lib/slices.ts';
import { acceptScreenshotRequest } from '../../workflow/acceptance/acceptScreenshotRequest.ts';
import { costOfPictures } from '../limits/costs.ts';
import { screenshotSetSummary } from '../presenters/records.ts';
import { addLogFields } from '../server/accessLog.ts';
import { hashSteps, parseBody } from './bodies/parseBody.ts';
import { LARGE_BYTES, type ReadRequest, RequestThreads } from './bodies/requestThreads.ts';
import { type AuthorizedRequest, type JsonResponse, jsonResponse } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { bytesReader } from './jsonBody.ts';
import type { PublicApiOptions } from './options.ts';
import { addBodyWarnings, checkBody } from './requestCheck.ts';

/** POST …/screenshot_requests: 202 with a set whose screenshots are then captured. */
export function createScreenshotRequest(options: PublicApiOptions): (call: AuthorizedRequest) => Promise<JsonResponse> {
  const { store, limits } = options;
  const readRequest = requestReader(limits);
  return async (call) => {
    const { organizationId, place } = call;
    const { parsed, sha256 } = await readRequest(call);
    await call.charge(costOfPictures(countWanted(parsed.entries)));
    return answerOnce({ db: store.db, call, endpoint: 'screenshot_requests', bodySha256: sha256 }, async (tx) => {
      const row = await acceptScreenshotRequest(tx, { organizationId, parsed }, options);
      addLogFields(call.response, { set_id: row.id });
      return jsonResponse(202, screenshotSetSummary(row, place));
    });
  };
}

/** @returns a function that reads small bodies at once, and large ones in threads. */
function requestReader(limits: Limits): (call: AuthorizedRequest) => Promise<Omit<ReadRequest, 'warnings'>> {
  const readBytes = bytesReader(limits.bodyBytes);
  const parse = screenshotRequestParser(limits);
  const threads = new RequestThreads(limits);
  return ({ request, response, organizationId: sender }) =>
    readBytes({ request, response, sender }, async (body, maxValues) => {
      if (body.length > LARGE_BYTES) {
        const { parsed, warnings, sha256 } = await threads.read(body, maxValues);
        addBodyWarnings(request, warnings);
        return { parsed, sha256 };
      }
      const value = await parseBody(body, maxValues);
      await checkBody(request, value);
      return { parsed: await runInSlices(parse(value)), sha256: await runInSlices(hashSteps(body)) };
    });
}
