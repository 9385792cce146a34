import type { Config } from '../config.ts';
import type { RetentionLimits } from '../domain/retention.ts';

/** @returns how long the operator lets organizations keep their sets. */
export const setRetention = (config: Config): RetentionLimits => ({
  defaultDays: config.SET_RETENTION_DAYS,
  maxDays: config.MAX_SET_RETENTION_DAYS,
});
