import { type AssetName, assetPath } from './assets.ts';

/** Paths of the pages below the path of PUBLIC_URL. */
export interface PagePaths {
  /** '' or `/prefix`. */
  readonly base: string;
  readonly organization: string;
  set(id: string): string;
  ad(id: string): string;
  image(token: string): string;
  asset(name: AssetName): string;
}

/** Links contain no host, so that the pages work under every name of the service. The caller has checked `slug`. */
export function pathsOf(publicUrl: string, slug: string): PagePaths {
  const base = new URL(publicUrl).pathname.replace(/\/+$/, '');
  const organization = `${base}/o/${slug}`;
  return {
    base,
    organization,
    set: (id) => `${organization}/screenshot_sets/${id}`,
    ad: (id) => `${organization}/ads/${id}`,
    image: (token) => `${base}/i/${token}.png`,
    asset: (name) => assetPath(base, name),
  };
}
