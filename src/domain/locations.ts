/** Locations: the countries from which pages can be opened, through proxies of the operator. */

/** A location, with the fields that users see and those that a browser needs. */
export interface Location {
  /** At most 63 lower-case letters, digits and hyphens. */
  readonly id: string;
  readonly name: string;
  /** ISO 3166-1, two upper-case letters. */
  readonly country: string;
  /** BCP 47, for example `de-DE`. */
  readonly locale: string;
  /** In the order of preference, for `Accept-Language` and `navigator.languages`. */
  readonly languages: readonly string[];
  /** IANA, for example `Europe/Berlin`. */
  readonly time_zone: string;
  /** Degrees, and meters. Null: pages may not ask for the position. */
  readonly geolocation: { readonly latitude: number; readonly longitude: number; readonly accuracy: number } | null;
  /** A URL that answers with the IP address of its caller as text. Null: the address of the exit is not recorded. */
  readonly check_url: string | null;
}

/** The location of a page, as an id; the rest is null if the operator no longer offers it. */
export interface WantedLocation {
  readonly id: string;
  readonly profile: Location | null;
}

/** Each reason of a picture that failed because of its location begins with this. */
export const LOCATION_UNAVAILABLE = 'location_unavailable';

/** `target_failed`: the proxy works and did not reach the target. `refused`: the guard did not allow the target. */
export const CONNECTION_OUTCOMES = ['connected', 'target_failed', 'refused', 'unavailable'] as const;
export type ConnectionOutcome = (typeof CONNECTION_OUTCOMES)[number];
