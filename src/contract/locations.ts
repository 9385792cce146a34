/** Locations in the settings, in the API and in the capture protocol. */
import { z } from 'zod';
import { SLUG } from '../domain/slugs.ts';
import { timeZone } from './exports.ts';
import { OURS } from './schemaParts.ts';

const LocationId = z
  .string()
  .regex(SLUG, 'must be the id of a location: at most 63 lower-case letters, digits and hyphens.');

const name = z.string().min(1).max(100);
const country = z.string().regex(/^[A-Z]{2}$/, 'must be two upper-case letters (ISO 3166-1), for example DE');
const tag = z
  .string()
  .refine(isLanguage, 'must be a language tag (BCP 47), for example de-DE')
  .transform((given) => new Intl.Locale(given).toString());

/** A location as captures get it, with the fields that users see and those that a browser needs. */
export const LocationProfile = z.object({
  id: LocationId,
  name,
  country,
  locale: tag,
  /** In the order of preference, for `Accept-Language` and `navigator.languages`. */
  languages: z.array(tag).min(1).max(10),
  time_zone: timeZone,
  /** Degrees, and meters. Null: pages may not ask for the position. */
  geolocation: z
    .object({
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
      accuracy: z.number().min(0).max(100_000).default(1_000),
    })
    .nullable()
    .default(null),
  /** A URL that answers with the IP address of its caller as text. Null: the address of the exit is not recorded. */
  check_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
});
export type Location = z.output<typeof LocationProfile>;

/** The location of a page. `profile` is null if the operator no longer offers it. */
export const WantedLocation = z.object({ id: z.string(), profile: LocationProfile.nullable() });
export type WantedLocation = z.output<typeof WantedLocation>;

/** SOCKS5 has one byte for each length. */
const credential = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => Buffer.byteLength(text) <= 255, 'is too long');

const ConfiguredLocation = LocationProfile.extend({
  proxy: z.string().superRefine((text, context) => {
    const message = proxyFault(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
}).strict();
export type ConfiguredLocation = z.output<typeof ConfiguredLocation>;

/** The setting LOCATIONS. */
export const LocationsSetting = z
  .array(ConfiguredLocation)
  .max(100)
  .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'has two locations with the same id');

/** The setting LOCATION_CREDENTIALS, by the ids of locations. */
export const LocationCredentials = z.record(
  LocationId,
  z.object({ username: credential, password: credential }).strict(),
);

function proxyFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:', 'socks5:'].includes(url.protocol) || url.hostname === '')
    return 'must be the URL of a proxy: http://host:port, https://host:port or socks5://host:port';
  if (url.username !== '' || url.password !== '')
    return 'must not contain credentials: put them into LOCATION_CREDENTIALS';
  return ['', '/'].includes(url.pathname) && url.search === '' && url.hash === '' ? undefined : 'must have no path';
}

function isLanguage(text: string): boolean {
  try {
    return new Intl.Locale(text).language !== '';
  } catch {
    return false;
  }
}

export const LocationRecord = z
  .object({
    type: z.literal('location'),
    id: LocationId,
    name: z.string(),
    country: z.string().describe('ISO 3166-1, two letters.'),
    locale: z.string().describe('BCP 47.'),
    time_zone: z.string().describe('IANA.'),
    available: z
      .boolean()
      .describe(
        'False while its proxy fails. Pictures of this location then wait, and fail with `location_unavailable` if it does not recover in time.',
      ),
  })
  .meta({ id: 'Location', description: `A country from which pages can be opened. ${OURS}` });

export type LocationRecord = z.infer<typeof LocationRecord>;
