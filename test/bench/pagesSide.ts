/** One side of the bench of pages, in a process of its own. It sends `ready`, waits for a message, works, and sends the seconds that it took. */
import { once } from 'node:events';
import { type Browser, chromium } from 'playwright';
import { CreativeOutcomes } from '../../src/capture/engine/creativeOutcomes.ts';
import { startEngine } from '../../src/capture/engine/engine.ts';
import { processPages } from '../../src/capture/engine/pageQueue.ts';
import { PhaseTimer, type PictureResult } from '../../src/capture/engine/pageTask.ts';
import type { Device } from '../../src/domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/screenshotOptions.ts';
import { TaskGroup } from '../../src/lib/taskGroup.ts';
import { openDeviceContext } from '../support/deviceContext.ts';
import { TEST_LOG } from '../support/testLog.ts';
import { type BenchAd, drawAds, holdsAd, named, SANDBOX, showInSlot } from './pictures.ts';
import { CHROMIUM } from './service.ts';

/** The argument of this program, as JSON. */
export type SideOptions =
  | (PageOptions & { readonly side: 'ours' | 'floor' })
  | (PageOptions & {
      readonly side: 'script';
      /** URLs of images. */
      readonly ads: readonly string[];
      /** Names of devices. */
      readonly devices: readonly string[];
    });

interface PageOptions {
  readonly urls: readonly string[];
  /** Pages that are open at the same time. */
  readonly pagesAtOnce: number;
}

interface Work {
  /** With the start of the browser. */
  run(): Promise<void>;
  end(): Promise<void>;
}

async function main(options: SideOptions): Promise<void> {
  const work = options.side === 'ours' ? await ours(options, named('desktop')) : playwright(options);
  process.send?.('ready');
  await once(process, 'message');
  const start = performance.now();
  await work.run();
  process.send?.((performance.now() - start) / 1000);
  await work.end();
  process.disconnect();
}

/** `end` throws an Error if a picture does not show the ad. */
async function ours({ urls, pagesAtOnce }: PageOptions, device: Device): Promise<Work> {
  const [ad] = await drawAds(1, device.ratio);
  if (ad === undefined) throw new Error('There is no ad to measure with.');
  const outcomes = new CreativeOutcomes();
  const frame = async () => ad.frame;
  outcomes.resolve('ad', {
    status: 'rendered',
    mode: 'still',
    isVideo: false,
    warnings: [],
    frame,
    film: async () => undefined,
  });
  const pages = urls.map((site) => ({
    site,
    device,
    otherAds: DEFAULT_OPTIONS.otherAds,
    pictures: [{ id: site, ad: 'ad', markerMs: null, options: DEFAULT_OPTIONS }],
  }));
  const results: PictureResult[] = [];
  const engine = await startEngine({ chromiumPath: CHROMIUM, allow: ['127.0.0.0/8'], log: TEST_LOG });
  return {
    run: () =>
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
    end: async () => {
      await engine.close();
      for (const result of results) await requireAd(result, ad);
    },
  };
}

async function requireAd(result: PictureResult, ad: BenchAd): Promise<void> {
  if (result.status !== 'uploaded') throw new Error(`${result.wanted.id} has no picture: ${result.reason}`);
  const { png, adBox } = result.picture;
  if (!(await holdsAd(png, ad, adBox))) throw new Error(`The picture of ${result.wanted.id} does not show its ad.`);
}

/** The floor opens each page and takes a screenshot. The script opens it on each device for each ad, and puts the ad into the slot. */
function playwright(options: SideOptions): Work {
  const isScript = options.side === 'script';
  const ads = isScript ? options.ads : [undefined];
  const devices = isScript ? options.devices.map(named) : [named('desktop')];
  return {
    run: async () => {
      const browser = await chromium.launch({ executablePath: CHROMIUM, args: SANDBOX });
      const group = new TaskGroup(options.pagesAtOnce);
      for (const url of options.urls) {
        for (const device of devices) for (const ad of ads) await group.add(() => screenshot(browser, device, url, ad));
      }
      await group.drain();
      await browser.close();
    },
    end: async () => undefined,
  };
}

async function screenshot(browser: Browser, device: Device, url: string, ad: string | undefined): Promise<void> {
  const context = await openDeviceContext(browser, device);
  const page = await context.newPage();
  await page.goto(url, { waitUntil: 'load' });
  if (ad !== undefined) await page.evaluate(showInSlot, ['.slot', ad] as const);
  await page.screenshot();
  await context.close();
}

await main(JSON.parse(process.argv[2] ?? '') as SideOptions);
