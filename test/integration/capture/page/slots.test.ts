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

  test('a Prebid unit for films only is no slot, and one for banners too is', async () => {
    const unit = (types: string) => `<script>window.pbjs = {que: []}; pbjs.que.push(() => pbjs.addAdUnits([
      { code: 'spot', mediaTypes: { video: { playerSize: [640, 480] } ${types} } }]));</script>`;
    const box = '<p>Text</p><div id="spot" style="height:150px"></div>';
    expect(await slotsOf(`${box}${unit('')}`)).toEqual([]);
    expect(await slotsOf(`${box}${unit(', banner: { sizes: [[300, 250]] }')}`)).toMatchObject([
      { sizes: [[300, 250]] },
    ]);
  });

  test('the element that a script renders Prebid ads into is a slot', async () => {
    const script = `window.pbjs = {que: []}; pbjs.que.push(() => { pbjs.addAdUnits([{ code: 'unit-1', mediaTypes: { banner: {
      sizes: [[300, 250]] } } }]); pbjs.requestBids({ bidsBackHandler: () => {
      pbjs.renderAd(document.getElementById('place').contentDocument, 'x'); } }); });`;
    expect(await slotsOf(`<p>Text</p><div id="place"></div><script>${script}</script>`)).toMatchObject([
      { element: '#place', sizes: [[300, 250]] },
    ]);
  });

  test('a call that Tearsheet does not know hides no declaration after it', async () => {
    const script = `window.pbjs = {que: []}; pbjs.que.push(() => { pbjs.onEvent('bidWon', () => 0); pbjs.newFeature().with(1);
      pbjs.addAdUnits([{ code: 'spot', mediaTypes: { banner: { sizes: [[300, 250]] } } }]); });`;
    expect(await slotsOf(`<div id="spot"></div><script>${script}</script>`)).toMatchObject([{ sizes: [[300, 250]] }]);
  });

  test('a frame without a size is a slot if a script declares it', async () => {
    const script = `window.pbjs = {que: []}; pbjs.que.push(() => pbjs.addAdUnits([{ code: 'post', mediaTypes: { banner: {
      sizes: [[300, 250]] } } }]));`;
    const body = `<p>Text</p><iframe id="post" width="0" height="0"></iframe><script>${script}</script>`;
    expect(await slotsOf(body)).toMatchObject([{ element: '#post', collapsed: true, sizes: [[300, 250]] }]);
  });

  test('an element is a slot if an ad script gives it a size, and not if a player does', async () => {
    const div = '<p>Text</p><div id="pos-7"></div>';
    const ads = 'window.siteAds = { slots: [{ id: "pos-7", sizes: [[300, 250]] }] }';
    expect(await slotsOf(`${div}<script>${ads}</script>`)).toMatchObject([{ element: '#pos-7', sizes: [[300, 250]] }]);
    const chart = 'window.charts = [{ id: "pos-7", width: 300, height: 250 }]';
    expect(await slotsOf(`${div}<script>${chart}</script>`)).toEqual([]);
  });

  test('an element is a slot if an ad script names a position beside it', async () => {
    const ads = (type: string) => `<p>Text</p><div id="cntr1-square"></div><p>Text</p><script>
      ramp.que.push(() => ramp.spaAddAds([{ type: '${type}', selectorId: 'cntr1-square' }]));</script>`;
    expect(await slotsOf(ads('med_rect_atf'))).toMatchObject([{ element: '#cntr1-square' }]);
    expect(await slotsOf(ads('weather'))).toEqual([]);
  });

  test('an image of a network that did not load leaves a slot without a size', async () => {
    const link = '<div class="g-single a-104"><a href="https://a.example/"><img src="/missing.jpg"></a></div>';
    expect(await slotsOf(`<p>Text</p><div class="g g-1">${link}</div>`)).toMatchObject([{ collapsed: true }]);
  });

  test('a widget is no slot because the same script speaks of ads', async () => {
    const code = 'window.cfg = { ads: true, widgets: [{ id: "weather-box", width: 300, height: 250 }] }';
    expect(await slotsOf(`<p>Text</p><div id="weather-box"></div><script>${code}</script>`)).toEqual([]);
  });

  test('a script that prints an ad between other content is a slot where it stands', async () => {
    const tag = '<!-- Ad tag 468x60 --><script src="/tag.js"></script>';
    const body = `<main id="main"><p>One.</p><p>Two.</p><p>Three.</p>${tag}<p>Four.</p></main>`;
    expect(await slotsOf(body)).toMatchObject([{ element: '#main div', collapsed: true, sizes: [[468, 60]] }]);
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
    [
      'a box that the page hides on this device',
      `<style>@media (min-width:1px){.d{display:none}}</style><div class="ad d" ${sized}></div>`,
    ],
  ])('%s is not a slot', async (_what, body) => {
    expect((await slotsOf(body)).filter(({ visible, collapsed }) => visible || collapsed)).toEqual([]);
  });

  test('a named slot that a style hides at every width is a slot, and one that a width hides is not', async () => {
    const slot = '<p>Text</p><div class="ad-slot" data-slot="mrec"></div>';
    const style = (css: string) => `<style>${css}</style>${slot}`;
    expect(await slotsOf(style('.ad-slot{display:none}'))).toMatchObject([{ collapsed: true, sizes: [[300, 250]] }]);
    const usable = async (css: string) =>
      (await slotsOf(style(css))).filter(({ visible, collapsed }) => visible || collapsed);
    expect(await usable('@media (min-width:1px){.ad-slot{display:none}}')).toEqual([]);
    expect(await usable('.ad-slot{display:none}@media (max-width:700px){.ad-slot{display:block}}')).toEqual([]);
  });

  test('a hidden wrapper takes the sizes of the slot in it', async () => {
    const script = `window.googletag = {cmd: [() => googletag.defineSlot('/1/a', [[300, 250]], 'in')]};`;
    const body = `<style>.wait{display:none}</style><p>Text</p><div class="advert wait"><i>Ad</i><div id="in"></div></div>`;
    expect(await slotsOf(`${body}<script>${script}</script>`)).toMatchObject([
      { element: 'div.advert.wait', evidence: ['gpt', 'attribute'], collapsed: true, sizes: [[300, 250]] },
    ]);
  });

  test.each([
    ['a search layer', '<div id="top-search-live" style="width:300px;height:250px"></div>'],
    ['a layer over the page', `<div style="position:absolute;width:300px;height:250px"></div>`],
    ['a survey', '<div class="survey-box" style="width:300px;height:250px"></div>'],
    ['a map', '<div id="map" style="width:300px;height:250px"></div>'],
  ])('%s of a standard size without content is not a slot', async (_what, body) => {
    expect(await slotsOf(`<p>Text</p>${body}`)).toEqual([]);
  });

  test.each([
    ['mrec', '300x250', '300x600'],
    ['Ads_BA_FLB', '728x90', '300x250'],
    ['ad-square1', '300x250', '300x600'],
  ])('the name %s takes %s and not %s', async (name, takes, not) => {
    const sizes = (await slotsOf(`<p>Text</p><div class="ads" id="${name}"></div>`)).flatMap((one) =>
      one.sizes.map((size) => size.join('x')),
    );
    expect(sizes).toContain(takes);
    expect(sizes).not.toContain(not);
  });

  test('a word for ads and small ads names an empty box, but not an entry of a list', async () => {
    const page = (body: string) => `<script>document.documentElement.lang = 'fr'</script><p>Texte</p>${body}`;
    expect(await slotsOf(page('<div class="annonce megabanniere"></div>'))).toHaveLength(1);
    expect(await slotsOf(page('<div class="annonce"><a href="/a"><img src="/x" alt=""></a> Vélo, 90 €</div>'))).toEqual(
      [],
    );
  });

  test('an AMP ad for other windows is not a slot', async () => {
    const ad = (media: string) => `<p>Text</p><amp-ad media="${media}" width="300" height="250"></amp-ad>`;
    const usable = (await slotsOf(ad('(max-width: 500px)'))).filter(({ visible, collapsed }) => visible || collapsed);
    expect(usable).toEqual([]);
    expect(await slotsOf(ad('(min-width: 501px)'))).toMatchObject([{ collapsed: true, sizes: [[300, 250]] }]);
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

test('an AMP ad without the AMP library gets its space in the page', async () => {
  const open = await visit(
    '<p>Before.</p><amp-ad width="300" height="250"><div placeholder></div></amp-ad><p id="after">After.</p>',
  );
  const picture = await open.place(await ad(300, 250));
  placed(picture);
  expect(picture.adBox).toMatchObject({ width: 300, height: 250 });
  expect(picture.chosen.evidence).toContain('amp');
  await open.close();
});
