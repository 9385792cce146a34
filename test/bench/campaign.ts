/** A campaign as a customer requests it, through `tearsheet dev`, and as a Playwright script that opens each page once for each ad. */
import { createServer } from 'node:http';
import { defaultOpenPages } from '../../src/capture/engine/pageQueue.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { startPublishers } from '../fixtures/publisherServer.ts';
import { startListener } from '../support/listeners.ts';
import { type Figure, inTurns } from './figures.ts';
import { measureSide, type SideCost } from './pages.ts';
import { drawAds } from './pictures.ts';
import { ProcessTreeMeter } from './processTree.ts';
import { ask, type DevService, requestOf, withDev } from './service.ts';
import { startSites } from './sites.ts';

export interface CampaignOptions {
  readonly rounds: number;
  readonly ads: number;
  readonly sites: number;
}

const DEVICES = ['desktop', 'mobile'];
const POLL_MS = 100;
const DEADLINE_MS = 600_000;
/** A capture stays warm for a while. After this time, both sides start cold. */
const REST_MS = 15_000;

export async function measureCampaign({ rounds, ads: adCount, sites: siteCount }: CampaignOptions): Promise<Figure[]> {
  const publishers = await startPublishers();
  const sites = await startSites(siteCount, publishers.cdn);
  const ads = await serveAds(adCount);
  const pagesAtOnce = await defaultOpenPages();
  const script = { side: 'script', urls: sites.urls, ads: ads.urls, devices: DEVICES, pagesAtOnce } as const;
  try {
    return await withDev(async (service, pid) => {
      const meter = new ProcessTreeMeter(pid);
      const request = requestOf(ads.urls, sites.urls, DEVICES);
      const costs = await inTurns(rounds, [() => capture(service, meter, request), () => measureSide(script)]);
      meter.stop();
      const name = `${adCount} ads × ${siteCount} sites × ${DEVICES.length} devices, from 202 to the last picture, \`tearsheet dev\``;
      return figuresOf(name, adCount * siteCount * DEVICES.length, costs);
    });
  } finally {
    await ads.close();
    await sites.close();
    await publishers.close();
  }
}

/** Different images of 300×250 on a local server. */
async function serveAds(count: number) {
  const files = (await drawAds(count, 1)).map(({ frame }) => frame.png);
  const server = await startListener(
    createServer(({ url = '' }, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).end(files[Number(/(\d+)\.png$/.exec(url)?.[1])]);
    }),
  );
  const urlOf = (_: unknown, index: number) => `http://127.0.0.1:${server.port}/${index}.png`;
  return { urls: files.map(urlOf), close: () => server.close() };
}

/** From the answer 202 to the last picture. @throws Error if a picture failed. */
async function capture(service: DevService, meter: ProcessTreeMeter, request: object): Promise<SideCost> {
  const cpuBefore = meter.cpuSeconds();
  const { id } = await ask<{ id: string }>(service, '/screenshot_requests', request);
  const start = performance.now();
  while (!(await hasEnded(service, id))) {
    if (performance.now() > start + DEADLINE_MS) throw new Error('The campaign has not ended in time.');
    await sleep(POLL_MS);
  }
  const cost = { seconds: (performance.now() - start) / 1000, cpuSeconds: meter.cpuSeconds() - cpuBefore };
  await sleep(REST_MS);
  return cost;
}

async function hasEnded(service: DevService, id: string): Promise<boolean> {
  const set = await ask<{ screenshots: { status: string }[] }>(service, `/screenshot_sets/${id}`);
  const failed = set.screenshots.find(({ status }) => status !== 'uploaded' && status !== 'pending');
  if (failed !== undefined) throw new Error(`A picture of ${id} has the status ${failed.status}.`);
  return set.screenshots.every(({ status }) => status === 'uploaded');
}

function figuresOf(campaign: string, pictures: number, [ours = [], script = []]: readonly SideCost[][]): Figure[] {
  const figure = (unit: string, secondsOf: (cost: SideCost) => number): Figure => ({
    ...{ name: campaign, unit, ours: ours.map((cost) => pictures / secondsOf(cost)) },
    other: {
      name: 'Playwright script: context, goto, swap, screenshot; as many at once',
      values: script.map((cost) => pictures / secondsOf(cost)),
    },
    aim: { at: 'least', value: 3 },
  });
  return [
    figure('pictures/s', ({ seconds }) => seconds),
    figure('pictures a processor second', ({ cpuSeconds }) => cpuSeconds),
  ];
}
