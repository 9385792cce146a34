import { expect, test } from 'vitest';
import { compileLists } from '../../../src/slotLists/compile.ts';
import { compileInWorker } from '../../../src/slotLists/compileInWorker.ts';
import { openSlotLists } from '../../../src/slotLists/slotLists.ts';

const EVERYTHING = {
  classes: ['box', 'promo', 'wide', 'inner'],
  ids: ['top', 'slot-1', 'slot-2'],
  attributes: ['class', 'id', 'data-unit', 'href'],
  hrefs: ['https://go.example/x'],
};

async function open(...texts: string[]) {
  return openSlotLists(await compileLists(texts.map((text, index) => ({ source: `list${index}.txt`, text }))));
}

async function selectorsOn(url: string, texts: string[], { names = EVERYTHING, pageUrl = url } = {}) {
  const lists = await open(...texts);
  return lists.hidingRules({ url, pageUrl }, names).map(({ selector }) => selector);
}

test('a rule of a site applies to that site and its subdomains only', async () => {
  const list = 'news.example##.box\n';
  expect(await selectorsOn('https://news.example/', [list])).toEqual(['.box']);
  expect(await selectorsOn('https://www.news.example/', [list])).toEqual(['.box']);
  expect(await selectorsOn('https://other.example/', [list])).toEqual([]);
});

test('generic rules by class, id, attribute and link address apply to each site', async () => {
  const list = '##.box\n###top\n##[data-unit]\n##a[href^="https://go.example/"]\n##.wide.promo\n##div[id^="slot-"]\n';
  expect((await selectorsOn('https://a.example/', [list])).sort()).toEqual(
    ['.box', '#top', '[data-unit]', 'a[href^="https://go.example/"]', '.wide.promo', 'div[id^="slot-"]'].sort(),
  );
});

test('rules whose names the page does not have are left out', async () => {
  const list = '##.other\n###none\n##.box.missing\n##[data-none]\n##[id^="banner-"]\n##.box > .missing\n';
  expect(await selectorsOn('https://a.example/', [list])).toEqual([]);
});

test('a name inside of :not() and :has() may be missing from the page', async () => {
  const list = 'a.example##.box:not(.missing)\na.example##.wide:has(> .absent)\n';
  expect((await selectorsOn('https://a.example/', [list])).sort()).toEqual([
    '.box:not(.missing)',
    '.wide:has(> .absent)',
  ]);
});

test('an exception for a site removes the rule there, also if another list has it', async () => {
  const lists = ['##.box\n##.wide\n', 'a.example#@#.box\n'];
  expect(await selectorsOn('https://a.example/', lists)).toEqual(['.wide']);
  expect(await selectorsOn('https://b.example/', lists)).toEqual(['.box', '.wide']);
});

test('an exception for all sites removes the rule', async () => {
  expect(await selectorsOn('https://a.example/', ['##.box\n#@#.box\n##[data-unit]\n#@#[data-unit]\n'])).toEqual([]);
});

test('a rule may exclude a site', async () => {
  const list = '~a.example##.box\n';
  expect(await selectorsOn('https://a.example/', [list])).toEqual([]);
  expect(await selectorsOn('https://b.example/', [list])).toEqual(['.box']);
});

test('generichide turns off generic rules, and elemhide all rules', async () => {
  const rules = '##.box\n##[data-unit]\na.example##.wide\nb.example##.wide\n';
  const list = `${rules}@@||a.example^$generichide\n@@||b.example^$elemhide\n`;
  expect(await selectorsOn('https://a.example/', [list])).toEqual(['.wide']);
  expect(await selectorsOn('https://b.example/', [list])).toEqual([]);
});

test('an exception for a page is valid in its frames', async () => {
  const list = '##.box\nframe.example##.wide\n@@||a.example^$elemhide\n';
  expect(await selectorsOn('https://frame.example/', [list], { pageUrl: 'https://a.example/' })).toEqual([]);
});

test('extended selectors are ignored and counted, and :has() is used', async () => {
  const list =
    'a.example#?#.box:has-text(Ad)\na.example#?#.wide:-abp-has(> .inner)\na.example##.promo:upward(2)\na.example##+js(x)\na.example##.inner:has(a)\n';
  const lists = await open(list);
  const rules = lists.hidingRules({ url: 'https://a.example/', pageUrl: 'https://a.example/' }, EVERYTHING);
  expect(rules.map(({ selector }) => selector).sort()).toEqual(['.inner:has(a)', '.wide:has(> .inner)']);
  expect(lists.versions[0]).toMatchObject({ rules: 2, ignored: 3 });
});

test('a rule names its list by title, or by source without one', async () => {
  const lists = await open('! Title: Ours\nnews.example,a.example##.box\n', '##.wide\n');
  expect(lists.hidingRules({ url: 'https://a.example/', pageUrl: 'https://a.example/' }, EVERYTHING)).toEqual([
    { selector: '.box', list: 'Ours', rule: 'news.example,a.example##.box' },
    { selector: '.wide', list: 'list1.txt', rule: '##.wide' },
  ]);
});

test('a rule for many hosts is shortened', async () => {
  const hosts = Array.from({ length: 80 }, (_, index) => `h${index}.example`).join(',');
  const lists = await open(`${hosts},a.example##.box\n`);
  const [found] = lists.hidingRules({ url: 'https://a.example/', pageUrl: 'https://a.example/' }, EVERYTHING);
  expect(found?.rule).toMatch(/^h0\.example,.{1,60}…##\.box$/);
});

test('a source of a frame or an image is matched against the rules for addresses', async () => {
  const lists = await open(
    '||ads.example^$third-party\n/banner/*$image\n@@||ads.example/map/\n||stats.example^$script\n',
  );
  const rule = (kind: 'frame' | 'image', source: string) =>
    lists.blockingRule({ kind, source }, { url: 'https://a.example/', pageUrl: 'https://a.example/' })?.rule;
  expect(rule('frame', 'https://ads.example/f.html')).toBe('||ads.example^$third-party');
  expect(rule('image', 'https://a.example/banner/1.png')).toBe('/banner/*$image');
  expect(rule('frame', 'https://a.example/banner/1.html')).toBeUndefined();
  expect(rule('frame', 'https://ads.example/map/')).toBeUndefined();
  expect(rule('image', 'https://stats.example/x.gif')).toBeUndefined();
});

test('the versions of all lists come with the SHA-256 of their texts', async () => {
  const lists = await open('! Title: Ours\n! Version: 7\n! Commit: abc\n##.box\n', '##.x\n');
  expect(lists.versions).toEqual([
    expect.objectContaining({ source: 'list0.txt', title: 'Ours', version: '7', commit: 'abc', rules: 1, ignored: 0 }),
    expect.objectContaining({ source: 'list1.txt', title: null, version: null, commit: null }),
  ]);
  expect(lists.versions[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test('a thread compiles the same bundle', async () => {
  const texts = [{ source: 'a', text: '##.box\n' }];
  const packed = await compileInWorker(texts);
  expect((await openSlotLists(packed)).versions).toEqual((await openSlotLists(await compileLists(texts))).versions);
});

test('bytes that are no bundle are rejected', async () => {
  await expect(openSlotLists(Buffer.from('no bundle'))).rejects.toThrow();
});
