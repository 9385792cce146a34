/** Handler for the use of the organization. */
import { UsageQuery, type UsageRecord } from '../../contract/usage.ts';
import { type CurrentUsage, readCurrentUsage, readUsageDays, type UsageOfDay } from '../../core/organizations/usage.ts';
import { DEFAULT_QUOTAS, type DefaultQuotas, dayOf, nextDay } from '../../domain/quotas.ts';
import { timestamp } from '../../domain/time.ts';
import { type Handler, jsonResponse, readOrFail } from './endpoint.ts';
import type { PublicApiOptions } from './options.ts';

const DAY_MS = 86_400_000;
const DAYS_DEFAULT = 30;

/** GET …/usage */
export function usage({ store: { db }, quotas = DEFAULT_QUOTAS }: PublicApiOptions): Handler {
  return async ({ request, organizationId }) => {
    const query = readOrFail(UsageQuery, request.query);
    const current = await readCurrentUsage(db, organizationId);
    const to = query.to ?? dayOf(current.now);
    const from = query.from ?? dayOf(new Date(Date.parse(to) - (DAYS_DEFAULT - 1) * DAY_MS));
    readOrFail(UsageQuery, { from, to });
    const days = await readUsageDays(db, { organizationId, from, to });
    return jsonResponse(200, usageRecord(days, current, quotas));
  };
}

function usageRecord(
  days: readonly UsageOfDay[],
  { picturesToday, runningCaptures, now, ...own }: CurrentUsage,
  quotas: DefaultQuotas,
): UsageRecord {
  const pictures_per_day = own.pictures_per_day ?? quotas.picturesPerDay ?? null;
  const running_captures = own.running_captures ?? quotas.runningCaptures;
  return {
    type: 'usage',
    days: [...days],
    limits: { pictures_per_day, running_captures },
    used: { pictures_today: picturesToday, running_captures: runningCaptures },
    left: {
      pictures_today: pictures_per_day === null ? null : Math.max(0, pictures_per_day - picturesToday),
      running_captures: Math.max(0, running_captures - runningCaptures),
    },
    day_ends_at: timestamp(nextDay(now)),
  };
}
