/** Handlers that take screenshots again. */
import { type ParsedRetake, retakeParser } from '../../contract/retakes.ts';
import { type RepeatKind, repeatScreenshot, repeatSet } from '../../core/requests/repeatScreenshots.ts';
import { readSetRecord } from '../../core/sets/readRecords.ts';
import type { Queryable } from '../../db/database.ts';
import { unknownId } from '../../domain/failure.ts';
import { addLogFields } from '../server/accessLog.ts';
import { type AuthorizedRequest, type Handler, idOf, jsonResponse } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { readOptionalJson } from './jsonBody.ts';
import type { PublicApiOptions } from './options.ts';

/** POST …/screenshot_sets/{id}/retake and …/duplicate: 202 with the new set. */
export function retakeSet(options: PublicApiOptions, kind: RepeatKind): Handler {
  return repeating(options, `screenshot_sets/{id}/${kind}`, (tx, { request, organizationId }, wish) =>
    repeatSet(tx, { organizationId, setId: idOf(request), kind, wish }, options),
  );
}

/** POST …/screenshots/{id}/retake: 202 with a set of one screenshot. */
export function retakeScreenshot(options: PublicApiOptions): Handler {
  return repeating(options, 'screenshots/{id}/retake', (tx, { request, organizationId }, wish) =>
    repeatScreenshot(tx, { organizationId, screenshotId: idOf(request), wish }, options),
  );
}

/** @param repeat stores the new set and returns its id. */
function repeating(
  options: PublicApiOptions,
  endpoint: string,
  repeat: (tx: Queryable, call: AuthorizedRequest, wish: ParsedRetake) => Promise<string>,
): Handler {
  const { store, limits } = options;
  const parse = retakeParser(limits);
  return async (call) => {
    const { request, response, organizationId, place } = call;
    const path = endpoint.replace('{id}', idOf(request));
    const { value, sha256 } = await readOptionalJson(request);
    const wish = parse(value);
    return answerOnce({ db: store.db, call, endpoint: path, bodySha256: sha256 }, async (tx) => {
      const id = await repeat(tx, call, wish);
      addLogFields(response, { set_id: id });
      const record = await readSetRecord(tx, { id, organizationId, publicUrl: place.publicUrl });
      if (record === undefined) throw unknownId();
      return jsonResponse(202, record);
    });
  };
}
