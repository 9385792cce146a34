/** Handlers for the settings of the organization. */
import { SettingsBody, type SettingsRecord } from '../../../contract/settings.ts';
import { requireOrganization } from '../../../core/organizations/organizations.ts';
import { changeSettings as change } from '../../../core/organizations/settings.ts';
import {
  maxRetention,
  NO_RETENTION,
  type RetentionLimits,
  retentionDays,
  SET_DAYS,
} from '../../../domain/retention.ts';
import { type Handler, jsonResponse, readOrFail } from '../endpoint.ts';
import { readJson } from '../jsonBody.ts';
import type { PublicApiOptions } from '../options.ts';

export function readSettings({ store, retention = NO_RETENTION, sendingAddresses = [] }: PublicApiOptions): Handler {
  const retention_bounds = { set_retention_days: boundsOf(retention) };
  return async ({ place }) => {
    const row = await requireOrganization(store.db, place.slug);
    return jsonResponse(200, {
      type: 'settings',
      review: row.review,
      set_retention_days: retentionDays(row.set_retention_days, retention),
      retention_bounds,
      sending_addresses: [...sendingAddresses],
    } satisfies SettingsRecord);
  };
}

const boundsOf = (limits: RetentionLimits) => ({
  minimum: SET_DAYS.min,
  maximum: maxRetention(limits),
  default: limits.defaultDays ?? null,
});

/** PATCH …/settings: responds with all settings. */
export function changeSettings(options: PublicApiOptions): Handler {
  const { store, retention: limits } = options;
  const read = readSettings(options);
  return async (call) => {
    const { value } = await readJson(call.request);
    const { review, set_retention_days } = readOrFail(SettingsBody, value);
    const wanted = { review: review ?? undefined, set_retention_days };
    const { actor, place } = call;
    await store.db.transaction().execute((tx) => change(tx, place.slug, wanted, { actor, limits }));
    return read(call);
  };
}
