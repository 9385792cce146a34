import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserProcess, startBrowser } from '../../../../src/capture/browser/browserProcess.ts';
import type { Tab } from '../../../../src/capture/browser/tab.ts';
import { AdPlacer } from '../../../../src/capture/page/adPlacer.ts';
import { openDeviceTab } from '../../../../src/capture/page/deviceContext.ts';
import { findSlots } from '../../../../src/capture/page/findSlots.ts';
import { LivePage } from '../../../../src/capture/page/livePage.ts';
import { pagesIn } from '../../../../src/capture/page/pageOpener.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { ad, adIn, CHROMIUM, device, pixelsOf, placed, type Sites, startSites } from '../page/sites.ts';

let sites: Sites;
let browser: BrowserProcess;
const open: Tab[] = [];

beforeAll(async () => {
  sites = await startSites();
  browser = await startBrowser({ chromiumPath: CHROMIUM }, pagesIn());
});
// An animated page that stays open costs the later tests processor time.
afterEach(async () => {
  for (const tab of open.splice(0)) await tab.close();
});
afterAll(async () => {
  await browser.close();
  await sites.close();
});

async function visit(url: string, name: string): Promise<AdPlacer> {
  const as = device(name);
  const tab = await openDeviceTab(browser, as);
  open.push(tab);
  await tab.navigate(url, 30_000);
  await tab.reached('loaded', 30_000);
  return new AdPlacer(new LivePage(tab), await findSlots(tab, 'hide', as.viewport), as.viewport);
}

const STORY = '<p>Words of a story that stand around the ad, in a serif face, to be rasterized twice alike.</p>'.repeat(
  12,
);
const HEAD =
  '<!doctype html><meta name="viewport" content="width=device-width"><style>body{margin:0;font:17px/1.5 serif} @keyframes turn{to{transform:rotate(1turn)}}</style>';
const SLOT = 'id="div-gpt-ad-1" style="width:300px;height:250px;background:#eee';

const page = (body: string) =>
  `${HEAD}${STORY}<div style="margin:20px;width:30px;height:30px;background:red;animation:turn 1s infinite linear"></div>${body}${STORY}`;

const PLAIN: [string, () => string][] = [
  ['in the page', () => sites.put('/plain', page(`<div ${SLOT};margin:auto">old <b>content</b></div>`))],
  [
    'in a frame of another origin',
    () => {
      sites.put('/inner', `<body style="margin:0"><div ${SLOT}"></div>`);
      return sites.put('/frame', page(`<iframe src="${sites.other}/inner" width="310" height="260"></iframe>`));
    },
  ],
  [
    'that is a frame itself',
    () => {
      sites.put('/house', '<body style="background:#cde">house ad');
      return sites.put(
        '/framed',
        page(`<iframe src="${sites.other}/house" width="300" height="250" style="border:0"></iframe>`),
      );
    },
  ],
  [
    'in a shadow root',
    () =>
      sites.put(
        '/shadow',
        page(`<div id="host"></div><script>host.attachShadow({mode:'open'}).innerHTML='<div ${SLOT}"></div>'</script>`),
      ),
  ],
  [
    'in its own scroll container',
    () => sites.put('/scroller', page(`<div style="height:400px;overflow:auto">${STORY}<div ${SLOT}"></div></div>`)),
  ],
  [
    'at a fraction of a pixel',
    () => sites.put('/fraction', page(`<div style="height:0.4px"></div><div ${SLOT};margin-left:7.3px"></div>`)),
  ],
];

/** One device for each pixel ratio. Small screens need less processor time. */
const DEVICES = ['desktop', 'Apple iPhone 5', 'mobile'];

describe.each(DEVICES)('a plain slot on %s', (name) => {
  test.each(PLAIN)(
    `a plain slot %s is composed on ${name} as the browser paints it, pixel by pixel`,
    async (_where, put) => {
      const placement = await visit(put(), name);
      const frame = await ad(300, 250, device(name).ratio);
      const composed = await placement.place(frame);
      const painted = await placement.place(frame, DEFAULT_OPTIONS, 'browser');
      placed(composed);
      placed(painted);
      expect([composed.mode, painted.mode]).toEqual(['composed', 'browser']);
      const [one, two] = [await pixelsOf(composed.png), await pixelsOf(painted.png)];
      expect(one.info).toMatchObject({ width: two.info.width, height: two.info.height });
      expect(different(one.data, two.data)).toBe(0);
      expect((await adIn(composed)).equals((await pixelsOf(frame.png)).data)).toBe(true);
    },
  );
});

const NOT_PLAIN: [string, string][] = [
  ['has round corners', `<div style="border-radius:20px;overflow:hidden;width:300px"><div ${SLOT}"></div></div>`],
  ['is translucent', `<div style="opacity:0.8"><div ${SLOT}"></div></div>`],
  ['is filtered', `<div style="filter:grayscale(1)"><div ${SLOT}"></div></div>`],
  ['is blended', `<div style="background:#def"><div ${SLOT};mix-blend-mode:multiply"></div></div>`],
];

test.each(NOT_PLAIN)('a slot that %s is painted by the browser', async (what, body) => {
  const placement = await visit(sites.put(`/${what.replaceAll(' ', '-')}`, page(body)), 'desktop');
  const result = await placement.place(await ad(300, 250));
  placed(result);
  expect(result.mode).toBe('browser');
});

test.each([
  ['rotated', `<div ${SLOT};transform:rotate(2deg)"></div>`, 'instead of its own size'],
  ['shrunk', `<div ${SLOT};transform:scale(0.9)"></div>`, 'instead of its own size'],
  [
    'clipped',
    `<div style="clip-path:inset(10px);width:300px"><div ${SLOT}"></div></div>`,
    'of the ad would be visible',
  ],
])('a slot that is %s is not used, because its ad would not be shown whole', async (what, body, reason) => {
  const placement = await visit(sites.put(`/${what}`, page(body)), 'desktop');
  const refused = { status: 'no_slots', reason: expect.stringContaining(reason) };
  expect(await placement.place(await ad(300, 250))).toMatchObject(refused);
});

test('a transparent ad is painted by the browser', async () => {
  const placement = await visit(sites.put('/plain', page(`<div ${SLOT}"></div>`)), 'desktop');
  const frame = await ad(300, 250);
  const { default: sharp } = await import('sharp');
  const png = await sharp(frame.png).ensureAlpha(0.5).png().toBuffer();
  expect(await placement.place({ ...frame, png })).toMatchObject({ status: 'uploaded', mode: 'browser' });
});

test('a page is unchanged after its pictures are taken', async () => {
  const url = sites.put('/again', page(`<div ${SLOT};margin:auto">old <b>content</b></div>`));
  const placement = await visit(url, 'desktop');
  const first = await placement.place(await ad(300, 250), DEFAULT_OPTIONS, 'browser');
  await placement.place(await ad(250, 250), DEFAULT_OPTIONS, 'browser');
  await placement.place(await ad(120, 90));
  const again = await placement.place(await ad(300, 250), DEFAULT_OPTIONS, 'browser');
  placed(first);
  placed(again);
  expect(different((await pixelsOf(first.png)).data, (await pixelsOf(again.png)).data)).toBe(0);
});

function different(one: Buffer, two: Buffer): number {
  if (one.equals(two)) return 0;
  let count = 0;
  for (let at = 0; at < one.length; at++) if (one[at] !== two[at]) count++;
  return count;
}
