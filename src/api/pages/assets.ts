/** Serves the style sheets, the scripts and the icon of the pages. Their URLs contain a hash of the content. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';

const TYPES = {
  'pages.css': 'text/css; charset=utf-8',
  'set.css': 'text/css; charset=utf-8',
  'lists.css': 'text/css; charset=utf-8',
  'reference.css': 'text/css; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'lists.js': 'text/javascript; charset=utf-8',
  'newRequest.css': 'text/css; charset=utf-8',
  'newRequest.js': 'text/javascript; charset=utf-8',
  'times.js': 'text/javascript; charset=utf-8',
  'picture.js': 'text/javascript; charset=utf-8',
  'lightbox.js': 'text/javascript; charset=utf-8',
  'downloads.js': 'text/javascript; charset=utf-8',
  'settings.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
export type AssetName = keyof typeof TYPES;

interface Asset {
  readonly bytes: Buffer;
  readonly hash: string;
}

const read = (name: AssetName): Asset => {
  const bytes = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  return { bytes, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 12) };
};
const ASSETS: Readonly<Record<AssetName, Asset>> = {
  'pages.css': read('pages.css'),
  'set.css': read('set.css'),
  'lists.css': read('lists.css'),
  'reference.css': read('reference.css'),
  'live.js': read('live.js'),
  'lists.js': read('lists.js'),
  'newRequest.css': read('newRequest.css'),
  'newRequest.js': read('newRequest.js'),
  'times.js': read('times.js'),
  'picture.js': read('picture.js'),
  'lightbox.js': read('lightbox.js'),
  'downloads.js': read('downloads.js'),
  'settings.css': read('settings.css'),
  'icon.svg': read('icon.svg'),
};

export function assetPath(base: string, name: AssetName): string {
  return `${base}/assets/${name}?v=${ASSETS[name].hash}`;
}

/** GET /assets/:name */
export const serveAsset: RequestHandler = (request, response, next) => {
  const name = String(request.params['name']);
  if (!isAsset(name)) {
    next();
    return;
  }
  const { bytes, hash } = ASSETS[name];
  const current = request.query['v'] === hash;
  response
    .set({
      'Content-Type': TYPES[name],
      'Cache-Control': current ? 'public, max-age=31536000, immutable' : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
    })
    .end(bytes);
};

function isAsset(name: string): name is AssetName {
  return Object.hasOwn(TYPES, name);
}
