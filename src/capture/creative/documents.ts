import { withoutComments } from './markup.ts';
import type { Size } from './size.ts';

const RESET = '<!doctype html><meta charset="utf-8"><style>html,body{margin:0;background:#fff;overflow:hidden}';

/**
 * The page around a creative that is a document. It stands in a frame that may run scripts, but can neither leave
 * it (no navigation of the top) nor open dialogs; frames of ads have no margins and no scroll bars on real pages either.
 */
export function framePage(url: string, { width, height }: Size): string {
  return `${RESET}iframe{display:block;border:0}</style><iframe src="${escaped(url)}" width="${width}" height="${height}" \
sandbox="allow-scripts allow-same-origin allow-forms allow-pointer-lock allow-popups allow-presentation" \
allow="autoplay; fullscreen; encrypted-media; picture-in-picture" scrolling="no" marginwidth="0" marginheight="0"></iframe>`;
}

/** A picture that moves, or is drawn by the browser. */
export function imagePage(source: string, { width, height }: Size): string {
  return `${RESET}img{display:block}</style><img src="${escaped(source)}" width="${width}" height="${height}" alt="">`;
}

/** The page that holds a video: no playing, every moment is sought. Its bytes stand in memory, so that seeks are exact. */
export function videoPage(source: string, { width, height }: Size): string {
  return `<!doctype html><meta charset="utf-8"><style>html,body{margin:0;background:#fff;overflow:hidden}
video{display:block;width:${width}px;height:${height}px;object-fit:fill}</style><video muted playsinline preload="auto"></video><script>
fetch(${JSON.stringify(source)}).then((answer) => answer.blob()).then((blob) => {
  document.querySelector('video').src = URL.createObjectURL(blob);
});
</script>`;
}

/** The document that a tag is written into. A tag that is a document already stays as it is. */
export function tagDocument(tag: string): string {
  if (/^\s*<(!doctype|html)\b/i.test(withoutComments(tag))) return tag;
  return `<!doctype html><html><head><meta charset="utf-8"><style>body{margin:0}</style></head><body>${tag}</body></html>`;
}

/** The tag for an address that turned out to be JavaScript. */
export function scriptTag(url: string): string {
  return `<script src="${escaped(url)}"></script>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
