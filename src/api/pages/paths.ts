import { assetPath } from './assets.ts';
import type { PagePaths } from './context.ts';

/** Links hold no host, so that pages work under whichever name the service is reached. `slug` is known to be one. */
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
