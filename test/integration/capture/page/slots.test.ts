import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageOpener, SlotCandidate } from '../../../../src/capture/page/page.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { ad, device, openerFor, placed, readyPage, type Sites, startSites } from './sites.ts';

let sites: Sites;
let opener: PageOpener;
let pages = 0;

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

/** The slots of a document: objects that they match, or `hidden` if this device shows none. */
type Expected = readonly object[] | 'hidden';
type Case = readonly [statement: string, body: string, expected: Expected];

const sized = 'style="width:300px;height:250px"';
const DIV = `<div id="spot" ${sized}></div>`;
const MREC = [[300, 250]];
/** A slot that has no space until it gets an ad of 300×250. */
const COLLAPSED = [{ collapsed: true, sizes: MREC }];
const evidence = (kind: SlotCandidate['evidence'][number]) => [{ evidence: expect.arrayContaining([kind]) }];
const gpt = (code: string) => `<script>window.googletag = {cmd: [() => { ${code} }]};</script>`;
const prebid = (units: string) =>
  `<script>window.pbjs = {que: []}; pbjs.que.push(() => pbjs.addAdUnits([${units}]));</script>`;
const styled = (css: string) => `<style>${css}</style><p>Text</p><div class="ad-slot" data-slot="mrec"></div>`;
const inBar = (style: string, more = '', size = 'data-size="728x90"') =>
  `<div class="bar" style="position:fixed;left:0;width:100%;${style}">${more}<div class="ad-slot" ${size}></div></div>`;
const besidePosition = (type: string) => `<p>Text</p><div id="cntr1-square"></div><p>Text</p><script>
  ramp.que.push(() => ramp.spaAddAds([{ type: '${type}', selectorId: 'cntr1-square' }]));</script>`;
const french = (body: string) => `<script>document.documentElement.lang = 'fr'</script><p>Texte</p>${body}`;
const onSite = (body: string) => `<link rel="canonical" href="https://www.exampleton.net/a"><p>Text</p>${body}`;
const linked = (url: string, name = '') =>
  `<p>Text</p><a href="${url}" class="${name}"><img src="/top.png" width="728" height="90" alt=""></a>`;
const ampFor = (media: string) => `<p>Text</p><amp-ad media="${media}" width="300" height="250"></amp-ad>`;

const BY_SCRIPT: readonly Case[] = [
  [
    'a slot is found in what the bidder of Amazon is asked for',
    `<p>Text</p><div id="spot"></div><script>window.apstag = { fetchBids() {} };
      apstag.fetchBids({ slots: [{ slotID: 'spot', sizes: [[300, 250]] }] });</script>`,
    [{ evidence: ['prebid'], sizes: MREC }],
  ],
  [
    'a slot is found in Prebid under another name',
    `<p>Text</p><div id="spot"></div><script>window._pbjsGlobals = ['siteBids'];
      window.siteBids = { adUnits: [{ code: 'spot', mediaTypes: { banner: { sizes: [[300, 250]] } } }] };</script>`,
    [{ evidence: ['prebid'], sizes: MREC }],
  ],
  [
    'a slot is found in commands that are queued for a library that does not load',
    `${DIV}<script>window.googletag = window.googletag || {cmd: []}; googletag.cmd.push(() => {
      googletag.defineSlot('/1/a', [[300, 250], [300, 600]], 'spot').addService(googletag.pubads()).setTargeting('a', 'b');
      googletag.pubads().enableSingleRequest(); googletag.enableServices(); });</script>`,
    [{ element: '#spot', evidence: ['gpt', 'iab_size'], sizes: [...MREC, [300, 600]] }],
  ],
  [
    'a slot is found in Prebid ad units with their sizes for the window',
    `${DIV}${prebid(`{ code: 'spot', mediaTypes: { banner: { sizeConfig: [{ minViewPort: [0, 0], sizes: [[320, 50]] },
      { minViewPort: [900, 0], sizes: [[300, 250]] }] } } }`)}`,
    [{ evidence: ['prebid', 'iab_size'], sizes: MREC }],
  ],
  [
    'a Prebid unit for films only is no slot',
    `<p>Text</p><div id="spot" style="height:150px"></div>${prebid(`{ code: 'spot', mediaTypes: { video: { playerSize: [640, 480] } } }`)}`,
    [],
  ],
  [
    'a Prebid unit for films and banners is a slot',
    `<p>Text</p><div id="spot" style="height:150px"></div>${prebid(`{ code: 'spot', mediaTypes: {
      video: { playerSize: [640, 480] }, banner: { sizes: [[300, 250]] } } }`)}`,
    [{ sizes: MREC }],
  ],
  [
    'the element that a script renders Prebid ads into is a slot',
    `<p>Text</p><div id="place"></div><script>window.pbjs = {que: []}; pbjs.que.push(() => {
      pbjs.addAdUnits([{ code: 'unit-1', mediaTypes: { banner: { sizes: [[300, 250]] } } }]);
      pbjs.requestBids({ bidsBackHandler: () => {
      pbjs.renderAd(document.getElementById('place').contentDocument, 'x'); } }); });</script>`,
    [{ element: '#place', sizes: MREC }],
  ],
  [
    'a call that Tearsheet does not know hides no declaration after it',
    `<div id="spot"></div><script>window.pbjs = {que: []}; pbjs.que.push(() => { pbjs.onEvent('bidWon', () => 0);
      pbjs.newFeature().with(1); pbjs.addAdUnits([{ code: 'spot', mediaTypes: { banner: { sizes: [[300, 250]] } } }]); });</script>`,
    [{ sizes: MREC }],
  ],
  [
    'a frame without a size is a slot if a script declares it',
    `<p>Text</p><iframe id="post" width="0" height="0"></iframe>${prebid(`{ code: 'post', mediaTypes: { banner: { sizes: [[300, 250]] } } }`)}`,
    [{ element: '#post', ...COLLAPSED[0] }],
  ],
  [
    'an element is a slot if an ad script gives it a size',
    '<p>Text</p><div id="pos-7"></div><script>window.siteAds = { slots: [{ id: "pos-7", sizes: [[300, 250]] }] }</script>',
    [{ element: '#pos-7', sizes: MREC }],
  ],
  [
    'an element is no slot because a player gives it a size',
    '<p>Text</p><div id="pos-7"></div><script>window.charts = [{ id: "pos-7", width: 300, height: 250 }]</script>',
    [],
  ],
  [
    'an element is a slot if an ad script names a position beside it',
    besidePosition('med_rect_atf'),
    [{ element: '#cntr1-square' }],
  ],
  ['an element is no slot if a script names something else beside it', besidePosition('weather'), []],
  [
    'an image of a network that did not load leaves a slot without a size',
    `<p>Text</p><div class="g g-1"><div class="g-single a-104"><a href="https://a.example/"><img src="/missing.jpg"></a></div></div>`,
    [{ collapsed: true }],
  ],
  [
    'a widget is no slot because the same script speaks of ads',
    `<p>Text</p><div id="weather-box"></div>
      <script>window.cfg = { ads: true, widgets: [{ id: "weather-box", width: 300, height: 250 }] }</script>`,
    [],
  ],
  [
    'a script that prints an ad between other content is a slot where it stands',
    `<main id="main"><p>One.</p><p>Two.</p><p>Three.</p><!-- Ad tag 468x60 --><script src="/tag.js"></script><p>Four.</p></main>`,
    [{ element: '#main div', collapsed: true, sizes: [[468, 60]] }],
  ],
  [
    'ad objects of unexpected types do not prevent the search for slots',
    `<script>window.googletag = 7; window.pbjs = Object.freeze({que: [1, null]});
      googletag = {cmd: 'x', apiReady: true, pubads() { throw 1 }};</script><div class="ad-slot" ${sized}></div>`,
    [{}],
  ],
];

const BY_ELEMENT: readonly Case[] = [
  ['an id of GPT is a slot', `<div id="div-gpt-ad-77-0" ${sized}></div>`, evidence('attribute')],
  [
    'an AdSense element is a slot',
    `<ins class="adsbygoogle" style="display:block;width:300px;height:250px"></ins>`,
    evidence('adsense'),
  ],
  [
    'an AMP ad is a slot',
    '<amp-ad width="300" height="250" style="display:block;width:300px;height:250px"></amp-ad>',
    evidence('amp'),
  ],
  ['a data attribute makes a slot', `<div data-ad-unit="/1/x" ${sized}></div>`, evidence('attribute')],
  ['an attribute of a network makes a slot', `<div data-adunitid="2" ${sized}></div>`, evidence('attribute')],
  ['a targeting attribute makes no slot', '<p>Text</p><div data-ad-target="header"></div>', []],
  [
    'a position in a data attribute of an empty element makes a slot of its sizes',
    '<p>Text</p><div data-voc-vam-position="robapaginas"></div>',
    [{ evidence: ['attribute'], sizes: expect.arrayContaining([[300, 250]]) }],
  ],
  [
    'the only element in a slot names its position',
    '<p>Text</p><div class="ad-slot"><div data-position="skyscraper"></div></div>',
    [{ sizes: expect.arrayContaining([[160, 600]]) }],
  ],
  [
    'an element that Advanced Ads names after the site is a slot',
    onSite('<div id="examp-1073628134"></div>'),
    evidence('attribute'),
  ],
  [
    'the place of a script or of a counter is no slot',
    '<p>Text</p><div class="feedAdFunction"></div><div id="ads_debug_js"></div><div class="ad" id="news1x1"></div>',
    [],
  ],
  [
    'a box by which a page finds ad blockers is no slot',
    '<p>Text</p><div class="ad ads adsbox doubleclick ad-placement"></div>',
    [],
  ],
  [
    'a slot with the classes of such a box and a size is a slot',
    `<p>Text</p><div class="ad ads adsbox doubleclick ad-placement" ${sized}></div>`,
    [{ collapsed: false }],
  ],
  [
    'an empty box after the footer of the page is no slot',
    '<p style="height:300px">Text</p><footer style="height:60px">About us</footer><div class="ad-slot"></div>',
    [],
  ],
  [
    'a slot of a network after the footer is known as such',
    '<p style="height:300px">Text</p><footer style="height:60px">About us</footer><div id="div-gpt-ad-5"></div>',
    [{ surroundings: { afterFooter: true } }],
  ],
  [
    'a slot before the footer of a comment is not after the footer of the page',
    '<footer style="height:60px">A comment</footer><p style="height:400px">Text</p><div class="ad-slot"></div>',
    [{ surroundings: { afterFooter: false } }],
  ],
  ['the place of the logo of a sponsor is no slot', '<p>Text</p><div class="ad" id="ad-logo"></div>', []],
  [
    'a slot with the name of a layer is one',
    '<p>Text</p><div class="ad" id="overlay"></div>',
    [{ kind: 'interstitial' }],
  ],
  [
    'a slot among the links of the site is known as such',
    '<p>Text</p><div class="header-nav"><ul><li><div class="ad mpu"></div></li></ul></div>',
    [{ surroundings: { inMenu: true } }],
  ],
  [
    'a slot in a page that is named after its menu is not among the links',
    '<div class="has-nav nav"><p>Text</p><div class="ad mpu"></div></div>',
    [{ surroundings: { inMenu: false } }],
  ],
  ['an element with the name of another site is no slot', onSite('<div id="other-1073628134"></div>'), []],
  ['a name that ends in an ad after its place makes a slot', '<p>Text</p><div class="rightads"></div>', [{}]],
  ['a word that only ends like one makes no slot', '<p>Text</p><div class="subhead-bread"></div>', []],
  ...[
    'mh-ad-label ad-element_ad',
    'ad-slot--with-label',
    'ad has-label',
    'c-ad c-ad--label',
    'FreeStarAd',
    'ad-slot--labelled',
  ].map((name): Case => [`the class ${name} makes a slot`, `<p>Text</p><div class="${name}"></div>`, [{}]]),
  ['an empty label of an ad is not a slot', '<p>Text</p><div class="ad-unit__label"></div>', []],
  ...['Auglýsing', 'تبلیغات', 'İlan'].map(
    (label): Case => [
      `a box with the text ${label} is a slot`,
      `<div class="banner" ${sized}>${label}</div>`,
      evidence('attribute'),
    ],
  ),
  [
    'a role description makes a slot',
    `<div aria-roledescription="Publicidad" role="region" ${sized}></div>`,
    evidence('attribute'),
  ],
  [
    'a slot in a body that a dialog fixed is part of the page',
    `<style>body{position:fixed;width:100%}</style><p>Text</p><div class="ad-slot" ${sized}></div>`,
    [{ sticky: false, kind: 'display' }],
  ],
  [
    'a slot in a fixed box in which the page scrolls is part of the page',
    `<div style="position:fixed;inset:0;overflow:auto"><div class="ad-slot" ${sized}></div><p style="height:900px"></div>`,
    [{ sticky: false, kind: 'display' }],
  ],
  ['a class makes a slot', `<div class="c-adSlot sidebar" ${sized}></div>`, evidence('attribute')],
  ['a banner of a known size is a slot', `<div class="banner" ${sized}></div>`, evidence('attribute')],
  [
    'a frame of a known size is a slot',
    `<iframe src="/nothing" width="300" height="250" style="border:0"></iframe>`,
    evidence('frame'),
  ],
  ['an empty box of a known size is a slot', `<div ${sized}></div>`, evidence('iab_size')],
  ['a header is not a slot', '<div class="header" style="width:728px;height:90px">The Daily Shadow</div>', 'hidden'],
  [
    'a download is not a slot',
    '<div class="download shadow loading" style="width:400px;height:200px">Get the file</div>',
    'hidden',
  ],
  ['a cookie banner is not a slot', `<div class="cookie-banner" ${sized}>We use cookies</div>`, 'hidden'],
  ['an ad label is not a slot', '<div class="ad-label" style="width:300px;height:40px">Advertisement</div>', 'hidden'],
  [
    'an article that is called ad is not a slot',
    `<div class="ad-supported">${'<p>A long story about ships. </p>'.repeat(20)}</div>`,
    'hidden',
  ],
  [
    'a frame of a video site is a player',
    '<iframe src="https://www.youtube.com/embed/x" width="640" height="360" style="border:0"></iframe>',
    [{ kind: 'in_stream', sizes: [[640, 360]] }],
  ],
  [
    'a picture of a known size is not a slot',
    `<div ${sized}><img alt="" style="width:300px;height:250px" src="data:,"></div>`,
    'hidden',
  ],
  [
    'a banner that leads to another site is a slot',
    linked('https://shop.example/', 'dialogOpen'),
    evidence('linked_image'),
  ],
  ['a banner that leads to the site of a copied page is not a slot', onSite(linked('https://exampleton.net/')), []],
  ['a banner in a link that is called logo is not a slot', linked('https://shop.example/', 'logobar__link'), []],
  ['an invisible anchor is not a slot', '<div class="ad" style="width:1px;height:1px"></div>', 'hidden'],
  [
    'a slot in a bar that waits for its ad is an anchor',
    `<p>Text</p>${inBar('bottom:0;display:none')}`,
    [{ kind: 'anchor', sticky: true, visible: false, collapsed: true }],
  ],
  [
    'a slot in such a bar after the footer of the page is an anchor too',
    `<p style="height:300px">Text</p><footer style="height:60px">About us</footer>${inBar('bottom:0;display:none', '', '')}`,
    [{ kind: 'anchor', collapsed: true }],
  ],
  [
    'a slot in a bar that a style hides at every width is an anchor',
    `<style>.bar{display:none}</style><p>Text</p>${inBar('bottom:0')}`,
    [{ kind: 'anchor', collapsed: true }],
  ],
  [
    'a slot in a bar for other widths is not a slot',
    `<style>.bar{display:none}@media (max-width:700px){.bar{display:block}}</style><p>Text</p>${inBar('bottom:0')}`,
    'hidden',
  ],
  ['a slot in a closed layer is not a slot', `<p>Text</p>${inBar('inset:0;display:none')}`, 'hidden'],
  [
    'a slot in a closed notice is not a slot',
    `<p>Text</p>${inBar('bottom:0;display:none', '<p>We value your privacy</p>')}`,
    'hidden',
  ],
  [
    'a box that the page hides on this device is not a slot',
    `<style>@media (min-width:1px){.d{display:none}}</style><div class="ad d" ${sized}></div>`,
    'hidden',
  ],
  ['a named slot that a style hides at every width is a slot', styled('.ad-slot{display:none}'), COLLAPSED],
  ['a named slot that a width hides is not a slot', styled('@media (min-width:1px){.ad-slot{display:none}}'), 'hidden'],
  [
    'a named slot that a width shows is not a slot at other widths',
    styled('.ad-slot{display:none}@media (max-width:700px){.ad-slot{display:block}}'),
    'hidden',
  ],
  [
    'a hidden wrapper takes the sizes of the slot in it',
    `<style>.wait{display:none}</style><p>Text</p><div class="advert wait"><i>Ad</i><div id="in"></div></div>
      ${gpt("googletag.defineSlot('/1/a', [[300, 250]], 'in')")}`,
    [{ element: 'div.advert.wait', evidence: ['gpt', 'attribute'], ...COLLAPSED[0] }],
  ],
  ['an empty search layer is not a slot', `<p>Text</p><div id="top-search-live" ${sized}></div>`, []],
  [
    'an empty layer over the page is not a slot',
    `<p>Text</p><div style="position:absolute;width:300px;height:250px"></div>`,
    [],
  ],
  ['an empty survey is not a slot', `<p>Text</p><div class="survey-box" ${sized}></div>`, []],
  ['an empty map is not a slot', `<p>Text</p><div id="map" ${sized}></div>`, []],
  [
    'a word for ads and small ads names an empty box',
    french('<div class="annonce megabanniere"></div>'),
    [{ evidence: ['attribute'] }],
  ],
  [
    'a word for ads and small ads does not name an entry of a list',
    french('<div class="annonce"><a href="/a"><img src="/x" alt=""></a> Vélo, 90 €</div>'),
    [],
  ],
  ['an AMP ad for other windows is not a slot', ampFor('(max-width: 500px)'), 'hidden'],
  ['an AMP ad for this window is a slot', ampFor('(min-width: 501px)'), COLLAPSED],
  [
    'a wrapper, its slot and the frame in it are one slot',
    `<div class="ad-wrapper"><span>Advertisement</span><div class="ad-slot" ${sized}>
      <iframe width="300" height="250" style="border:0"></iframe></div></div>`,
    [{ evidence: ['attribute', 'frame', 'iab_size'] }],
  ],
];

/** The name of an element, a size that it takes, and one that it does not take. */
const NAMES = [
  ['mrec', '300x250', '300x600'],
  ['Ads_BA_FLB', '728x90', '300x250'],
  ['ad-square1', '300x250', '300x600'],
] as const;

const FRAME_HEIGHT = 600;
const bodies = [
  ...[...BY_SCRIPT, ...BY_ELEMENT].map(([, body]) => body),
  ...NAMES.map(([name]) => `<p>Text</p><div class="ads" id="${name}"></div>`),
];
const found = new Map<string, SlotCandidate[]>();

/** Each document is a frame of one page as wide as a window, because a page takes seconds. The search looks into 40 frames. */
async function findAll(some: readonly string[]): Promise<void> {
  const frames = some.map((body) => {
    const url = sites.put(`/case-${pages++}`, `<!doctype html><body>${body}`);
    return `<iframe src="${url}" style="display:block;border:0;width:1280px;height:${FRAME_HEIGHT}px"></iframe>`;
  });
  for (const slot of await slotsOf(`<style>body{margin:0}</style>${frames.join('')}`)) {
    const body = some[Math.floor(slot.box.y / FRAME_HEIGHT)] ?? '';
    found.set(body, [...(found.get(body) ?? []), slot]);
  }
}

beforeAll(async () => {
  sites = await startSites();
  opener = await openerFor();
  for (let at = 0; at < bodies.length; at += 25) await findAll(bodies.slice(at, at + 25));
}, 120_000);
afterAll(async () => {
  await opener.close();
  await sites.close();
});

describe.each([
  ['a slot that a script declares', BY_SCRIPT],
  ['a slot that its element declares', BY_ELEMENT],
])('%s', (_what, cases) => {
  test.each(cases)('%s', (_statement, body, expected) => {
    const slots = found.get(body) ?? [];
    if (expected !== 'hidden') expect(slots).toMatchObject(expected);
    else expect(slots.filter(({ visible, collapsed }) => visible || collapsed)).toEqual([]);
  });
});

test.each(NAMES)('the name %s takes %s and not %s', (name, takes, not) => {
  const slots = [...found.values()].flat().filter(({ element }) => element === `#${name}`);
  const sizes = slots.flatMap((one) => one.sizes.map((size) => size.join('x')));
  expect(sizes).toContain(takes);
  expect(sizes).not.toContain(not);
});

test('a slot has the sizes that the size mapping gives for the window', async () => {
  const body = `<div id="spot" style="height:90px"></div>${gpt(`const rows = googletag.sizeMapping()
    .addSize([1024, 0], [[728, 90], 'fluid']).addSize([0, 0], []).build();
    googletag.defineSlot('/1/a', [[300, 250]], 'spot').defineSizeMapping(rows);`)}`;
  expect(await slotsOf(body)).toMatchObject([{ sizes: [[728, 90]] }]);
  expect(await slotsOf(body, 'mobile')).toEqual([]);
});

test('slots in a shadow root and in a cross-origin frame get document coordinates', async () => {
  sites.put(
    '/inner-slot',
    `<body style="margin:0"><div style="height:40px"></div><div id="div-gpt-ad-in" ${sized}></div>`,
  );
  const slots = await slotsOf(`<style>body{margin:0}</style><div id="host"></div><div style="height:1000px"></div>
    <iframe src="${sites.other}/inner-slot" style="width:400px;height:400px;border:5px solid;padding:3px"></iframe>
    <script>host.attachShadow({mode: 'open'}).innerHTML = '<div id="div-gpt-ad-shadow" ${sized}></div>';</script>`);
  const boxOf = (name: string) => slots.find(({ element }) => element === name)?.box;
  expect(boxOf('#div-gpt-ad-shadow')).toEqual({ x: 0, y: 0, width: 300, height: 250 });
  expect(boxOf('#div-gpt-ad-in')).toEqual({ x: 8, y: 1298, width: 300, height: 250 });
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
  const frames = await Promise.all([...boxes, ...boxes].map(([w, h]) => ad(w, h)));
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
