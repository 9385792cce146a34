/** Finished pictures a second, with many ads on one page: composed by the engine, captured over CDP, captured by the peer. */
import { type Engine, startEngine } from '../../src/capture/engine/engine.ts';
import type { OpenPage, Picture } from '../../src/capture/page/page.ts';
import { type Device, findDevice } from '../../src/domain/devices.ts';
import { TaskGroup } from '../../src/lib/taskGroup.ts';
import { type Publishers, startPublishers } from '../fixtures/publisherServer.ts';
import { TEST_LOG } from '../support/testLog.ts';
import { type BenchAd, drawAds, holdsAd } from './ads.ts';
import type { Figure } from './figure.ts';
import { CHROMIUM } from './machine.ts';
import { timed } from './medians.ts';
import { type Peer, preparePeer } from './peer.ts';
import { openRawPage, type RawPage } from './rawCapture.ts';

export interface PicturesOptions {
  readonly rounds: number;
  readonly ads: number;
  /** Pictures of the peer in one round: it is slow. */
  readonly peerPictures: number;
}

/** Number of pictures that a capture processes at once. */
const AT_ONCE = 3;
const PAGE = 'news';
/** The slot of the page with 300×250. */
const SLOT = '#div-gpt-ad-rail-1';

export async function measurePictures(options: PicturesOptions): Promise<Figure[]> {
  const publishers = await startPublishers();
  const engine = await startEngine({ chromiumPath: CHROMIUM, allow: ['127.0.0.0/8'], log: TEST_LOG });
  try {
    const bench = { publishers, engine, ...options };
    return [...(await onDesktop(bench)), ...(await onPhone(bench))];
  } finally {
    await engine.close();
    await publishers.close();
  }
}

interface Bench extends PicturesOptions {
  readonly publishers: Publishers;
  readonly engine: Engine;
}

async function onDesktop(bench: Bench): Promise<Figure[]> {
  const device = named('desktop');
  const ads = await drawAds(bench.ads, device.ratio);
  const peer = await preparePeer({ url: bench.publishers.url(PAGE), device, slot: SLOT });
  const raw = await openRawPage({ url: bench.publishers.url(PAGE), device, slot: SLOT });
  const seen = { whole: [] as number[], placed: [] as number[], raw: [] as number[], peer: [] as number[] };
  try {
    await ours(bench, device, ads);
    for (let round = 0; round < bench.rounds; round++) {
      const { whole, placed } = await ours(bench, device, ads);
      seen.whole.push(whole);
      seen.placed.push(placed);
      seen.raw.push(await overCdp(raw, ads));
      seen.peer.push(await byPeer(peer, ads.slice(0, bench.peerPictures)));
    }
  } finally {
    await raw.close();
  }
  const unit = 'pictures/s';
  const website = `capture-website ${peer.version}, one call for each picture`;
  return [
    {
      name: `${ads.length} ads on one page, desktop, with the opening of the page`,
      unit,
      ours: seen.whole,
      other: { name: website, values: seen.peer },
      aim: { at: 'least', value: 100 },
    },
    {
      name: 'the same, after the page is open',
      unit,
      ours: seen.placed,
      other: { name: website, values: seen.peer },
      aim: { at: 'least', value: 100 },
    },
    {
      name: 'the same, after the page is open',
      unit,
      ours: seen.placed,
      other: { name: 'raw CDP: swap the image, Page.captureScreenshot', values: seen.raw },
      aim: { at: 'least', value: 3 },
    },
  ];
}

async function onPhone(bench: Bench): Promise<Figure[]> {
  const device = named('mobile');
  const ads = await drawAds(bench.ads, device.ratio);
  const raw = await openRawPage({ url: bench.publishers.url(PAGE), device, slot: SLOT });
  const seen = { placed: [] as number[], raw: [] as number[] };
  try {
    for (let round = 0; round < bench.rounds; round++) {
      seen.placed.push((await ours(bench, device, ads)).placed);
      seen.raw.push(await overCdp(raw, ads));
    }
  } finally {
    await raw.close();
  }
  return [
    {
      name: `${ads.length} ads on one page, phone at pixel ratio ${device.ratio}, after the page is open`,
      unit: 'pictures/s',
      ours: seen.placed,
      other: { name: 'raw CDP: swap the image, Page.captureScreenshot', values: seen.raw },
    },
  ];
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
    if (ad === undefined || !(await holdsAd(png, ad, adBox)))
      throw new Error('A picture of Tearsheet does not show its ad.');
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

const overCdp = (raw: RawPage, ads: readonly BenchAd[]) => oneByOne((ad) => raw.capture(ad), ads);
const byPeer = (peer: Peer, ads: readonly BenchAd[]) => oneByOne((ad) => peer.capture(ad), ads);

/** @returns pictures a second; pictures that were taken before their ad was painted do not count. */
async function oneByOne(capture: (ad: BenchAd) => Promise<Buffer>, ads: readonly BenchAd[]): Promise<number> {
  const pictures: (readonly [Buffer, BenchAd])[] = [];
  const { seconds } = await timed(async () => {
    for (const ad of ads) pictures.push([await capture(ad), ad]);
  });
  let right = 0;
  for (const [png, ad] of pictures) if (await holdsAd(png, ad)) right++;
  if (right < ads.length / 2)
    throw new Error('Most pictures of the other side do not show their ad, so no comparison is possible.');
  return right / seconds;
}

export function named(name: string): Device {
  const device = findDevice(name);
  if (device === undefined) throw new Error(`There is no device ${name}.`);
  return device;
}
