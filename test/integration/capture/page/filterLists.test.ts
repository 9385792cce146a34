import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener, SlotCandidate } from '../../../../src/capture/page/page.ts';
import { compileLists } from '../../../../src/slotLists/compile.ts';
import { openSlotLists } from '../../../../src/slotLists/slotLists.ts';
import { device, openerFor, readyPage, type Sites, startSites } from './sites.ts';

const LIST = `[Adblock Plus 2.0]
! Title: Our list
! Version: 7
##.qx-hero
##.qx-label
##.qx-teaser
##.qx-widget
##.qx-pixel
##.qx-bait
##.qx-away
###survey-xq
##.qx-strip
##.qx-bannerzone
##.qx-video
##[data-qx-place]
##.qx-host:has(> .qx-inner)
##a[href^="https://go.example/"]
other.example##.kz-side
127.0.0.1##.kz-own
##.mv-allowed
127.0.0.1#@#.mv-allowed
||partner.example^$subdocument
##.qx-a:not-a-real-selector(x)
`;

let sites: Sites;
let plain: PageOpener;
let listed: PageOpener;
let pages = 0;

beforeAll(async () => {
  sites = await startSites();
  const slotLists = openSlotLists(await compileLists([{ source: 'ours.txt', text: LIST }]));
  [plain, listed] = await Promise.all([
    openerFor({ settleCapMs: 1_500 }),
    openerFor({ settleCapMs: 1_500, slotLists }),
  ]);
});
afterAll(async () => {
  await plain.close();
  await listed.close();
  await sites.close();
});

const box = (names: string, content = '', style = 'width:300px;height:250px') =>
  `<p>The council voted to keep the old crane.</p><div ${names} style="${style}">${content}</div>`;
/** Has no standard size, so that nothing but a list tells that it is a slot. */
const ODD = 'width:640px;height:260px;background:#eee';

async function slotsWith(opener: PageOpener, body: string): Promise<readonly SlotCandidate[]> {
  const url = sites.put(
    `/list-${pages++}`,
    `<!doctype html><meta name="viewport" content="width=device-width">${body}`,
  );
  const open = await opener.open(url, device('desktop'));
  readyPage(open);
  await open.close();
  return open.candidates;
}

test('a box with an unknown class is found only with the list, and the evidence names list and rule', async () => {
  const body = box('class="qx-hero"', '', ODD);
  expect(await slotsWith(plain, body)).toEqual([]);
  expect(await slotsWith(listed, body)).toMatchObject([
    { evidence: ['filter_list'], filterRule: { list: 'Our list', rule: '##.qx-hero' } },
  ]);
});

test('rules by attribute, by :has() and for this site find boxes; rules for another site and with an exception do not', async () => {
  const body = [
    box('data-qx-place="1" id="by-attribute"', '', ODD),
    box('class="qx-host" id="by-has"', '<i class="qx-inner"></i>', ODD),
    box('class="kz-own" id="by-site"', '', ODD),
    box('class="kz-side" id="other-site"', '', ODD),
    box('class="mv-allowed" id="exception"', '', ODD),
  ].join('');
  const found = await slotsWith(listed, body);
  expect(found.map(({ element }) => element).sort()).toEqual(['#by-attribute', '#by-has', '#by-site']);
});

test('labels, teasers, widgets, players, tracking pixels and boxes that test for ad blockers are no slots', async () => {
  const words = 'Ten things that you should know about roofs before you buy one this winter';
  const body = [
    box('class="qx-label"', 'Advertisement', 'width:640px;height:18px'),
    box('class="qx-teaser"', `<img src="/x.png" width="200" height="120"><b>${words}</b>`, ODD),
    box('class="qx-widget"', `<ul>${`<li><a href="/a">${words}</a></li>`.repeat(4)}</ul>`, ODD),
    box('class="qx-video"', '', ODD),
    box('class="qx-pixel"', '', 'width:1px;height:1px'),
    box('class="qx-bait"', '', 'position:absolute;top:0;width:300px;height:0'),
    box('class="qx-away"', '', 'position:absolute;left:-9999px;width:640px;height:260px'),
    box('id="survey-xq"', '', ODD),
    '<p><a href="https://go.example/1">A text link</a></p>',
  ].join('');
  const found = await slotsWith(listed, body);
  const usable = found.filter(({ box: { x }, visible, collapsed }) => (visible || collapsed) && x >= 0);
  expect(usable).toEqual([]);
});

test('a list does not strengthen a box whose name speaks of other content', async () => {
  const [found] = await slotsWith(listed, box('class="ad-box native-related qx-hero"'));
  expect(found?.evidence ?? []).not.toContain('filter_list');
});

test('a linked image of a standard size that a rule names is a slot', async () => {
  const pixel =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='600' height='500'%3E%3Crect width='600' height='500'/%3E%3C/svg%3E";
  const [found] = await slotsWith(
    listed,
    `<p>Text</p><a href="https://go.example/2"><img src="${pixel}" width="300" height="250"></a>`,
  );
  expect(found).toMatchObject({ filterRule: { rule: '##a[href^="https://go.example/"]' }, sizes: [[300, 250]] });
  expect(found?.evidence).toContain('filter_list');
});

test('a frame whose source a rule blocks is a slot', async () => {
  const body = '<p>Text</p><iframe src="https://partner.example/f" width="640" height="260" frameborder="0"></iframe>';
  expect(await slotsWith(plain, body)).toEqual([]);
  expect(await slotsWith(listed, body)).toMatchObject([
    { evidence: ['filter_list'], filterRule: { list: 'Our list', rule: '||partner.example^$subdocument' } },
  ]);
});

test('a form with a field called id does not disturb the search', async () => {
  const body = `<form><input type="hidden" name="id"><input type="hidden" name="src"></form>${box('class="qx-hero"', '', ODD)}`;
  expect(await slotsWith(listed, body)).toMatchObject([{ filterRule: { rule: '##.qx-hero' } }]);
});

test('a collapsed box is a slot if its name or the rule speaks of ads', async () => {
  const empty = 'width:728px;height:0';
  const [found, ...more] = await slotsWith(
    listed,
    box('class="qx-strip"', '', empty) + box('class="qx-bannerzone" id="named"', '', empty),
  );
  expect(found).toMatchObject({ element: '#named', collapsed: true, evidence: ['filter_list'] });
  expect(more).toEqual([]);
});

test('boxes in a shadow root and in a frame of the same site are found', async () => {
  const shadow = `<div id="host"></div><script>document.getElementById('host').attachShadow({mode:'open'}).innerHTML = '<div class="qx-hero" style="${ODD}"></div>'</script>`;
  expect(await slotsWith(listed, shadow)).toMatchObject([{ filterRule: { rule: '##.qx-hero' } }]);
  const inner = `<div class='kz-own' style='${ODD}'></div>`;
  const found = await slotsWith(
    listed,
    `<iframe srcdoc="${inner}" width="900" height="400" style="border:0"></iframe>`,
  );
  expect(found).toMatchObject([{ filterRule: { rule: '127.0.0.1##.kz-own' } }]);
});
