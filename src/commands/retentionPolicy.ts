import type { Config } from '../config.ts';
import type { RetentionPolicy } from '../domain/retention.ts';

/** @returns how long the operator lets organizations keep their objects. */
export function retentionPolicy(config: Config): RetentionPolicy {
  const maxDays = config.MAX_EVENT_RETENTION_DAYS;
  return {
    set_retention_days: { defaultDays: config.SET_RETENTION_DAYS, maxDays: config.MAX_SET_RETENTION_DAYS },
    event_retention_days: { defaultDays: config.EVENT_RETENTION_DAYS, maxDays },
    delivery_retention_days: { defaultDays: config.DELIVERY_RETENTION_DAYS, maxDays },
    request_retention_days: { defaultDays: config.REQUEST_RETENTION_DAYS, maxDays: undefined },
  };
}
