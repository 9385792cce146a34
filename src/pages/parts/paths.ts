import type { AnimationFormat } from '../../domain/animations.ts';
import { type Thumbnail, thumbnailName } from '../../domain/thumbnails.ts';
import { type AssetName, assetPath } from '../assets.ts';

/** Paths of the pages below the path of PUBLIC_URL. */
export type PagePaths = ReturnType<typeof pathsOf>;

/** Links contain no host, so that the pages work under every name of the service. The caller has checked `slug`. */
export function pathsOf(publicUrl: string, slug: string) {
  /** '' or `/prefix`. */
  const base = new URL(publicUrl).pathname.replace(/\/+$/, '');
  const organization = `${base}/o/${slug}`;
  return {
    base,
    organization,
    campaigns: `${organization}/campaigns`,
    sets: `${organization}/screenshot_sets`,
    ads: `${organization}/ads`,
    schedules: `${organization}/schedules`,
    schedule: (id: string) => `${organization}/schedules/${id}`,
    newRequest: `${organization}/new`,
    campaign: (id: string) => `${organization}/campaigns/${id}`,
    set: (id: string) => `${organization}/screenshot_sets/${id}`,
    /** The page of a share link. */
    share: (token: string) => `${base}/s/${token}`,
    ad: (id: string) => `${organization}/ads/${id}`,
    screenshot: (id: string) => `${organization}/screenshots/${id}`,
    deliveries: `${organization}/deliveries`,
    delivery: (id: string) => `${organization}/deliveries/${id}`,
    /** A page of the settings; the first one unless a name is given. */
    settings: (name?: string) => `${organization}/settings${name === undefined ? '' : `/${name}`}`,
    image: (token: string) => `${base}/i/${token}.png`,
    animation: (token: string, format: AnimationFormat) => `${base}/i/${token}.${format}`,
    thumbnail: (token: string, thumbnail: Thumbnail) => `${base}/i/${token}/${thumbnailName(thumbnail)}`,
    asset: (name: AssetName) => assetPath(base, name),
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
