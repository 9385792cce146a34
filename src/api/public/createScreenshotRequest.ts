import { screenshotRequestParser } from '../../contract/parseScreenshotRequest.ts';
import { countWanted } from '../../domain/screenshots.ts';
import { runInSlices } from '../../lib/slices.ts';
import { acceptScreenshotRequest } from '../../workflow/acceptance/acceptScreenshotRequest.ts';
import { costOfPictures } from '../limits/costs.ts';
import { screenshotSetSummary } from '../presenters/records.ts';
import { addLogFields } from '../server/accessLog.ts';
import type { LargeBody, ReadRequest } from './bodies/bodyThreads.ts';
import { type BodyLimits, hashSteps, parseBody } from './bodies/parseBody.ts';
import { type AuthorizedRequest, type JsonResponse, jsonResponse } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { readBody } from './jsonBody.ts';
import type { BodyOptions } from './options.ts';
import { addBodyWarnings, checkBody } from './requestCheck.ts';

type ReadRequestBody = Omit<ReadRequest, 'warnings'>;

/** POST …/screenshot_requests: 202 with a set whose screenshots are then captured. */
export function createScreenshotRequest(options: BodyOptions): (call: AuthorizedRequest) => Promise<JsonResponse> {
  const { store } = options;
  const readRequest = requestReader(options);
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
function requestReader({ bodies, limits }: BodyOptions): (call: AuthorizedRequest) => Promise<ReadRequestBody> {
  const parse = screenshotRequestParser(limits);
  return (call) => {
    const { request } = call;
    const small = async (json: Buffer, { values }: BodyLimits) => {
      const value = await parseBody(json, values);
      await checkBody(request, value);
      return { parsed: await runInSlices(parse(value)), sha256: await runInSlices(hashSteps(json)) };
    };
    const large = async (body: LargeBody, signal: AbortSignal) => {
      const { parsed, warnings, sha256 } = await bodies.threads.readRequest(body, signal);
      addBodyWarnings(request, warnings);
      return { parsed, sha256 };
    };
    return readBody(bodies, call, { small, large });
  };
}
