/** Finished pictures a second, with many ads on one page: composed by the engine, and captured over CDP from a loaded page. */
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import sharp from 'sharp';
import type { CreativeFrame } from '../../src/capture/creative/creative.ts';
import { type Engine, startEngine } from '../../src/capture/engine/engine.ts';
import type { OpenPage, Picture } from '../../src/capture/page/page.ts';
import { type Device, findDevice } from '../../src/domain/devices.ts';
import { TaskGroup } from '../../src/lib/taskGroup.ts';
import { type Publishers, startPublishers } from '../fixtures/publisherServer.ts';
import { openDeviceContext } from '../support/deviceContext.ts';
import { TEST_LOG } from '../support/testLog.ts';
import { type Figure, inTurns, timed } from './figures.ts';
import { CHROMIUM } from './service.ts';

export interface PicturesOptions {
  readonly rounds: number;
  readonly ads: number;
}

/** Number of pictures that a capture processes at once. */
const AT_ONCE = 3;
const PAGE = 'news';
/** The slot of the page with 300×250. */
const SLOT = '#div-gpt-ad-rail-1';
const [WIDTH, HEIGHT] = [300, 250];
const PHOTOGRAPH = fileURLToPath(new URL('../fixtures/media/files/marlow.jpg', import.meta.url));
export const SANDBOX = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

export async function measurePictures({ rounds, ads: count }: PicturesOptions): Promise<Figure[]> {
  const publishers = await startPublishers();
  const engine = await startEngine({ chromiumPath: CHROMIUM, allow: ['127.0.0.0/8'], log: TEST_LOG });
  const bench = { publishers, engine, rounds };
  try {
    return [...(await onDevice(bench, named('desktop'), count)), ...(await onDevice(bench, named('mobile'), count))];
  } finally {
    await engine.close();
    await publishers.close();
  }
}

interface Bench {
  readonly publishers: Publishers;
  readonly engine: Engine;
  readonly rounds: number;
}

async function onDevice(bench: Bench, device: Device, count: number): Promise<Figure[]> {
  const ads = await drawAds(count, device.ratio);
  const raw = await openRawPage(bench.publishers.url(PAGE), device);
  try {
    await ours(bench, device, ads);
    const whole: number[] = [];
    const [placed = [], floor = []] = await inTurns(bench.rounds, [
      async () => {
        const measured = await ours(bench, device, ads);
        whole.push(measured.whole);
        return measured.placed;
      },
      () => overCdp(raw, ads),
    ]);
    const [name, unit] = [`${count} ads on one page, ${device.name} at pixel ratio ${device.ratio}`, 'pictures/s'];
    const other = { name: 'raw CDP: swap the image, Page.captureScreenshot', values: floor };
    const aim = device.ratio === 1 ? { aim: { at: 'least', value: 3 } as const } : {};
    return [
      { name: `${name}, with the opening of the page`, unit, ours: whole, other },
      { name: `${name}, after the page is open`, unit, ours: placed, other, ...aim },
    ];
  } finally {
    await raw.close();
  }
}

/** @returns pictures a second, with and without opening the page. */
async function ours({ engine, publishers }: Bench, device: Device, ads: readonly BenchAd[]) {
  const opening = await timed(() => engine.open(publishers.url(PAGE), device));
  const page = opening.result;
  if (page.status !== 'ready') throw new Error(`${PAGE} did not open: ${page.reason}`);
  const { seconds, result: pictures } = await timed(() => placeAll(page, ads));
  await page.close();
  for (const [index, { png, adBox }] of pictures.entries()) {
    const ad = ads[index];
    if (ad === undefined || !(await holdsAd(png, ad, adBox))) throw new Error('A picture does not show its ad.');
  }
  return { whole: ads.length / (opening.seconds + seconds), placed: ads.length / seconds };
}

async function placeAll(page: OpenPage, ads: readonly BenchAd[]): Promise<Picture[]> {
  const pictures: Picture[] = [];
  const group = new TaskGroup(AT_ONCE);
  for (const [index, ad] of ads.entries()) {
    await group.add(async () => {
      const picture = await page.place(ad.frame);
      if (picture.status !== 'uploaded') throw new Error(`An ad was not placed: ${picture.reason}`);
      pictures[index] = picture;
    });
  }
  await group.drain();
  return pictures;
}

type RawPage = Awaited<ReturnType<typeof openRawPage>>;

/** The floor: the page is loaded once. For each ad, it swaps the image and captures over CDP, without any checks. */
async function openRawPage(url: string, device: Device) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: SANDBOX });
  const context = await openDeviceContext(browser, device);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const metrics = { ...device.viewport, deviceScaleFactor: device.ratio, mobile: device.touch };
  await session.send('Emulation.setDeviceMetricsOverride', metrics);
  await page.goto(url, { waitUntil: 'networkidle' });
  return {
    async capture({ source }: BenchAd): Promise<Buffer> {
      await page.evaluate(showInSlot, [SLOT, source] as const);
      // The fastest setting.
      const { data } = await session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
      return Buffer.from(data, 'base64');
    },
    close: () => browser.close(),
  };
}

/** Runs in the page: puts the image into the slot, alone and at its top left corner, in view. */
export async function showInSlot([selector, source]: readonly [string, string]): Promise<void> {
  const slot = document.querySelector<HTMLElement>(selector);
  if (slot === null) throw new Error(`The page has no ${selector}.`);
  let image = slot.querySelector<HTMLImageElement>('img.bench');
  if (image === null) {
    image = document.createElement('img');
    image.className = 'bench';
    image.decoding = 'sync';
    image.style.cssText = 'display:block;width:300px;height:250px;margin:0';
    slot.replaceChildren(image);
    const { top, bottom } = slot.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) slot.scrollIntoView({ block: 'center', behavior: 'instant' });
  }
  image.src = source;
  await image.decode();
}

/** @returns pictures a second; pictures that were taken before their ad was painted do not count. */
async function overCdp(raw: RawPage, ads: readonly BenchAd[]): Promise<number> {
  const pictures: (readonly [Buffer, BenchAd])[] = [];
  const { seconds } = await timed(async () => {
    for (const ad of ads) pictures.push([await raw.capture(ad), ad]);
  });
  let right = 0;
  for (const [png, ad] of pictures) if (await holdsAd(png, ad)) right++;
  if (right < ads.length / 2) throw new Error('Most pictures of the floor do not show their ad.');
  return right / seconds;
}

export function named(name: string): Device {
  const device = findDevice(name);
  if (device === undefined) throw new Error(`There is no device ${name}.`);
  return device;
}

export interface BenchAd {
  readonly frame: CreativeFrame;
  /** As a URL for an `img`. */
  readonly source: string;
  /** Red, green and blue bytes of the frame, row by row. */
  readonly pixels: Buffer;
}

/** Different ads of 300×250 CSS pixels, with a photograph in each: like real creatives, they do not compress well. */
export async function drawAds(count: number, ratio: number): Promise<BenchAd[]> {
  const size = { width: WIDTH * ratio, height: HEIGHT * ratio };
  const ads: BenchAd[] = [];
  for (let index = 0; index < count; index++) {
    const photograph = sharp(PHOTOGRAPH).resize({ ...size, fit: 'fill' });
    const hue = Math.round((index * 360) / count);
    const pixels = await photograph.modulate({ hue }).removeAlpha().raw().toBuffer();
    const png = await sharp(pixels, { raw: { ...size, channels: 3 } })
      .png()
      .toBuffer();
    const frame: CreativeFrame = { markerMs: null, ratio, png, width: WIDTH, height: HEIGHT };
    ads.push({ frame, source: `data:image/png;base64,${png.toString('base64')}`, pixels });
  }
  return ads;
}

/** @param at where the ad must be; anywhere unless given. @returns whether every pixel of the ad is in the picture. */
export async function holdsAd(
  png: Uint8Array,
  { pixels, frame }: BenchAd,
  at?: { x: number; y: number },
): Promise<boolean> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const ad = { width: frame.width * frame.ratio, height: frame.height * frame.ratio };
  const bytes = ad.width * 3;
  const places = at === undefined ? placesOf(data, info, pixels.subarray(0, bytes)) : [at];
  return places.some(({ x, y }) => {
    if (y + ad.height > info.height) return false;
    for (let row = 0; row < ad.height; row++) {
      const start = ((y + row) * info.width + x) * 3;
      if (pixels.compare(data, start, start + bytes, row * bytes, (row + 1) * bytes) !== 0) return false;
    }
    return true;
  });
}

function placesOf(data: Buffer, info: { width: number }, row: Buffer): { x: number; y: number }[] {
  const places: { x: number; y: number }[] = [];
  for (let at = data.indexOf(row); at !== -1; at = data.indexOf(row, at + 1)) {
    if (at % 3 === 0) places.push({ x: (at / 3) % info.width, y: Math.floor(at / 3 / info.width) });
  }
  return places;
}
