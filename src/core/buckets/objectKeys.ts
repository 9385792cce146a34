/**
 * Object keys in a customer's bucket. A key begins with the customer's prefix as given, which was checked when it was
 * accepted. Every other part is sanitized: no `..`, no control characters, no slashes.
 */

export interface AdKeyInput {
  keyPrefix: string;
  adId: string;
}

export function adPreviewKey({ keyPrefix, adId }: AdKeyInput): string {
  return `${adFolder({ keyPrefix, adId })}/preview.png`;
}

export function adFrameKey({ markerMs, ...ad }: AdKeyInput & { markerMs: number }): string {
  return `${adFolder(ad)}/frame-${Math.round(markerMs)}.png`;
}

export interface ScreenshotKeyInput {
  keyPrefix: string;
  setId: string;
  /** The position in the set, from 1. */
  number: number;
  siteUrl: string;
  device: string;
  /** The name by which the customer knows the ad. */
  ad: string;
  markerMs: number;
}

export function screenshotKey(input: ScreenshotKeyInput): string {
  const number = String(input.number).padStart(3, '0');
  const parts = [hostOf(input.siteUrl), input.device, input.ad].map((part) => safeName(part));
  return `${setFolder(input)}/${number}-${parts.join('-')}-${Math.round(input.markerMs)}.png`;
}

/** The manifest is written last, so that all pictures in it exist. */
export function manifestKey(input: { keyPrefix: string; setId: string }): string {
  return `${setFolder(input)}/manifest.json`;
}

/** The object that a check of the connector writes and deletes. */
export function checkKey({ keyPrefix, id }: { keyPrefix: string; id: string }): string {
  return `${keyPrefix}tearsheet-check-${id}.txt`;
}

function adFolder({ keyPrefix, adId }: AdKeyInput): string {
  return `${keyPrefix}ads/${safeName(adId)}`;
}

function setFolder({ keyPrefix, setId }: { keyPrefix: string; setId: string }): string {
  return `${keyPrefix}screenshot_sets/${safeName(setId)}`;
}

const MAX_NAME_LENGTH = 80;

/** @returns one word of ASCII letters, digits and single `.`, `_`, `-`. */
function safeName(text: string): string {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/-{2,}/g, '-')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/^[.-]+|[.-]+$/g, '');
  return name === '' ? 'unnamed' : name;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
