import { SAME_PROPORTIONS } from './imageSize.ts';
import { withoutComments } from './markup.ts';
import type { Size } from './size.ts';

const RESET = '<!doctype html><meta charset="utf-8"><style>html,body{margin:0;background:#fff;overflow:hidden}';

/**
 * The page around a creative that is a document. The creative is in an iframe that may run scripts. It cannot open dialogs
 * or navigate the page. As on real pages, the iframe of an ad has neither margins nor scroll bars.
 */
export function framePage(url: string, { width, height }: Size): string {
  return `${RESET}iframe{display:block;border:0}</style><iframe src="${escaped(url)}" width="${width}" height="${height}" \
sandbox="allow-scripts allow-same-origin allow-forms allow-pointer-lock allow-popups allow-presentation" \
allow="autoplay; fullscreen; encrypted-media; picture-in-picture" scrolling="no" marginwidth="0" marginheight="0"></iframe>`;
}

/** A page with one image that only the browser can paint, for example an animated one. */
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
  return /\bmraid\s*\.\s*\w/.test(tag) && !/\bmraid\.js\b/i.test(tag) ? `${scriptTag('mraid.js')}${tag}` : tag;
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
