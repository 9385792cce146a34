import { afterEach, expect, test } from 'vitest';
import { type Engine, startEngine } from '../../../../src/capture/engine/engine.ts';
import type { OpenPage, PageOpener } from '../../../../src/capture/page/page.ts';
import type { Location } from '../../../../src/contract/locations.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { required } from '../../../support/required.ts';
import { TEST_LOG } from '../../../support/testLog.ts';
import { device } from '../page/sites.ts';

const PAGE: OpenPage = {
  ...{ status: 'ready', finalUrl: 'http://news.example/', candidates: [], phases: {} },
  place: () => Promise.reject(new Error('unused')),
  placeTogether: async () => [],
  judge: async () => [],
  capture: () => Promise.reject(new Error('unused')),
  close: async () => undefined,
};

let engine: Engine;
/** The languages of the browsers that run, in the order of their starts. */
let running: string[];
afterEach(() => engine.close());

async function startCounted(): Promise<void> {
  running = [];
  engine = await startEngine(
    { chromiumPath: '', allow: [], sandbox: 'off', log: TEST_LOG, connectorOf: () => createGuard({ allow: [] }) },
    {
      startRenderer: () => Promise.reject(new Error('unused')),
      startPages: async (_options, languages): Promise<PageOpener> => {
        const name = languages.join();
        running.push(name);
        return {
          browserVersion: '1',
          open: async (site) =>
            site === 'closed' ? { status: 'generic_error', reason: site, finalUrl: site, candidates: [] } : PAGE,
          memoryConsumers: () => [],
          close: async () => void running.splice(running.indexOf(name), 1),
        };
      },
    },
  );
}

function open(languages?: string, site = 'http://news.example/') {
  const profile: Omit<Location, 'languages'> = {
    ...{ id: 'l', name: 'L', country: 'FR', locale: 'fr-FR', time_zone: 'Europe/Paris', geolocation: null },
    check_url: null,
  };
  const location = languages === undefined ? undefined : { ...profile, languages: languages.split(',') };
  return engine.open(site, device('desktop'), { location });
}

const close = (page: Awaited<ReturnType<typeof open>>) => required(page.status === 'ready' ? page : undefined).close();

test('a browser without open pages ends when pages with other languages need one', async () => {
  await startCounted();
  const [plain, french, german] = [await open(), await open('fr'), await open('de,en')];
  expect(running).toEqual(['en-US', 'fr', 'de,en']);
  for (const page of [plain, french]) await close(page);
  expect(running).toEqual(['en-US', 'fr', 'de,en']);
  const polish = await open('pl');
  expect(running).toEqual(['en-US', 'de,en', 'pl']);
  for (const page of [german, polish]) await close(page);
  await close(await open('fr'));
  expect(running).toEqual(['en-US', 'fr']);
});

test('a page that could not be opened keeps no browser', async () => {
  await startCounted();
  await open('fr', 'closed');
  await open('de');
  expect(running).toEqual(['de']);
});

test('pages without a location share the browser of the locations in English', async () => {
  await startCounted();
  await open();
  await open('en-US');
  expect(running).toEqual(['en-US']);
});
