/** Handlers for the settings of the organization. */
import { SettingsBody, type SettingsRecord } from '../../../contract/reviewing.ts';
import { NO_RETENTION, retentionDays } from '../../../domain/retention.ts';
import { requireOrganization } from '../../../store/organizations/organizations.ts';
import { checkRetention } from '../../../workflow/removal.ts';
import { changeSettings as change } from '../../../workflow/settings.ts';
import { type AuthorizedRequest, type JsonResponse, jsonResponse, readOrFail } from '../endpoint.ts';
import { jsonBodyReader } from '../jsonBody.ts';
import type { PublicApiOptions } from '../options.ts';

type Handler = (call: AuthorizedRequest) => Promise<JsonResponse>;

export function readSettings({ store, retention = NO_RETENTION, sendingAddresses = [] }: PublicApiOptions): Handler {
  return async ({ place }) => {
    const { review, set_retention_days: chosen } = await requireOrganization(store.db, place.slug);
    const set_retention_days = retentionDays(chosen, retention);
    const sending_addresses = [...sendingAddresses];
    return jsonResponse(200, {
      type: 'settings',
      review,
      set_retention_days,
      sending_addresses,
    } satisfies SettingsRecord);
  };
}

/** PATCH …/settings: responds with all settings. */
export function changeSettings(options: PublicApiOptions): Handler {
  const readBody = jsonBodyReader(options.limits.bodyBytes);
  const read = readSettings(options);
  return async (call) => {
    const { value } = await readBody(call.request, call.response, call.organizationId);
    const { review, set_retention_days } = readOrFail(SettingsBody, value);
    checkRetention(set_retention_days ?? null, options.retention);
    const wanted = { review: review ?? undefined, set_retention_days };
    await options.store.db.transaction().execute((tx) => change(tx, call.place.slug, wanted, call.actor));
    return read(call);
  };
}
