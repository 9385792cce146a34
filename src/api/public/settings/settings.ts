/** Handlers for the settings of the organization. */
import { SettingsBody, type SettingsRecord } from '../../../contract/reviewing.ts';
import { NO_RETENTION, retentionDays } from '../../../domain/retention.ts';
import { requireOrganization, setRetention, setReview } from '../../../store/organizations/organizations.ts';
import { checkRetention } from '../../../workflow/removal.ts';
import { type AuthorizedRequest, type JsonResponse, jsonResponse, readOrFail } from '../endpoint.ts';
import { jsonBodyReader } from '../jsonBody.ts';
import type { PublicApiOptions } from '../options.ts';

type Handler = (call: AuthorizedRequest) => Promise<JsonResponse>;

export function readSettings({ store, retention = NO_RETENTION }: PublicApiOptions): Handler {
  return async ({ place }) => {
    const { review, set_retention_days: chosen } = await requireOrganization(store.db, place.slug);
    const set_retention_days = retentionDays(chosen, retention);
    return jsonResponse(200, { type: 'settings', review, set_retention_days } satisfies SettingsRecord);
  };
}

/** PATCH …/settings: responds with all settings. */
export function changeSettings(options: PublicApiOptions): Handler {
  const readBody = jsonBodyReader(options.limits.bodyBytes);
  const read = readSettings(options);
  return async (call) => {
    const { value } = await readBody(call.request, call.response, call.organizationId);
    const { review, set_retention_days: days } = readOrFail(SettingsBody, value);
    checkRetention(days ?? null, options.retention);
    if (review !== undefined && review !== null) await setReview(options.store.db, call.place.slug, review);
    if (days !== undefined) await setRetention(options.store.db, call.place.slug, days);
    return read(call);
  };
}
