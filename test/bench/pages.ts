/** Finished pictures a second of one ad on many pages, against a browser that only opens each page and takes a screenshot. */
import { createServer, type ServerResponse } from 'node:http';
import { chromium } from 'playwright';
import { CreativeOutcomes } from '../../src/capture/engine/creativeOutcomes.ts';
import { startEngine } from '../../src/capture/engine/engine.ts';
import { processPages } from '../../src/capture/engine/pageQueue.ts';
import { PhaseTimer, type PictureResult } from '../../src/capture/engine/pageTask.ts';
import { openDeviceContext } from '../../src/capture/page/deviceContext.ts';
import type { Device } from '../../src/domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/screenshotOptions.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { TaskGroup } from '../../src/lib/taskGroup.ts';
import { startPublishers } from '../fixtures/publisherServer.ts';
import { startListener } from '../support/listeners.ts';
import { TEST_LOG } from '../support/testLog.ts';
import { type Figure, inTurns, timed } from './figures.ts';
import { type BenchAd, drawAds, holdsAd, named, SANDBOX } from './pictures.ts';
import { CHROMIUM } from './service.ts';

export interface PagesOptions {
  readonly rounds: number;
  readonly pages: number;
  /** Pages that are open at the same time, on both sides. */
  readonly pagesAtOnce: number;
}

export async function measurePages({ rounds, pages, pagesAtOnce }: PagesOptions): Promise<Figure> {
  const publishers = await startPublishers();
  const sites = await startSites(pages, publishers.cdn);
  const device = named('desktop');
  const [ad] = await drawAds(1, device.ratio);
  if (ad === undefined) throw new Error('There is no ad to measure with.');
  try {
    const [values = [], floorValues = []] = await inTurns(rounds, [
      () => ours(sites.urls, { ad, device, pagesAtOnce }),
      () => floor(sites.urls, { device, pagesAtOnce }),
    ]);
    return {
      name: `one ad on ${pages} different pages, desktop, ${pagesAtOnce} open at once`,
      unit: 'pages/s',
      ours: values,
      other: { name: 'Playwright: a new context, goto until load, screenshot; as many at once', values: floorValues },
      aim: { at: 'least', value: 0.5 },
    };
  } finally {
    await sites.close();
    await publishers.close();
  }
}

interface Side {
  readonly device: Device;
  readonly pagesAtOnce: number;
}

/** @returns pages a second, with the start of the browser. @throws Error if a picture does not show the ad. */
async function ours(urls: readonly string[], { ad, device, pagesAtOnce }: Side & { ad: BenchAd }): Promise<number> {
  const outcomes = new CreativeOutcomes();
  outcomes.resolve('ad', { status: 'rendered', mode: 'still', warnings: [], frame: async () => ad.frame });
  const pages = urls.map((site) => ({
    site,
    device,
    otherAds: DEFAULT_OPTIONS.otherAds,
    pictures: [{ id: site, ad: 'ad', markerMs: null, options: DEFAULT_OPTIONS }],
  }));
  const results: PictureResult[] = [];
  const engine = await startEngine({ chromiumPath: CHROMIUM, allow: ['127.0.0.0/8'], log: TEST_LOG });
  try {
    const { seconds } = await timed(() =>
      processPages(pages, {
        engine,
        outcomes,
        phases: new PhaseTimer(),
        log: TEST_LOG,
        stop: new AbortController().signal,
        onResult: async (result) => void results.push(result),
        onOpening: () => undefined,
        maxOpenPages: pagesAtOnce,
      }),
    );
    for (const result of results) await requireAd(result, ad);
    return urls.length / seconds;
  } finally {
    await engine.close();
  }
}

async function requireAd(result: PictureResult, ad: BenchAd): Promise<void> {
  if (result.status !== 'uploaded') throw new Error(`${result.wanted.id} has no picture: ${result.reason}`);
  const { png, adBox } = result.picture;
  if (!(await holdsAd(png, ad, adBox))) throw new Error(`The picture of ${result.wanted.id} does not show its ad.`);
}

/** @returns pages a second, with the start of the browser. */
async function floor(urls: readonly string[], { device, pagesAtOnce }: Side): Promise<number> {
  const { seconds } = await timed(async () => {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: SANDBOX });
    const group = new TaskGroup(pagesAtOnce);
    for (const url of urls) {
      await group.add(async () => {
        const context = await openDeviceContext(browser, device);
        const page = await context.newPage();
        await page.goto(url, { waitUntil: 'load' });
        await page.screenshot();
        await context.close();
      });
    }
    await group.drain();
    await browser.close();
  });
  return urls.length / seconds;
}

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
