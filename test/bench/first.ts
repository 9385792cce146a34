/** Time from an accepted request to its first picture, in an idle `tearsheet dev`. */
import { sleep } from '../../src/lib/sleep.ts';
import { type Publishers, startPublishers } from '../fixtures/publisherServer.ts';
import type { Figure } from './figures.ts';
import { ask, type DevService, requestOf, withDev } from './service.ts';

const POLL_MS = 20;
const DEADLINE_MS = 60_000;
/** A pause, so that no work of the previous request is still ending. */
const REST_MS = 1_500;

export async function measureFirst(rounds: number): Promise<Figure[]> {
  const publishers = await startPublishers();
  try {
    return await withDev(async (service) => {
      await round(service, publishers);
      const ours: number[] = [];
      for (let index = 0; index < rounds; index++) ours.push(await round(service, publishers));
      return [{ name: 'from 202 to the first picture, one image on one page, `tearsheet dev`', unit: 's', ours }];
    });
  } finally {
    await publishers.close();
  }
}

/** @returns seconds. */
async function round(service: DevService, publishers: Publishers): Promise<number> {
  const request = requestOf([`${publishers.cdn}/media/marlow.jpg`], [publishers.url('news')], ['desktop']);
  const set = await ask<{ id: string }>(service, '/screenshot_requests', request);
  const start = performance.now();
  await pictured(service, set.id, start + DEADLINE_MS);
  const seconds = (performance.now() - start) / 1000;
  await sleep(REST_MS);
  return seconds;
}

async function pictured(service: DevService, id: string, endsAt: number): Promise<void> {
  while (performance.now() < endsAt) {
    const set = await ask<{ screenshots: { status: string }[] }>(service, `/screenshot_sets/${id}`);
    const status = set.screenshots[0]?.status;
    if (status === 'uploaded') return;
    if (status !== 'pending') throw new Error(`The picture has the status ${status}.`);
    await sleep(POLL_MS);
  }
  throw new Error(`There was no picture after ${DEADLINE_MS / 1000} s.`);
}
