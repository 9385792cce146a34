import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageOpener, Picture } from '../../../../src/capture/page/page.ts';
import { DEFAULT_OPTIONS, type PlacementOptions } from '../../../../src/domain/screenshotOptions.ts';
import { ad, adIn, device, openerFor, pixelsOf, placed, readyPage, type Sites, startSites } from './sites.ts';

let sites: Sites;
let opener: PageOpener;
let pages = 0;

beforeAll(async () => {
  sites = await startSites();
  opener = await openerFor();
});
afterAll(async () => {
  await opener.close();
  await sites.close();
});

const STORY = '<p>A story about ships that fills the page around the ad with some lines of text.</p>'.repeat(8);
const PHONE = '<meta name="viewport" content="width=device-width, initial-scale=1">';
const SLOT = '<div id="div-gpt-ad-1" style="width:300px;height:250px;margin:auto"></div>';
/** Sticky parts of the page are drawn in one colour, to recognize them in a picture. */
const bar = (style: string, text = '') =>
  `<div id="bar" style="position:fixed;left:0;right:0;z-index:99;background:#123;color:#fff;${style}">${text}</div>`;

async function take(body: string, name: string, options: Partial<PlacementOptions> = {}) {
  const url = sites.put(`/whole-${pages++}`, `<!doctype html><body style="margin:0">${body}`);
  const open = await opener.open(url, device(name));
  readyPage(open);
  const frame = await ad(300, 250, device(name).ratio);
  const result = await open.place(frame, { ...DEFAULT_OPTIONS, ...options });
  await open.close();
  return { result, frame };
}

/** Takes the picture and compares the ad's pixels. */
async function wholeAd(body: string, name: string, options: Partial<PlacementOptions> = {}): Promise<Picture> {
  const { result, frame } = await take(body, name, options);
  placed(result);
  expect(result.scale).toBe(1);
  expect((await adIn(result)).equals((await pixelsOf(frame.png)).data)).toBe(true);
  return result;
}

/** Whether the picture contains this colour outside of the ad. */
async function contains(picture: Picture, [red, green, blue]: readonly [number, number, number]): Promise<boolean> {
  const { x, y, width, height } = picture.adBox;
  const patch = { create: { width, height, channels: 3, background: '#fff' } } as const;
  const { data } = await sharp(picture.png)
    .composite([{ input: patch, left: x, top: y }])
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let at = 0; at < data.length; at += 3)
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) return true;
  return false;
}

const BAR = [0x11, 0x22, 0x33] as const;
const codes = ({ warnings }: Picture) => warnings.map(({ code }) => code);

describe('a slot that the phone does not show whole', () => {
  const wide = '<div class="ad-slot" style="width:728px;height:250px;text-align:center;background:#eee"></div>';

  test.each([
    ['reaches beyond the screen', `${PHONE}${STORY}${wide}${STORY}`],
    ['is cut off by the page', `${PHONE}<div style="overflow:hidden;width:100%">${STORY}${wide}${STORY}</div>`],
    ['is in a page that is laid out for desktops', `${STORY}${wide}${STORY}`],
  ])('a slot that %s shows the whole ad at its own size', async (_what, body) => {
    const picture = await wholeAd(body, 'Apple iPhone 6');
    expect(picture.adBox).toMatchObject({ width: 600, height: 500 });
  });

  test('a page that the phone shows smaller is zoomed in, with a warning', async () => {
    expect(codes(await wholeAd(`${STORY}${SLOT}${STORY}`, 'Apple iPhone 6'))).toEqual(['page_changed']);
  });

  test('a container that is smaller than the ad and contains nothing else is opened, with a warning', async () => {
    const body = `${PHONE}${STORY}<div id="wrap" style="overflow:hidden;height:200px">${SLOT}</div>${STORY}`;
    const picture = await wholeAd(body, 'Apple iPhone 6');
    expect(picture.warnings).toEqual([{ code: 'page_changed', message: expect.stringContaining('#wrap') }]);
  });

  test('a slot that other content cuts off is not used, and the next slot is', async () => {
    const cut = `<div style="overflow:hidden;height:120px"><h2>Sponsors</h2><div class="ad-slot" id="cut" style="width:300px;height:250px"></div></div>`;
    const picture = await wholeAd(
      `${PHONE}${cut}${STORY}<div id="div-1" class="ad-slot" style="width:300px;height:250px"></div>${STORY}`,
      'Apple iPhone 6',
    );
    expect(picture.chosen.element).toBe('#div-1');
  });
});

describe('a page that covers its slots', () => {
  test('a bar at the edge of the screen stays, and the ad is beside it', async () => {
    for (const edge of ['top:0', 'bottom:0']) {
      const picture = await wholeAd(
        `${PHONE}${bar(`${edge};height:120px`, 'Get our app')}${STORY}${SLOT}${STORY}${STORY}`,
        'Apple iPhone 6',
      );
      expect(codes(picture)).toEqual([]);
      expect(await contains(picture, BAR)).toBe(true);
    }
  });

  test('a sticky header stays, and the ad is below it', async () => {
    const header = '<div style="position:sticky;top:0;height:200px;background:#123;z-index:9">The Daily Ship</div>';
    const picture = await wholeAd(`${PHONE}${header}${STORY.repeat(3)}${SLOT}${STORY.repeat(3)}`, 'Apple iPhone 6');
    expect(await contains(picture, BAR)).toBe(true);
  });

  test.each([
    ['a paywall sheet', bar('bottom:0;height:70%', 'Subscribe to read this story'), 'A subscription notice (#bar)'],
    ['an adblock wall', bar('top:0;bottom:0', 'Please turn off your ad blocker'), 'A notice about ad blockers (#bar)'],
    [
      'a consent dialog that stays',
      bar('top:0;bottom:0', 'We value your privacy and our cookies'),
      'A consent dialog (#bar)',
    ],
    ['a layer that clicks pass through', bar('top:0;bottom:0;opacity:0.5;pointer-events:none'), 'A layer (#bar)'],
    [
      'a pop-up that scrolls with the page',
      '<div style="position:absolute;top:0;left:0;width:100%;height:400px;background:#123;z-index:9" id="bar">Our newsletter</div>',
      'A newsletter pop-up (#bar)',
    ],
  ])('%s is hidden with a warning', async (_what, cover, message) => {
    const locked = '<style>html,body{overflow:hidden;height:100%}</style>';
    const body = `${PHONE}${locked}${cover}${SLOT}${STORY.repeat(3)}`;
    const picture = await wholeAd(body, 'Apple iPhone 6');
    expect(picture.warnings).toContainEqual({ code: 'overlay_hidden', message: expect.stringContaining(message) });
    expect(await contains(picture, BAR)).toBe(false);
  });

  test('a pop-up that appears after the page has settled is hidden', async () => {
    const late = `<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(bar('top:10%;bottom:10%', 'Our newsletter'))}), 1200)</script>`;
    const picture = await wholeAd(`${PHONE}${STORY}${SLOT}${STORY.repeat(4)}${late}`, 'Apple iPhone 6');
    expect(await contains(picture, BAR)).toBe(false);
  });

  test('a panel beside the slot stays', async () => {
    const panel =
      '<div style="position:fixed;top:0;bottom:0;left:0;width:40%;background:#123;color:#fff">The Daily Ship</div>';
    const picture = await wholeAd(`${panel}<div style="margin-left:40%">${STORY}${SLOT}${STORY}</div>`, 'desktop');
    expect(codes(picture)).toEqual([]);
    expect(await contains(picture, BAR)).toBe(true);
  });
});

describe('a page that cannot show the ad', () => {
  test('an ad in a blank page is no picture', async () => {
    const { result } = await take(`${PHONE}${SLOT}<p style="visibility:hidden">A story.</p>`, 'Apple iPhone 6');
    expect(result).toMatchObject({
      status: 'no_slots',
      reason: expect.stringContaining('the page around the ad is blank'),
    });
  });

  test('an ad that is larger than the screen is no picture', async () => {
    const url = sites.put(
      '/tall',
      `<!doctype html>${PHONE}${STORY}<div class="ad" style="width:300px;height:600px"></div>`,
    );
    const open = await opener.open(url, device('Apple iPhone 5'));
    readyPage(open);
    const result = await open.place(await ad(300, 600, 2));
    expect(result).toMatchObject({
      status: 'no_slots',
      reason: expect.stringContaining('larger than the screen of 320×568'),
    });
    await open.close();
  });

  test('a page that is hidden until its animation ends is shown', async () => {
    const hidden =
      '<style>body{animation:start 8s steps(1,end) 0s 1 normal both} @keyframes start{from{visibility:hidden}to{visibility:visible}}</style>';
    await wholeAd(`${PHONE}${hidden}${STORY}${SLOT}${STORY}`, 'Apple iPhone 6');
  });
});

test('a frame that does not load is blank', async () => {
  sites.put('/gone', (_request, response) => response.writeHead(404).end('<body style="background:#123">Not found'));
  sites.put('/refused', (request) => request.socket.destroy());
  const frame = (path: string) => `<iframe src="${path}" width="300" height="200"></iframe>`;
  const body = `<style>body{background:#fff}</style>${STORY}${SLOT}${frame('/gone')}${frame('/refused')}`;
  const picture = await wholeAd(body, 'desktop');
  expect(await contains(picture, BAR)).toBe(false);
});

describe('options of the request', () => {
  const two = `${PHONE}${STORY}${SLOT}${STORY}<div id="mine" style="width:320px;height:260px;background:#ddd"></div>${STORY}`;

  test('a selector chooses its element, whatever its score', async () => {
    const picture = await wholeAd(two, 'Apple iPhone 6', { slot: { selector: '#mine' } });
    expect(picture.chosen.element).toBe('#mine');
  });

  test.each([
    ['#nothing', 'The selector #nothing matches no element of the page.'],
    ['div[', 'The selector div[ is not valid'],
    ['#away', 'The element of the selector #away is hidden on this device.'],
  ])('the selector %s fails with a reason', async (selector, reason) => {
    const body = `${two}<div id="away" style="display:none"></div>`;
    const { result } = await take(body, 'Apple iPhone 6', { slot: { selector } });
    expect(result).toMatchObject({ status: 'no_slots', reason: expect.stringContaining(reason) });
  });

  test('an index counts the candidates in the order of the record', async () => {
    const box = (id: string) => `<div class="ad" id="${id}" style="width:300px;height:250px"></div>`;
    const body = `${PHONE}${STORY}${box('first')}${STORY}${box('second')}${STORY}`;
    const picture = await wholeAd(body, 'Apple iPhone 6', { slot: { index: 2 } });
    expect(picture.chosen.element).toBe(picture.candidates[1]?.element);
    const { result } = await take(body, 'Apple iPhone 6', { slot: { index: 9 } });
    expect(result).toMatchObject({ status: 'no_slots', reason: expect.stringContaining('so there is no slot 9') });
  });

  test.each(['desktop', 'Apple iPhone 6'])(
    'a picture of the whole page contains the ad below the first screen on %s',
    async (name) => {
      const long = `${PHONE}${STORY.repeat(6)}${SLOT}${STORY.repeat(4)}`;
      const picture = await wholeAd(long, name, { fullPage: true });
      const { height } = device(name).viewport;
      expect(picture.height).toBeGreaterThan(height * device(name).ratio);
      expect(picture.adBox.y).toBeGreaterThan(height * device(name).ratio * 0.5);
    },
  );

  test('a page that is longer than the largest picture is cut, with a warning', async () => {
    const picture = await wholeAd(`${STORY}${SLOT}<div style="height:40000px"></div>`, 'desktop', { fullPage: true });
    expect(picture.height).toBe(16_000);
    expect(codes(picture)).toEqual(['page_changed']);
  });
});
