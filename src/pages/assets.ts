/** Serves the style sheets, the scripts and the icon of the pages. Their URLs contain a hash of the content. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RequestHandler } from 'express';

const NAMES = [
  'components.js',
  'downloads.js',
  'icon.svg',
  'inter-5.3.0.woff2',
  'lists.js',
  'live.js',
  'newRequest.css',
  'newRequest.js',
  'pages.css',
  'reference.css',
  'set.css',
  'set.js',
  'times.js',
] as const;
export type AssetName = (typeof NAMES)[number];

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

interface Asset {
  readonly bytes: Buffer;
  readonly hash: string;
}

const read = (name: AssetName): Asset => {
  const bytes = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  return { bytes, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 12) };
};
const ASSETS = new Map<string, Asset>(NAMES.map((name) => [name, read(name)]));

export function assetPath(base: string, name: AssetName): string {
  return `${base}/assets/${name}?v=${ASSETS.get(name)?.hash}`;
}

/** GET /assets/:name */
export const serveAsset: RequestHandler = (request, response, next) => {
  const name = String(request.params['name']);
  const asset = ASSETS.get(name);
  if (asset === undefined) {
    next();
    return;
  }
  const { bytes, hash } = asset;
  // The name of the font holds its version, because a style sheet cannot name the hash.
  const current = request.query['v'] === hash || name.endsWith('.woff2');
  response
    .set({
      'Content-Type': TYPES[path.extname(name)],
      'Cache-Control': current ? 'public, max-age=31536000, immutable' : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
    })
    .end(bytes);
};
