/** Handlers for the settings of the organization. */
import { SettingsBody, type SettingsRecord } from '../../../contract/settings.ts';
import {
  DEFAULT_RETENTION,
  maxRetention,
  RETENTION_BOUNDS,
  type RetentionPolicy,
  type RetentionSetting,
  retentionPeriods,
} from '../../../domain/retention.ts';
import { requireOrganization } from '../../../store/organizations/organizations.ts';
import { changeSettings as change } from '../../../workflow/settings.ts';
import { type Handler, jsonResponse, readOrFail } from '../endpoint.ts';
import { readJson } from '../jsonBody.ts';
import type { PublicApiOptions } from '../options.ts';

export function readSettings({ store, retention, sendingAddresses = [] }: PublicApiOptions): Handler {
  const retention_bounds = boundsOf(retention);
  return async ({ place }) => {
    const row = await requireOrganization(store.db, place.slug);
    return jsonResponse(200, {
      type: 'settings',
      review: row.review,
      ...retentionPeriods(row, retention ?? DEFAULT_RETENTION),
      retention_bounds,
      sending_addresses: [...sendingAddresses],
    } satisfies SettingsRecord);
  };
}

function boundsOf(policy: RetentionPolicy = DEFAULT_RETENTION): SettingsRecord['retention_bounds'] {
  const of = (setting: RetentionSetting) => ({
    minimum: RETENTION_BOUNDS[setting].min,
    maximum: maxRetention(setting, policy),
    default: policy[setting].defaultDays ?? null,
  });
  return {
    set_retention_days: of('set_retention_days'),
    event_retention_days: of('event_retention_days'),
    delivery_retention_days: of('delivery_retention_days'),
    request_retention_days: of('request_retention_days'),
  };
}

/** PATCH …/settings: responds with all settings. */
export function changeSettings(options: PublicApiOptions): Handler {
  const { store, retention: policy } = options;
  const read = readSettings(options);
  return async (call) => {
    const { value } = await readJson(call.request);
    const { review, ...days } = readOrFail(SettingsBody, value);
    const wanted = { review: review ?? undefined, ...days };
    const { actor, place } = call;
    await store.db.transaction().execute((tx) => change(tx, place.slug, wanted, { actor, policy }));
    return read(call);
  };
}
