import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../../support/listeners.ts';
import { codes, contains, PHONE, type Pictures, SLOT, SMALL_PHONE, STORY, startPictures } from './pictures.ts';
import { bar, slotWithSpace, testWholeAdMatrices } from './wholeAdMatrices.ts';

let pictures: Pictures;
const take: Pictures['take'] = (...args) => pictures.take(...args);
const wholeAd: Pictures['wholeAd'] = (...args) => pictures.wholeAd(...args);

beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

testWholeAdMatrices('test', () => pictures);

describe('a slot that the phone does not show whole', () => {
  test('a frame for a banner that is wider than the screen shows the whole small ad', async () => {
    const frame =
      '<iframe srcdoc="<p>Ad" class="ad-slot" style="width:728px;height:90px;border:0;margin:0 126px"></iframe>';
    await wholeAd(`${STORY}${frame}${STORY}`, SMALL_PHONE, { size: [320, 50] });
  });

  test('a page that the phone shows smaller is zoomed in, with a warning', async () => {
    const picture = await wholeAd(`${STORY}${SLOT}${STORY}`, SMALL_PHONE);
    expect(codes(picture)).toEqual(['page_changed', 'slot_uncertain']);
  });

  test('a container that is smaller than the ad and contains nothing else is opened, with a warning', async () => {
    const body = `${PHONE}${STORY}<div id="wrap" style="overflow:hidden;height:200px">${SLOT}</div>${STORY}`;
    const picture = await wholeAd(body, SMALL_PHONE);
    expect(picture.warnings).toEqual([{ code: 'page_changed', message: expect.stringContaining('#wrap') }]);
  });

  test('a slot that other content cuts off is not used, and the next slot is', async () => {
    const cut = `<div style="overflow:hidden;height:120px"><h2>Sponsors</h2><div class="ad-slot" id="cut" style="width:300px;height:250px"></div></div>`;
    const picture = await wholeAd(
      `${PHONE}${cut}${STORY}<div id="div-1" class="ad-slot" style="width:300px;height:250px"></div>${STORY}`,
      SMALL_PHONE,
    );
    expect(picture.chosen.element).toBe('#div-1');
  });
});

describe('a slot that keeps its space and is invisible until its ad comes', () => {
  test.each([
    [
      'a hidden box with other content',
      `<div style="visibility:hidden"><p>Do you like ships?</p>${slotWithSpace('')}</div>`,
    ],
    [
      'a hidden slot with text',
      slotWithSpace('visibility:hidden').replace('</div>', 'Subscribe to our newsletter</div>'),
    ],
  ])('%s is not used', async (_what, body) => {
    expect((await take(`${PHONE}${STORY}${body}${STORY}`, SMALL_PHONE)).result).toMatchObject({
      status: 'no_slots',
    });
  });
});

describe('a page that covers its slots', () => {
  test('a bar at the edge of the screen stays, and the ad is beside it', async () => {
    for (const edge of ['top:0', 'bottom:0']) {
      const picture = await wholeAd(
        `${PHONE}${bar(`${edge};height:120px`, '<a>Home</a> <a>Newsletter</a> <a>Subscribe</a>')}${STORY}${SLOT}${STORY}${STORY}`,
        SMALL_PHONE,
      );
      expect(codes(picture)).toEqual([]);
      expect(await contains(picture)).toBe(true);
    }
  });

  test('a sticky header stays, and the ad is below it', async () => {
    const header = '<div style="position:sticky;top:0;height:200px;background:#123;z-index:9">The Daily Ship</div>';
    const picture = await wholeAd(`${PHONE}${header}${STORY.repeat(3)}${SLOT}${STORY.repeat(3)}`, SMALL_PHONE);
    expect(await contains(picture)).toBe(true);
  });

  test('a pop-up that appears after the page has settled is hidden', async () => {
    const late = `<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(bar('top:10%;bottom:10%', 'Our newsletter'))}), 1200)</script>`;
    const picture = await wholeAd(`${PHONE}${STORY}${SLOT}${STORY.repeat(4)}${late}`, SMALL_PHONE);
    expect(await contains(picture)).toBe(false);
  });

  test('a panel beside the slot stays', async () => {
    const panel =
      '<div style="position:fixed;top:0;bottom:0;left:0;width:40%;background:#123;color:#fff">The Daily Ship</div>';
    const picture = await wholeAd(`${panel}<div style="margin-left:40%">${STORY}${SLOT}${STORY}</div>`, 'desktop');
    expect(codes(picture)).toEqual([]);
    expect(await contains(picture)).toBe(true);
  });
});

describe('a page that does not look as its publisher made it', () => {
  test('a page whose style sheet does not load has a warning, and one that hardly needs it has none', async () => {
    const link = '<link rel="stylesheet" href="http://127.0.0.1:9/site.css">';
    const codesOf = async (body: string) => codes(await wholeAd(`${link}${body}`, 'desktop'));
    const page = `${STORY}${SLOT}<ul><li><a>News</a><li><a>Sport</a></ul>${STORY}`;
    // Without its styles, the page puts the ad at its edge.
    const atEdge = page.replace(
      SLOT,
      '<div class="ad-slot" style="margin:0 -8px;width:970px;height:250px;text-align:left"></div>',
    );
    expect(await codesOf(`<style>body{font:1em sans-serif}</style>${atEdge}`)).toEqual(['page_unstyled']);
    const layout = '<style>ul{display:flex}li{float:left}a{position:relative}body{margin:8px!important}</style>';
    expect(await codesOf(layout + page)).toEqual(['page_unstyled']);
    expect(await codesOf(`${layout}<style>body{font:1em sans-serif}</style>${page}`)).toEqual([]);
  });

  test('a page whose style sheet comes too late has the same warning', async () => {
    const server = await listen();
    const late = `<script>setTimeout(() => document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet',
      href: '${server.url}' })), 100)</script>`;
    expect(codes(await wholeAd(`${STORY}${SLOT}${STORY}<ul><li>News<li>Sport</ul>${late}`, 'desktop'))).toEqual([
      'page_unstyled',
    ]);
    await server.close();
  });

  test('visible text without glyphs has a warning that names its script', async () => {
    // Unicode has this script since 2021, so only few fonts have its letters.
    const text = (style: string) => `<p style="${style}">\u{10570}\u{10571}\u{10572}</p>`;
    const named = await wholeAd(`${STORY}${SLOT}${text('')}${STORY}`, 'desktop');
    expect(named.warnings).toEqual([{ code: 'missing_glyphs', message: expect.stringContaining('Vithkuqi') }]);
    expect(codes(await wholeAd(`${STORY}${SLOT}${text('display:none')}${STORY}`, 'desktop'))).toEqual([]);
  });
});

describe('a page with little content around the ad', () => {
  const block = '<div style="height:60px;width:100%;background:#123"></div>';
  const gap = (height: number) => `<div style="height:${height}px"></div>`;

  test('the picture shows the part of the page with most content', async () => {
    const word = '<p style="margin:0;height:30px">Ship</p>';
    const above = await wholeAd(`${block}${gap(500)}${word}${SLOT}${gap(3_000)}`, 'desktop');
    expect(await contains(above)).toBe(true);
    const below = await wholeAd(`${gap(2_000)}${word}${SLOT}${gap(500)}${block}${gap(3_000)}`, 'desktop');
    expect(await contains(below)).toBe(true);
  });

  test('a phone that shows a part of a wide page shows what is beside the ad, with a warning', async () => {
    const column = '<div style="float:right;width:580px;background:#123;height:3000px"></div>';
    const page = `<div style="width:980px">${column}<div style="float:left;width:380px">${gap(1_500)}${SLOT}</div></div>`;
    const picture = await wholeAd(page, SMALL_PHONE);
    expect(await contains(picture)).toBe(true);
    const message = expect.stringContaining('does not begin at its edge');
    expect(picture.warnings).toContainEqual({ code: 'slot_uncertain', message });
  });
});

describe('a page that cannot show the ad', () => {
  test('an ad in a blank page is no picture', async () => {
    const { result } = await take(`${PHONE}${SLOT}<p style="visibility:hidden">A story.</p>`, SMALL_PHONE);
    expect(result).toMatchObject({
      status: 'no_slots',
      reason: expect.stringContaining('the page around the ad is blank'),
    });
  });

  test('an ad that is larger than the screen is no picture', async () => {
    const body = `${PHONE}${STORY}<div class="ad" style="width:300px;height:600px"></div>`;
    const { result } = await take(body, 'Apple iPhone 5', { size: [300, 600] });
    expect(result).toMatchObject({
      status: 'no_slots',
      reason: expect.stringContaining('larger than the screen of 320×568'),
    });
  });

  test('a page that is hidden until its animation ends is shown', async () => {
    const hidden =
      '<style>body{animation:start 8s steps(1,end) 0s 1 normal both} @keyframes start{from{visibility:hidden}to{visibility:visible}}</style>';
    await wholeAd(`${PHONE}${hidden}${STORY}${SLOT}${STORY}`, SMALL_PHONE);
  });

  test('a page with functions for scrolling of its own is shown', async () => {
    const script = '<script>function scrollTo() { $("html") } function scrollBy() { $("html") }</script>';
    await wholeAd(`${PHONE}${script}${STORY}${SLOT}${STORY}`, SMALL_PHONE);
  });
});

test('a frame that does not load is blank', async () => {
  pictures.sites.put('/gone', (_request, response) =>
    response.writeHead(404).end('<body style="background:#123">Not found'),
  );
  pictures.sites.put('/refused', (request) => request.socket.destroy());
  const frame = (path: string) => `<iframe src="${path}" width="300" height="200"></iframe>`;
  const body = `<style>body{background:#fff}</style>${STORY}${SLOT}${frame('/gone')}${frame('/refused')}`;
  const picture = await wholeAd(body, 'desktop');
  expect(await contains(picture)).toBe(false);
});
