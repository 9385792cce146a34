/** Groups the screenshots of a set by site, device or ad, and the frames of one placement into a film strip. */
import { shortDevice } from '../../domain/devices.ts';
import { siteName } from '../parts/pictureParts.ts';

/** A screenshot, as far as grouping needs it. */
export interface Groupable {
  readonly site_url: string;
  readonly device: string;
  readonly marker_ms: number | null;
  readonly ad: { readonly id: string; readonly name: string };
}

type Grouped = Pick<Groupable, 'site_url' | 'device'> & { readonly group_name: string | null };
type Shared = Groupable & Grouped & { readonly image_sha256: string | null };

/**
 * @returns the views with the picture of a group once, in the place of its first ad and with the names of all. By ad, each of its
 *   ads keeps it, because people look for it under each of their names.
 */
export function oncePerPicture<V extends Shared>(views: readonly V[], by?: Grouping): readonly V[] {
  if (by === 'ad') return views;
  const keyOf = ({ group_name, image_sha256, site_url, device }: V) =>
    group_name === null || image_sha256 === null ? {} : JSON.stringify([group_name, image_sha256, site_url, device]);
  return [...Map.groupBy(views, keyOf).values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    const name = [first, ...others].map(({ ad }) => ad.name).join(' + ');
    return { ...first, ad: { ...first.ad, name } };
  });
}

/** Whether both are of one group on the same page, so that one picture shows both if both have one. */
export function sharesPage(one: Grouped, two: Grouped): boolean {
  const isSame = (name: 'group_name' | 'site_url' | 'device') => one[name] === two[name];
  return one.group_name !== null && isSame('group_name') && isSame('site_url') && isSame('device');
}

export const GROUPINGS = ['site', 'device', 'ad'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export function groupingOf(text: unknown): Grouping {
  return GROUPINGS.find((grouping) => grouping === text) ?? 'site';
}

export interface Group<V extends Groupable> {
  readonly by: Grouping;
  /** Names the group on every list page of the set. */
  readonly key: string;
  readonly first: V;
  /** The frames of one placement each, by marker. */
  readonly strips: readonly (readonly V[])[];
}

const KEYS: Readonly<Record<Grouping, (view: Groupable) => string>> = {
  site: ({ site_url }) => site_url,
  device: ({ device }) => device,
  ad: ({ ad }) => ad.id,
};
/** Devices of one ad are side by side, so that people can compare them. */
const ORDERS: Readonly<Record<Grouping | 'file', readonly Grouping[]>> = {
  site: ['site', 'ad', 'device'],
  device: ['device', 'site', 'ad'],
  ad: ['ad', 'site', 'device'],
  file: ['site', 'device', 'ad'],
};

/** @returns the screenshots in the order of the page. Sites, devices and ads keep the order of their first screenshot. */
export function inPageOrder<V extends Groupable>(views: readonly V[], by: Grouping | 'file'): V[] {
  const ranks = ORDERS[by].map((key) => ranksOf(views, KEYS[key]));
  const markerOf = ({ marker_ms }: V) => marker_ms ?? -1;
  return views.toSorted(
    (a, b) => ranks.reduce((order, rank) => order || rank(a) - rank(b), 0) || markerOf(a) - markerOf(b),
  );
}

function ranksOf<V>(views: readonly V[], keyOf: (view: V) => string): (view: V) => number {
  const ranks = new Map<string, number>();
  for (const view of views) if (!ranks.has(keyOf(view))) ranks.set(keyOf(view), ranks.size);
  return (view) => ranks.get(keyOf(view)) ?? 0;
}

/** @param views in the order of the page. */
export function groupPictures<V extends Groupable>(views: readonly V[], by: Grouping): Group<V>[] {
  return [...Map.groupBy(views, KEYS[by])].flatMap(([key, ofGroup]) => {
    const [first] = ofGroup;
    if (first === undefined) return [];
    return [{ by, key, first, strips: [...Map.groupBy(ofGroup, stripKey).values()] }];
  });
}

/** The frames of one ad on one page and device. */
export function stripKey({ site_url, device, ad }: Groupable): string {
  return JSON.stringify([site_url, device, ad.id]);
}

export function groupName({ by, first }: Group<Groupable>): string {
  if (by === 'site') return siteName(first.site_url).host;
  return by === 'device' ? shortDevice(first.device) : first.ad.name;
}
