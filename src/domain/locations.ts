/** Locations: the countries from which pages can be opened, through proxies of the operator. */

/** Each reason of a picture that failed because of its location begins with this. */
export const LOCATION_UNAVAILABLE = 'location_unavailable';

/** `target_failed`: the proxy works and did not reach the target. `refused`: the guard did not allow the target. */
export const CONNECTION_OUTCOMES = ['connected', 'target_failed', 'refused', 'unavailable'] as const;
export type ConnectionOutcome = (typeof CONNECTION_OUTCOMES)[number];
