/** Composes a page with an ad and encodes the PNG: by the engine, and by sharp from all pixels. */
import sharp from 'sharp';
import { PageComposer } from '../../src/capture/compose/pageComposer.ts';
import { decodePng, overlaid, type Pixels } from '../../src/capture/compose/pixels.ts';
import { startEngine } from '../../src/capture/engine/engine.ts';
import type { Box } from '../../src/capture/page/page.ts';
import { TaskGroup } from '../../src/lib/taskGroup.ts';
import { startPublishers } from '../fixtures/publisherServer.ts';
import { TEST_LOG } from '../support/testLog.ts';
import { type Figure, inTurns, timed } from './figures.ts';
import { drawAds, named } from './pictures.ts';
import { CHROMIUM } from './service.ts';

const AT_ONCE = 3;

export async function measureEncoding({ rounds, ads: count }: { rounds: number; ads: number }): Promise<Figure[]> {
  const { page, at } = await pageWithAd();
  const ads = await Promise.all((await drawAds(count, 1)).map(({ frame }) => decodePng(frame.png)));
  const [ours = [], theirs = []] = await inTurns(rounds, [
    () => {
      const composer = new PageComposer(page, at);
      return pictures(ads, (ad) => composer.compose(ad));
    },
    () => pictures(ads, (ad) => bySharp(overlaid(page, ad, at))),
  ]);
  const name = `${count} ads composed with one page and encoded as PNG, desktop`;
  const figure = (unit: string, value: (one: Encoded) => number) => ({
    ...{ unit, ours: ours.map(value) },
    other: { name: 'sharp with its defaults, from the same pixels', values: theirs.map(value) },
  });
  return [
    { name, ...figure('pictures/s', ({ perSecond }) => perSecond) },
    { name: 'size of these files', ...figure('KiB', ({ kib }) => kib), aim: { at: 'most', value: 1.15 } },
  ];
}

interface Encoded {
  readonly perSecond: number;
  readonly kib: number;
}

/** A news page on a desktop, and the position of an ad in it. */
async function pageWithAd(): Promise<{ page: Pixels; at: Box }> {
  const publishers = await startPublishers();
  const engine = await startEngine({ chromiumPath: CHROMIUM, allow: ['127.0.0.0/8'], log: TEST_LOG });
  try {
    const [ad] = await drawAds(1, 1);
    const open = await engine.open(publishers.url('news'), named('desktop'));
    if (ad === undefined || open.status !== 'ready') throw new Error('The news page did not open.');
    const picture = await open.place(ad.frame);
    if (picture.status !== 'uploaded') throw new Error(`The ad was not placed: ${picture.reason}`);
    return { page: await decodePng(picture.png), at: picture.adBox };
  } finally {
    await engine.close();
    await publishers.close();
  }
}

async function pictures(ads: readonly Pixels[], make: (ad: Pixels) => Promise<Buffer>): Promise<Encoded> {
  let bytes = 0;
  const { seconds } = await timed(async () => {
    const making = new TaskGroup(AT_ONCE);
    for (const ad of ads) {
      await making.add(async () => {
        const png = await make(ad);
        bytes += png.length;
      });
    }
    await making.drain();
  });
  return { perSecond: ads.length / seconds, kib: bytes / ads.length / 1_024 };
}

function bySharp({ data, width, height }: Pixels): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}
