/** How long an organization's objects are kept, in days. */

export const RETENTION_SETTINGS = [
  'set_retention_days',
  'event_retention_days',
  'delivery_retention_days',
  'request_retention_days',
] as const;
export type RetentionSetting = (typeof RETENTION_SETTINGS)[number];

/** The days that an organization may choose. Answers to requests stay for a day, because the API promises to repeat them. */
export const RETENTION_BOUNDS: Readonly<Record<RetentionSetting, { readonly min: number; readonly max: number }>> = {
  set_retention_days: { min: 1, max: 36_500 },
  event_retention_days: { min: 1, max: 3_650 },
  delivery_retention_days: { min: 1, max: 3_650 },
  request_retention_days: { min: 1, max: 30 },
};

export interface RetentionLimits {
  /** For organizations that chose nothing; undefined: the objects stay. */
  readonly defaultDays: number | undefined;
  /** No organization keeps them longer; undefined: no limit but that of {@link RETENTION_BOUNDS}. */
  readonly maxDays: number | undefined;
}

/** The operator's choices. Only sets may stay without limit. */
export type RetentionPolicy = Readonly<Record<'set_retention_days', RetentionLimits>> &
  Readonly<Record<Exclude<RetentionSetting, 'set_retention_days'>, RetentionLimits & { readonly defaultDays: number }>>;

/** An organization's choices; null: as the operator chose. */
export type ChosenRetention = Readonly<Record<RetentionSetting, number | null>>;

/** The days that apply. Null: sets stay until they are deleted. */
export type RetentionPeriods = Readonly<Record<Exclude<RetentionSetting, 'set_retention_days'>, number>> & {
  readonly set_retention_days: number | null;
};

export const NO_RETENTION: RetentionLimits = { defaultDays: undefined, maxDays: undefined };

export const DEFAULT_RETENTION: RetentionPolicy = {
  set_retention_days: NO_RETENTION,
  event_retention_days: { defaultDays: 90, maxDays: undefined },
  delivery_retention_days: { defaultDays: 90, maxDays: undefined },
  request_retention_days: { defaultDays: 1, maxDays: undefined },
};

/** @param chosen what the organization chose. @returns null if sets stay until they are deleted. */
export function retentionDays(chosen: number | null, { defaultDays, maxDays }: RetentionLimits): number | null {
  const days = chosen ?? defaultDays ?? Number.POSITIVE_INFINITY;
  const bounded = Math.min(days, maxDays ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(bounded) ? bounded : null;
}

/**
 * Deliveries never stay longer than events, because a delivery sends its event. If the organization chose only one of the
 * two, the other follows it.
 */
export function retentionPeriods(chosen: ChosenRetention, policy: RetentionPolicy): RetentionPeriods {
  const { event_retention_days: ofEvents, delivery_retention_days: ofDeliveries } = policy;
  const ownDeliveries = chosen.delivery_retention_days;
  const events = capped(
    chosen.event_retention_days ?? Math.max(ofEvents.defaultDays, ownDeliveries ?? 0),
    ofEvents.maxDays,
  );
  const deliveries = capped(ownDeliveries ?? ofDeliveries.defaultDays, ofDeliveries.maxDays);
  const { defaultDays, maxDays } = policy.request_retention_days;
  return {
    set_retention_days: retentionDays(chosen.set_retention_days, policy.set_retention_days),
    event_retention_days: events,
    delivery_retention_days: Math.min(deliveries, events),
    request_retention_days: capped(chosen.request_retention_days ?? defaultDays, maxDays),
  };
}

const capped = (days: number, maxDays: number | undefined) => Math.min(days, maxDays ?? Number.POSITIVE_INFINITY);

/** @returns the most days that an organization may choose. */
export function maxRetention(setting: RetentionSetting, policy: RetentionPolicy): number {
  return capped(RETENTION_BOUNDS[setting].max, policy[setting].maxDays);
}

/**
 * @param changed the settings that a request changes.
 * @param after all settings after the change.
 * @returns the faults, by setting.
 */
export function retentionFaults(
  { changed, after }: { readonly changed: Partial<ChosenRetention>; readonly after: ChosenRetention },
  policy: RetentionPolicy,
): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  for (const setting of RETENTION_SETTINGS) {
    const days = changed[setting];
    const max = maxRetention(setting, policy);
    if (days !== undefined && days !== null && days > max)
      faults[setting] = [`must be at most ${max}: the operator set this maximum.`];
  }
  const { event_retention_days: events, delivery_retention_days: deliveries } = after;
  const isChanged = (changed.event_retention_days ?? changed.delivery_retention_days ?? null) !== null;
  if (isChanged && events !== null && deliveries !== null && deliveries > events) {
    faults['delivery_retention_days'] ??= [
      `must be at most event_retention_days, which is ${events}, because a delivery needs its event: shorten it, or set event_retention_days to at least ${deliveries}.`,
    ];
  }
  return faults;
}
