import type { AnimationFormat } from '../../domain/animations.ts';
import { type Thumbnail, thumbnailName } from '../../domain/thumbnails.ts';
import { type AssetName, assetPath } from '../assets.ts';

/** Paths of the pages below the path of PUBLIC_URL. */
export interface PagePaths {
  /** '' or `/prefix`. */
  readonly base: string;
  readonly organization: string;
  readonly campaigns: string;
  readonly sets: string;
  readonly ads: string;
  readonly schedules: string;
  schedule(id: string): string;
  readonly newRequest: string;
  campaign(id: string): string;
  set(id: string): string;
  ad(id: string): string;
  screenshot(id: string): string;
  readonly deliveries: string;
  delivery(id: string): string;
  /** A page of the settings; the first one unless a name is given. */
  settings(name?: string): string;
  /** The page of a share link. */
  share(token: string): string;
  image(token: string): string;
  animation(token: string, format: AnimationFormat): string;
  thumbnail(token: string, thumbnail: Thumbnail): string;
  asset(name: AssetName): string;
}

/** Links contain no host, so that the pages work under every name of the service. The caller has checked `slug`. */
export function pathsOf(publicUrl: string, slug: string): PagePaths {
  const base = new URL(publicUrl).pathname.replace(/\/+$/, '');
  const organization = `${base}/o/${slug}`;
  return {
    base,
    organization,
    campaigns: `${organization}/campaigns`,
    sets: `${organization}/screenshot_sets`,
    ads: `${organization}/ads`,
    schedules: `${organization}/schedules`,
    schedule: (id) => `${organization}/schedules/${id}`,
    newRequest: `${organization}/new`,
    campaign: (id) => `${organization}/campaigns/${id}`,
    set: (id) => `${organization}/screenshot_sets/${id}`,
    share: (token) => `${base}/s/${token}`,
    ad: (id) => `${organization}/ads/${id}`,
    screenshot: (id) => `${organization}/screenshots/${id}`,
    deliveries: `${organization}/deliveries`,
    delivery: (id) => `${organization}/deliveries/${id}`,
    settings: (name) => `${organization}/settings${name === undefined ? '' : `/${name}`}`,
    image: (token) => `${base}/i/${token}.png`,
    animation: (token, format) => `${base}/i/${token}.${format}`,
    thumbnail: (token, thumbnail) => `${base}/i/${token}/${thumbnailName(thumbnail)}`,
    asset: (name) => assetPath(base, name),
  };
}

/** @returns the path with these parameters; undefined and '' remove one. */
export function addressOf(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** @returns the path of a page with one more parameter. */
export const withParameter = (path: string, name: string, value: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${name}=${value}`;

/** Whether an address of the pages answers JSON or a stream of events, which programs read. */
export const isForPrograms = (path: string): boolean => /(\.json|\/events)$/.test(path);

/** @returns the path of the whole service, for cookies and links to the first page. */
export const rootPath = ({ base }: Pick<PagePaths, 'base'>): string => (base === '' ? '/' : base);
