import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageOpener, SlotCandidate } from '../../../../src/capture/page/page.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { ad, device, openerFor, placed, readyPage, type Sites, startSites } from './sites.ts';

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

async function visit(body: string, name = 'desktop') {
  const url = sites.put(
    `/page-${pages++}`,
    `<!doctype html><meta name="viewport" content="width=device-width"><body>${body}`,
  );
  const open = await opener.open(url, device(name));
  readyPage(open);
  return open;
}

async function slotsOf(body: string, name?: string): Promise<readonly SlotCandidate[]> {
  const open = await visit(body, name);
  await open.close();
  return open.candidates;
}

const DIV = '<div id="spot" style="width:300px;height:250px"></div>';

describe('a slot that a script declares', () => {
  test('a slot is found in commands that are queued for a library that does not load', async () => {
    const script = `window.googletag = window.googletag || {cmd: []}; googletag.cmd.push(() => {
      googletag.defineSlot('/1/a', [[300, 250], [300, 600]], 'spot').addService(googletag.pubads()).setTargeting('a', 'b');
      googletag.pubads().enableSingleRequest(); googletag.enableServices(); });`;
    expect(await slotsOf(`${DIV}<script>${script}</script>`)).toMatchObject([
      {
        element: '#spot',
        evidence: ['gpt', 'iab_size'],
        sizes: [
          [300, 250],
          [300, 600],
        ],
      },
    ]);
  });

  test('a slot has the sizes that the size mapping gives for the window', async () => {
    const script = `window.googletag = {cmd: [() => { const rows = googletag.sizeMapping()
      .addSize([1024, 0], [[728, 90], 'fluid']).addSize([0, 0], []).build();
      googletag.defineSlot('/1/a', [[300, 250]], 'spot').defineSizeMapping(rows); }]};`;
    const body = `<div id="spot" style="height:90px"></div><script>${script}</script>`;
    expect(await slotsOf(body)).toMatchObject([{ sizes: [[728, 90]] }]);
    expect(await slotsOf(body, 'mobile')).toEqual([]);
  });

  test('a slot is found in Prebid ad units with their sizes for the window', async () => {
    const script = `window.pbjs = {que: []}; pbjs.que.push(() => pbjs.addAdUnits([{ code: 'spot', mediaTypes: { banner: {
      sizeConfig: [{ minViewPort: [0, 0], sizes: [[320, 50]] }, { minViewPort: [900, 0], sizes: [[300, 250]] }] } } }]));`;
    expect(await slotsOf(`${DIV}<script>${script}</script>`)).toMatchObject([
      { evidence: ['prebid', 'iab_size'], sizes: [[300, 250]] },
    ]);
  });

  test('ad objects of unexpected types do not prevent the search for slots', async () => {
    const script = `window.googletag = 7; window.pbjs = Object.freeze({que: [1, null]}); googletag = {cmd: 'x', apiReady: true, pubads() { throw 1 }};`;
    expect(
      await slotsOf(`<script>${script}</script><div class="ad-slot" style="width:300px;height:250px"></div>`),
    ).toHaveLength(1);
  });
});

describe('a slot that its element declares', () => {
  const sized = 'style="width:300px;height:250px"';
  test.each<[string, string, SlotCandidate['evidence'][number]]>([
    ['an id of GPT', `<div id="div-gpt-ad-77-0" ${sized}></div>`, 'attribute'],
    ['AdSense', `<ins class="adsbygoogle" style="display:block;width:300px;height:250px"></ins>`, 'adsense'],
    ['AMP', '<amp-ad width="300" height="250" style="display:block;width:300px;height:250px"></amp-ad>', 'amp'],
    ['a data attribute', `<div data-ad-unit="/1/x" ${sized}></div>`, 'attribute'],
    ['a class', `<div class="c-adSlot sidebar" ${sized}></div>`, 'attribute'],
    ['a banner of a known size', `<div class="banner" ${sized}></div>`, 'attribute'],
    ['a frame of a known size', `<iframe src="/nothing" width="300" height="250" style="border:0"></iframe>`, 'frame'],
    ['an empty box of a known size', `<div ${sized}></div>`, 'iab_size'],
  ])('%s is a slot', async (_what, body, evidence) => {
    const [slot, ...more] = await slotsOf(body);
    expect(more).toEqual([]);
    expect(slot?.evidence).toContain(evidence);
  });

  test.each([
    ['a header', '<div class="header" style="width:728px;height:90px">The Daily Shadow</div>'],
    ['a download', '<div class="download shadow loading" style="width:400px;height:200px">Get the file</div>'],
    ['a cookie banner', `<div class="cookie-banner" ${sized}>We use cookies</div>`],
    ['an ad label', '<div class="ad-label" style="width:300px;height:40px">Advertisement</div>'],
    [
      'an article that is called ad',
      `<div class="ad-supported">${'<p>A long story about ships. </p>'.repeat(20)}</div>`,
    ],
    ['a video', '<iframe src="https://www.youtube.com/embed/x" width="640" height="360"></iframe>'],
    ['a picture of a known size', `<div ${sized}><img alt="" style="width:300px;height:250px" src="data:,"></div>`],
    ['an invisible anchor', '<div class="ad" style="width:1px;height:1px"></div>'],
    ['a box that the page hides on this device', `<style>.d{display:none}</style><div class="ad d" ${sized}></div>`],
  ])('%s is not a slot', async (_what, body) => {
    expect((await slotsOf(body)).filter(({ visible, collapsed }) => visible || collapsed)).toEqual([]);
  });

  test('a wrapper, its slot and the frame in it are one slot', async () => {
    const body = `<div class="ad-wrapper"><span>Advertisement</span><div class="ad-slot" ${sized}><iframe width="300" height="250" style="border:0"></iframe></div></div>`;
    expect(await slotsOf(body)).toMatchObject([{ evidence: ['attribute', 'frame', 'iab_size'] }]);
  });

  test('slots in a shadow root and in a cross-origin frame get document coordinates', async () => {
    sites.put(
      '/inner-slot',
      `<body style="margin:0"><div style="height:40px"></div><div id="div-gpt-ad-in" ${sized}></div>`,
    );
    const body = `<style>body{margin:0}</style><div id="host"></div><div style="height:1000px"></div>
      <iframe src="${sites.other}/inner-slot" style="width:400px;height:400px;border:5px solid;padding:3px"></iframe>
      <script>host.attachShadow({mode: 'open'}).innerHTML = '<div id="div-gpt-ad-shadow" ${sized.replaceAll('"', '\\"')}></div>';</script>`;
    const slots = await slotsOf(body);
    expect(slots.find(({ element }) => element === '#div-gpt-ad-shadow')?.box).toEqual({
      x: 0,
      y: 0,
      width: 300,
      height: 250,
    });
    expect(slots.find(({ element }) => element === '#div-gpt-ad-in')?.box).toEqual({
      x: 8,
      y: 1298,
      width: 300,
      height: 250,
    });
  });
});

test('ads that are placed at the same time each appear in their own picture', async () => {
  const boxes = [
    [300, 250],
    [728, 90],
    [160, 600],
    [320, 50],
  ] as const;
  const divs = boxes.map(
    ([w, h]) => `<div class="ad" style="width:${w}px;height:${h}px;margin:90px 0"></div><p>A story.</p>`,
  );
  const open = await visit(divs.join(''));
  const frames = await Promise.all([...boxes, ...boxes, ...boxes].map(([w, h]) => ad(w, h)));
  const pictures = await Promise.all(frames.map((frame) => open.place(frame)));
  pictures.forEach((picture, index) => {
    placed(picture);
    expect(picture.adBox).toMatchObject({ width: frames[index]?.width, height: frames[index]?.height });
    expect(picture.mode).toBe('composed');
  });
  await open.close();
});

test('a scaled ad keeps its aspect ratio and stays inside its slot', async () => {
  const open = await visit('<div class="ad" style="width:300px;height:250px"></div><p>A story.</p>');
  const picture = await open.place(await ad(500, 400), { ...DEFAULT_OPTIONS, allowScaling: true });
  placed(picture);
  expect(picture).toMatchObject({ scale: 0.6, mode: 'browser', adBox: { width: 300, height: 240 } });
  expect(await open.place(await ad(900, 900))).toMatchObject({
    status: 'no_slots',
    reason: expect.stringContaining('too small'),
  });
  await open.close();
});
