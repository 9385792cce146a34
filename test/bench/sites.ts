/** The sites of the benches. */
import { createServer, type ServerResponse } from 'node:http';
import { sleep } from '../../src/lib/sleep.ts';
import { startListener } from '../support/listeners.ts';

const PHOTOS = ['bread', 'car', 'chip', 'cinema', 'coast', 'desert', 'desk', 'forest', 'garden', 'harbour', 'market'];
const WORDS = 'the harbour opened late and no one in town could say which of the ships had left before the storm'.split(
  ' ',
);

/**
 * Different pages of a local server, as heavy as small news sites: photos, lazy photos, a tag, late scripts, some consent dialogs.
 *
 * @param cdn the base of the fixtures' CDN, which serves the photos and the tag.
 */
export async function startSites(count: number, cdn: string) {
  const server = await startListener(
    createServer(({ url = '/' }, response) => void answer(url, cdn, response).catch(() => response.destroy())),
  );
  const urlOf = (_: unknown, index: number) => `http://site-${index}.localhost:${server.port}/${index}/`;
  return { urls: Array.from({ length: count }, urlOf), close: () => server.close() };
}

/** Sites answer after 20 to 120 ms, and their scripts after 50 to 250 ms more. */
async function answer(url: string, cdn: string, response: ServerResponse): Promise<void> {
  const index = Number(/^\/(\d+)\//.exec(url)?.[1] ?? 0);
  await sleep(20 + ((index * 37) % 100));
  if (url.endsWith('/late.js')) {
    await sleep(50 + ((index * 53) % 200));
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(lateScript(index, cdn));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(index, cdn));
}

function pageOf(index: number, cdn: string): string {
  const hue = (index * 47) % 360;
  const slot = `div-gpt-ad-${index}`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Site ${index}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { margin: 0; font: 17px/1.5 sans-serif; color: hsl(${hue} 30% 15%); background: hsl(${hue} 30% 96%) }
header { padding: 20px 40px; color: #fff; background: hsl(${hue} 50% 30%) }
main { display: grid; grid-template-columns: minmax(0, 1fr) 300px; gap: 40px; max-width: 1160px; margin: 30px auto; padding: 0 20px }
.photos { display: grid; grid-template-columns: 1fr 1fr; gap: 20px } .photos img { width: 100%; height: 240px; object-fit: cover }
.slot { width: 300px; min-height: 250px; background: #0001 }
#onetrust-banner-sdk { position: fixed; left: 0; right: 0; bottom: 0; padding: 40px; background: #fff; box-shadow: 0 0 30px #0006 }
@media (max-width: 800px) { main { grid-template-columns: 1fr } }
</style>
<script async src="${cdn}/tag/js/gpt.js"></script>
<script>
window.googletag = window.googletag || { cmd: [] };
googletag.cmd.push(function () {
  googletag.defineSlot('/1/site-${index}/rail', [[300, 250]], '${slot}').addService(googletag.pubads());
  googletag.enableServices();
  googletag.display('${slot}');
});
</script></head><body>
<header><h1>Site number ${index}</h1></header>
<main><article>${photos(index, cdn, 0)}${paragraphs(index)}${photos(index, cdn, 2, ' loading="lazy"')}${paragraphs(index + 5)}
${photos(index, cdn, 4, ' loading="lazy"')}</article>
<aside><div class="slot" id="${slot}"></div>${photos(index, cdn, 6)}</aside></main>
${index % 4 === 1 ? CONSENT_DIALOG : ''}<script async src="late.js"></script></body></html>`;
}

function paragraphs(index: number): string {
  return Array.from({ length: 12 }, (_, number) => {
    const words = Array.from({ length: 60 }, (_, word) => WORDS[(word * 7 + number * 5 + index * 3) % WORDS.length]);
    return `<p>${words.join(' ')}.</p>`;
  }).join('');
}

function photos(index: number, cdn: string, first: number, lazy = ''): string {
  const images = [first, first + 1].map((number) => {
    const name = PHOTOS[(index + number * 5) % PHOTOS.length];
    return `<img src="${cdn}/photos/${name}.webp" width="960" height="640" alt=""${lazy}>`;
  });
  return `<div class="photos">${images.join('')}</div>`;
}

/** The markup of a well-known consent platform. */
const CONSENT_DIALOG = `<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" role="dialog"><p>We and our partners use cookies.</p>
<button id="onetrust-reject-all-handler" onclick="document.getElementById('onetrust-consent-sdk').remove()">Reject All</button>
<button id="onetrust-accept-btn-handler" onclick="document.getElementById('onetrust-consent-sdk').remove()">Accept All</button></div></div>`;

/** Loads more after the page, as scripts of publishers do. */
function lateScript(index: number, cdn: string): string {
  const name = PHOTOS[(index + 3) % PHOTOS.length];
  return `for (let busy = performance.now() + 15; performance.now() < busy; );
const image = new Image(300, 200);
image.src = '${cdn}/photos/${name}.webp';
document.querySelector('aside').append(image);`;
}
