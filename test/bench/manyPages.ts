/** Finished pictures a second of one ad on many pages, against a browser that only opens each page and takes a screenshot. */
import { chromium } from 'playwright';
import { CreativeOutcomes } from '../../src/capture/engine/creativeOutcomes.ts';
import { startEngine } from '../../src/capture/engine/engine.ts';
import { processPages } from '../../src/capture/engine/pageQueue.ts';
import type { PictureResult } from '../../src/capture/engine/pageTask.ts';
import { PhaseTimer } from '../../src/capture/engine/phaseTimer.ts';
import { openDeviceContext } from '../../src/capture/page/deviceContext.ts';
import type { Device } from '../../src/domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/screenshotOptions.ts';
import { TaskGroup } from '../../src/lib/taskGroup.ts';
import { startPublishers } from '../fixtures/publisherServer.ts';
import { TEST_LOG } from '../support/testLog.ts';
import { type BenchAd, drawAds, holdsAd } from './ads.ts';
import type { Figure } from './figure.ts';
import { CHROMIUM } from './machine.ts';
import { timed } from './medians.ts';
import { named } from './pictures.ts';
import { SANDBOX } from './rawCapture.ts';
import { startSites } from './sites.ts';

export interface ManyPagesOptions {
  readonly rounds: number;
  readonly pages: number;
  /** Pages that are open at the same time, on both sides. */
  readonly pagesAtOnce: number;
}

/** In each round, one side starts first in turn. */
export async function measureManyPages({ rounds, pages, pagesAtOnce }: ManyPagesOptions): Promise<Figure> {
  const publishers = await startPublishers();
  const sites = await startSites(pages, publishers.cdn);
  const device = named('desktop');
  const [ad] = await drawAds(1, device.ratio);
  if (ad === undefined) throw new Error('There is no ad to measure with.');
  const seen = { ours: [] as number[], floor: [] as number[] };
  try {
    for (let round = 0; round < rounds; round++) {
      const sides = [
        async () => seen.ours.push(await ours(sites.urls, { ad, device, pagesAtOnce })),
        async () => seen.floor.push(await floor(sites.urls, { device, pagesAtOnce })),
      ];
      for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
    }
  } finally {
    await sites.close();
    await publishers.close();
  }
  return {
    name: `one ad on ${pages} different pages, desktop, ${pagesAtOnce} open at once`,
    unit: 'pages/s',
    ours: seen.ours,
    other: { name: 'Playwright: a new context, goto until load, screenshot; as many at once', values: seen.floor },
    aim: { at: 'least', value: 0.5 },
  };
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
