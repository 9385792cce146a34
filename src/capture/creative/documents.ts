import type { Size, ZipSite } from './creative.ts';
import { SAME_PROPORTIONS } from './imageSize.ts';
import { withoutComments } from './markup.ts';

const USES = /\bmraid\s*\.\s*\w/;
const LOADS = /\bmraid\.js\b/i;
/** A creative that asks whether there is MRAID works without it. */
const ASKS = /typeof\s+(?:window\.)?mraid\b|\bwindow\.mraid\b|\bwindow\[["']mraid["']\]|["']mraid["']\s+in\s+window/;

const CODE_FILES = /\.(?:x?html?|js)$/i;
/** A larger script is a library. */
const MAX_BYTES = 1024 * 1024;

const RESET = '<!doctype html><meta charset="utf-8"><style>html,body{margin:0;background:#fff;overflow:hidden}';

/**
 * The page around a creative that is a document. The creative is in an iframe that may run scripts. It cannot open dialogs
 * or navigate the page. As on real pages, the iframe of an ad has neither margins nor scroll bars.
 */
export function framePage(url: string, { width, height }: Size): string {
  return `${RESET}iframe{display:block;border:0}</style><iframe src="${escaped(url)}" width="${width}" height="${height}" \
sandbox="allow-scripts allow-same-origin allow-forms allow-pointer-lock allow-popups allow-presentation \
allow-top-navigation-by-user-activation" \
allow="autoplay; fullscreen; encrypted-media; picture-in-picture" scrolling="no" marginwidth="0" marginheight="0"></iframe>`;
}

/** A page with one image that only the browser can paint, for example an animated one or a CMYK JPEG. */
export function imagePage(source: string, { width, height }: Size): string {
  return `${RESET}img{display:block}</style><img src="${escaped(source)}" width="${width}" height="${height}" alt="">`;
}

/**
 * A page with a video that does not play: each marker is a seek. The video is a blob in memory, so that seeks are exact. A film
 * of other proportions gets black bars, as in a player. A difference below 2 % is rounding.
 */
export function videoPage(source: string, { width, height }: Size): string {
  return `<!doctype html><meta charset="utf-8"><style>html,body{margin:0;background:#fff;overflow:hidden}
video{display:block;width:${width}px;height:${height}px;object-fit:fill}</style><video muted playsinline preload="auto"></video><script>
fetch(${JSON.stringify(source)}).then((answer) => answer.blob()).then((blob) => {
  const video = document.querySelector('video');
  video.onloadedmetadata = () => {
    const ratio = (video.videoWidth / video.videoHeight) / (${width} / ${height});
    if (Math.abs(ratio - 1) > ${SAME_PROPORTIONS}) video.style.cssText += 'object-fit:contain;background:#000';
  };
  video.src = URL.createObjectURL(blob);
});
</script>`;
}

/** @returns an HTML document with the tag in its body. A tag that is a document is returned unchanged. */
export function tagDocument(tag: string): string {
  if (/^\s*<(!doctype|html)\b/i.test(withoutComments(tag))) return tag;
  return `<!doctype html><html><head><meta charset="utf-8"><style>body{margin:0}</style></head><body>${tag}</body></html>`;
}

/** @returns the tag with `mraid.js` if it uses MRAID without it: some apps inject it. The browser gets our stand-in for it. */
export function withMraid(tag: string): string {
  return USES.test(tag) && !LOADS.test(tag) ? `${scriptTag('mraid.js')}${tag}` : tag;
}

/** @returns a tag for a URL that delivers JavaScript. */
export function scriptTag(url: string): string {
  return `<script src="${escaped(url)}"></script>`;
}

/** @returns a tag for a URL that delivers a page. */
export function iframeTag(url: string, size: Size | undefined): string {
  const box = size === undefined ? '' : ` width="${size.width}" height="${size.height}"`;
  return `<iframe src="${escaped(url)}"${box} frameborder="0" scrolling="no" marginwidth="0" marginheight="0"></iframe>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/**
 * Replaces the macros that an ad server would fill in. Unknown macros stay, so that a creative's own templates work.
 * @param stamp a number for cache busters. It is always the same, so that two renderings give the same bytes.
 */
export function replaceMacros(text: string, stamp: string): string {
  return text
    .replace(
      /%%CACHEBUSTER%%|\$\{CACHEBUSTER\}|\{\{?CACHEBUSTER\}?\}|\[CACHEBUSTER\]|\[CACHEBUSTING\]|%5BCACHEBUST(ER|ING)%5D/gi,
      stamp,
    )
    .replace(
      /\[(timestamp|random|rand|ord|RANDOM_NUMBER)\]|%5B(timestamp|random)%5D|%%(TIMESTAMP|RANDOM)%%|\$\{(TIMESTAMP|RANDOM)\}|__(TIMESTAMP|RANDOM)__/gi,
      stamp,
    )
    .replace(/%%(CLICK_URL(_UNESC|_ESC(_ESC)?)?|VIEW_URL(_UNESC|_ESC)?|DEST_URL(_ESC(_ESC)?)?)%%/gi, '')
    .replace(/\$\{(CLICK_URL(_ENC|_UNESC|_ESC)?|CLICKURL(_ENC)?)\}|\[(CLICK_URL|clickTracker|CLICKTRACKER)\]/gi, '')
    .replace(/\{\{\s*(clickTag|click_?url|clickthrough)\s*\}\}|\$\{clickTag\}|%%clickTag%%/gi, 'about:blank')
    .replace(
      /%%(SITE|PATTERN:url|REFERRER_URL(_ESC)?)%%|\$\{(REFERER_URL|SOURCE_URL)(_ENC)?\}|\[(PAGEURL|PAGE_URL|REFERRER)\]/gi,
      '',
    )
    .replace(/\$\{(GDPR|US_PRIVACY|GDPR_CONSENT_\d+)\}|\[(GDPR|GDPRCONSENT|REGULATIONS)\]/gi, '');
}

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

/** A page in UTF-16 does not get the script. */
function withScript(html: Buffer): Buffer {
  return html[0] === 0xff || html[0] === 0xfe ? html : withMarkupAtStart(html, scriptTag('mraid.js'));
}

/** @returns the HTML with a base URL, so that relative URLs work when our origin serves it. */
export function basedAt(html: Buffer, url: string | undefined): Buffer {
  return url === undefined ? html : withMarkupAtStart(html, `<base href="${escaped(url)}">`);
}

/** Edits the page as bytes, because its encoding is unknown here. */
function withMarkupAtStart(html: Buffer, markup: string): Buffer {
  const text = html.toString('latin1').replace(/^(\xEF\xBB\xBF)?\s*(<!doctype[^>]*>)?/i, (start) => start + markup);
  return Buffer.from(text, 'latin1');
}
