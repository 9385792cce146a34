/** Two pages in one real browser. One of them is hostile, and the other must get the result that it would get alone. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CdpError } from '../../../../src/capture/browser/cdp.ts';
import { Tab } from '../../../../src/capture/browser/tab.ts';
import { CreativeOutcomes } from '../../../../src/capture/engine/creativeOutcomes.ts';
import { type Engine, startEngine } from '../../../../src/capture/engine/engine.ts';
import { processPages } from '../../../../src/capture/engine/pageQueue.ts';
import { PhaseTimer, type PictureResult } from '../../../../src/capture/engine/pageTask.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { TEST_LOG } from '../../../support/testLog.ts';
import { killBrowsers, killRenderers } from '../page/browserProcesses.ts';
import { ad, CHROMIUM, device, type Sites, startSites } from '../page/sites.ts';

let sites: Sites;
let engine: Engine;

beforeAll(async () => {
  sites = await startSites();
  const settings = { navigationTimeoutMs: 8_000, settleCapMs: 2_000 };
  engine = await startEngine({ chromiumPath: CHROMIUM, allow: ['127.0.0.0/8'], settings, log: TEST_LOG });
});
afterAll(async () => {
  await engine?.close();
  await sites?.close();
});

const SLOT = '<div id="div-gpt-ad-1" style="width:300px;height:250px"></div>';
const PLAIN = `<!doctype html><p>A page.</p>${SLOT}`;

async function take(urls: readonly string[]): Promise<Map<string, PictureResult>> {
  const frame = await ad(300, 250);
  const outcomes = new CreativeOutcomes();
  const film = async () => undefined;
  outcomes.resolve('ad', {
    status: 'rendered',
    mode: 'still',
    isVideo: false,
    warnings: [],
    frame: async () => frame,
    film,
  });
  const results = new Map<string, PictureResult>();
  const pages = urls.map((site) => ({
    site,
    device: device('desktop'),
    otherAds: 'hide' as const,
    pictures: [{ id: site, ad: 'ad', markerMs: null, options: DEFAULT_OPTIONS }],
  }));
  await processPages(pages, {
    engine,
    outcomes,
    phases: new PhaseTimer(),
    log: TEST_LOG,
    stop: new AbortController().signal,
    onResult: async (result) => void results.set(result.wanted.id, result),
    onOpening: () => undefined,
    maxOpenPages: 2,
  });
  return results;
}

test('a page that crashes the browser does not fail the other page', async () => {
  const { promise: plainAsked, resolve: notePlain } = Promise.withResolvers<void>();
  const kills = sites.put('/kills', () => void plainAsked.then(killBrowsers));
  let asked = 0;
  const plain = sites.put('/plain', (_request, response) => {
    asked += 1;
    notePlain();
    // The first request still waits for its answer when the browser ends.
    if (asked > 1) response.setHeader('content-type', 'text/html').end(PLAIN);
  });
  const results = await take([kills, plain]);
  expect(results.get(plain)?.status).toBe('uploaded');
  expect(results.get(kills)).toMatchObject({
    status: 'generic_error',
    reason: expect.stringContaining('crashed three browsers'),
  });
});

test('a page whose process is killed in two browsers gets its picture in the third', async () => {
  let asked = 0;
  const unlucky = sites.put('/unlucky', (_request, response) => {
    asked += 1;
    if (asked <= 2) killRenderers();
    else response.setHeader('content-type', 'text/html').end(PLAIN);
  });
  const results = await take([unlucky]);
  expect(results.get(unlucky)).toMatchObject({ status: 'uploaded' });
  expect(asked).toBe(3);
});

test('a page whose process is killed while it is created gets its picture in another browser', async () => {
  const site = sites.put('/created', PLAIN);
  const crash = new CdpError('Page.enable: Target crashed');
  const opening = vi.spyOn(Tab, 'open').mockRejectedValueOnce(crash).mockRejectedValueOnce(crash);
  try {
    const results = await take([site]);
    expect(results.get(site)).toMatchObject({ status: 'uploaded' });
    expect(opening).toHaveBeenCalledTimes(3);
  } finally {
    opening.mockRestore();
  }
});

test('a page whose process is killed while the ad is placed gets its picture in another browser', async () => {
  let asked = 0;
  // The script asks when the ad is put into the slot, and waits for the answer.
  const placed = sites.put('/placed', (_request, response) => {
    asked += 1;
    if (asked <= 2) killRenderers();
    else response.end();
  });
  const ask = `const request = new XMLHttpRequest(); request.open("GET", "${placed}", false); request.send();`;
  const watch = `new MutationObserver(() => { ${ask} }).observe(document.getElementById("div-gpt-ad-1"),
    { attributes: true, childList: true })`;
  const site = sites.put('/watches', `${PLAIN}<script>${watch}</script>`);
  const results = await take([site]);
  expect(results.get(site)).toMatchObject({ status: 'uploaded' });
  expect(asked).toBeGreaterThan(2);
});

test('a page that blocks its thread and a page that never answers do not fail the other page', async () => {
  const silent = sites.put('/silent', () => undefined);
  // A synchronous request without an answer blocks the thread and, unlike a loop, uses little processor time.
  const blocks = 'const request = new XMLHttpRequest(); request.open("GET", "/silent", false); request.send();';
  const busy = sites.put('/busy', `${PLAIN}<script>onload = () => { while (true) { ${blocks} } }</script>`);
  const plain = sites.put('/plain', PLAIN);
  const results = await take([busy, silent, plain]);
  expect(results.get(plain)?.status).toBe('uploaded');
  expect(results.get(silent)?.status).toBe('net_read_timeout');
  expect(['generic_error', 'net_read_timeout']).toContain(results.get(busy)?.status);
}, 300_000);
