/** Serves the style sheets, the scripts and the icon of the pages. Their URLs contain a hash of the content. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import { scalarScript } from './reference/scalar.ts';

const NAMES = [
  'apiReference.css',
  'apiReference.js',
  'components.js',
  'downloads.js',
  'help.css',
  'icon.svg',
  'inter-5.3.0.woff2',
  'live.js',
  'newRequest.css',
  'newRequest.js',
  'pages.css',
  'scalar.js',
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

const isAssetName = (name: string): name is AssetName => NAMES.some((one) => one === name);

const assets = new Map<AssetName, Asset>();

/** Each asset is read when it is first needed. */
function assetOf(name: AssetName): Asset {
  const known = assets.get(name);
  if (known !== undefined) return known;
  const bytes = name === 'scalar.js' ? scalarScript() : readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const asset = { bytes, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 12) };
  assets.set(name, asset);
  return asset;
}

export function assetPath(base: string, name: AssetName): string {
  return `${base}/assets/${name}?v=${assetOf(name).hash}`;
}

/** Kept, because unpacking takes longer than a request may hold the event loop. */
let unpacked: Buffer | undefined;

const unpackedScalar = (bytes: Buffer) => (unpacked ??= gunzipSync(bytes));

/** GET /assets/:name */
export const serveAsset: RequestHandler = (request, response, next) => {
  const name = String(request.params['name']);
  if (!isAssetName(name)) {
    next();
    return;
  }
  const { bytes, hash } = assetOf(name);
  // The name of the font holds its version, because a style sheet cannot name the hash.
  const current = request.query['v'] === hash || name.endsWith('.woff2');
  response.set({
    'Content-Type': TYPES[path.extname(name)],
    'Cache-Control': current ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  });
  if (name !== 'scalar.js') response.end(bytes);
  else if (request.acceptsEncodings('gzip') === false) response.vary('Accept-Encoding').end(unpackedScalar(bytes));
  else response.vary('Accept-Encoding').set('Content-Encoding', 'gzip').end(bytes);
};
