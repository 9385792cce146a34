/** Adds `mraid.js` to creatives that use MRAID without asking for it, because some apps inject it. */
import { scriptTag } from './documents.ts';
import type { ZipSite } from './zip.ts';

const USES = /\bmraid\s*\.\s*\w/;
const LOADS = /\bmraid\.js\b/i;
/** A creative that asks whether there is MRAID works without it. */
const ASKS = /typeof\s+(?:window\.)?mraid\b|\bwindow\.mraid\b|\bwindow\[["']mraid["']\]|["']mraid["']\s+in\s+window/;

const CODE_FILES = /\.(?:x?html?|js)$/i;
/** A larger script is a library. */
const MAX_BYTES = 1024 * 1024;

/** @returns the HTML with `mraid.js` if it uses MRAID and neither loads it nor asks for it. */
export function pageWithMraid(html: Buffer): Buffer {
  return needsMraid([html.toString('latin1')]) ? withScript(html) : html;
}

/** @returns the files with `mraid.js` in the page, if they use MRAID and neither load it nor ask for it. */
export function siteWithMraid(site: ZipSite): ZipSite {
  const page = site.files.get(site.index);
  const code = [...site.files].filter(([path, bytes]) => CODE_FILES.test(path) && bytes.length <= MAX_BYTES);
  if (page === undefined || !needsMraid(code.map(([, bytes]) => bytes.toString('latin1')))) return site;
  return { ...site, files: new Map([...site.files, [site.index, withScript(page)]]) };
}

function needsMraid(texts: readonly string[]): boolean {
  const uses = texts.some((text) => USES.test(text));
  return uses && !texts.some((text) => LOADS.test(text) || ASKS.test(text));
}

/** As bytes, because the encoding of the page is unknown here. A page in UTF-16 does not get the script. */
function withScript(html: Buffer): Buffer {
  if (html[0] === 0xff || html[0] === 0xfe) return html;
  const text = html
    .toString('latin1')
    .replace(/^(\xEF\xBB\xBF)?\s*(<!doctype[^>]*>)?/i, (start) => start + scriptTag('mraid.js'));
  return Buffer.from(text, 'latin1');
}
