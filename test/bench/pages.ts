/** Finished pictures of one ad on many pages, against a browser that only opens each page and takes a screenshot: rate and processor time. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startPublishers } from '../fixtures/publisherServer.ts';
import { type Figure, inTurns } from './figures.ts';
import type { SideOptions } from './pagesSide.ts';
import { ProcessTreeMeter } from './processTree.ts';
import { startSites } from './sites.ts';

export interface PagesOptions {
  readonly rounds: number;
  readonly pages: number;
  /** Pages that are open at the same time, on both sides. */
  readonly pagesAtOnce: number;
}

/** The cost of the work of one side. */
export interface SideCost {
  readonly seconds: number;
  /** By the process and its browser. */
  readonly cpuSeconds: number;
}

const PROGRAM = fileURLToPath(new URL('pagesSide.ts', import.meta.url));

export async function measurePages({ rounds, pages, pagesAtOnce }: PagesOptions): Promise<Figure[]> {
  const publishers = await startPublishers();
  const { urls, close } = await startSites(pages, publishers.cdn);
  try {
    const [ours = [], floor = []] = await inTurns(rounds, [
      () => measureSide({ side: 'ours', urls, pagesAtOnce }),
      () => measureSide({ side: 'floor', urls, pagesAtOnce }),
    ]);
    const figure = (unit: string, value: (cost: SideCost) => number) => ({
      ...{
        name: `one ad on ${pages} different pages, desktop, ${pagesAtOnce} open at once`,
        unit,
        ours: ours.map(value),
      },
      other: {
        name: 'Playwright: a new context, goto until load, screenshot; as many at once',
        values: floor.map(value),
      },
    });
    return [
      figure('pages/s', ({ seconds }) => pages / seconds),
      {
        ...figure('processor seconds a page', ({ cpuSeconds }) => cpuSeconds / pages),
        aim: { at: 'most', value: 1.9 },
      },
    ];
  } finally {
    await close();
    await publishers.close();
  }
}

/** @throws Error if the side fails. */
export async function measureSide(options: SideOptions): Promise<SideCost> {
  const child = fork(PROGRAM, [JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => Promise.reject(new Error(`The side ${options.side} ended with ${code}.`)));
  failed.catch((error: unknown) => void error);
  await Promise.race([once(child, 'message'), failed]);
  const meter = new ProcessTreeMeter(child.pid ?? 0);
  const before = meter.cpuSeconds();
  child.send('start');
  const [seconds] = await Promise.race([once(child, 'message'), failed]);
  const cpuSeconds = meter.cpuSeconds() - before;
  meter.stop();
  const [code] = await ended;
  if (code !== 0) throw new Error(`The side ${options.side} ended with ${code}.`);
  return { seconds: Number(seconds), cpuSeconds };
}
