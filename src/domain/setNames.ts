/** How people tell sets apart: by their own names, or else by what they were requested to show. */
import { shortDevice } from './devices.ts';
import { counted } from './text.ts';
import { withScheme } from './webAddresses.ts';

export const SET_NAME_MAX = 250;

interface NamedSet {
  readonly name: string | null;
  readonly campaign: string;
  /** Null in sets of earlier versions. */
  readonly contents: string | null;
  /** Among the sets of its campaign with the same contents, from 1. */
  readonly nth: number;
  /** Among a set and its retakes, from 1. */
  readonly round: number;
  readonly created_at: Date;
}

/** The columns that {@link setName} needs, beside the name of the campaign. */
export const NAME_COLUMNS = ['name', 'contents', 'nth', 'round', 'created_at'] as const;

/** @returns the name of a set for people: its own, or else its campaign and its contents. A retake has its round too. */
export function setName({ name, campaign, contents, nth, round, created_at }: NamedSet): string {
  const same = nth > 1 ? ` (${nth})` : '';
  const wanted = contents === null ? `, ${created_at.toLocaleDateString('en-GB', DAY)}` : `: ${contents}${same}`;
  return `${name ?? campaign + wanted}${round > 1 ? `, v${round}` : ''}`;
}

const DAY = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;

interface Pictured {
  readonly adId: string;
  readonly siteUrl: string;
  readonly siteKey: string;
  readonly device: string;
}

/** More devices are counted. */
const DEVICES_NAMED = 3;

/** @returns for example `6 ads × 5 sites, Desktop and iPhone`, or `1 ad on news.example, iPhone`. */
export function contentsOf(pictures: readonly Pictured[]): string {
  const ads = counted(new Set(pictures.map(({ adId }) => adId)).size, 'ad');
  const sites = new Map(pictures.map(({ siteKey, siteUrl }) => [siteKey, siteUrl]));
  const [site = ''] = sites.values();
  const where = sites.size === 1 ? ` on ${URL.parse(withScheme(site))?.host ?? site}` : ` × ${sites.size} sites`;
  const devices = [...new Set(pictures.map(({ device }) => device))].map(shortDevice);
  return `${ads}${where}, ${devices.length > DEVICES_NAMED ? `${devices.length} devices` : listed(devices)}`;
}

const listed = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);
