/** Libraries replace globals, and hostile pages do so on purpose. The search and the picture must not depend on them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener, Picture, SlotCandidate } from '../../../../src/capture/page/page.ts';
import { PAGE_SCRIPTS } from '../../../../src/capture/page/pageScripts.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { rowsOf, type Tier } from '../../../support/tiers.ts';
import { STORY } from './pictures.ts';
import { ad, device, openerFor, placed, readyPage, type Sites, startSites } from './sites.ts';

/** By library: how it replaces globals. Rows that name more than one library stand for the same replacement in all of them. */
const LIBRARIES: readonly (readonly [library: string, script: string])[] = [
  [
    'Prototype 1.6 and 1.7: Array.from without a function',
    'Array.from = (list) => { let { length } = list; const all = new Array(length); while (length--) all[length] = list[length]; return all; };',
  ],
  [
    'Prototype 1.6: Array.prototype.entries as a copy',
    'Array.prototype.entries = function () { return this.slice(); };',
  ],
  [
    'Prototype 1.6: Array.prototype.toJSON and String.prototype.toJSON',
    'Array.prototype.toJSON = function () { return "[" + this.map(String).join() + "]"; }; String.prototype.toJSON = function () { return JSON.stringify(String(this)); };',
  ],
  [
    'Prototype 1.7: Array.prototype.find, map, every and some',
    `const each = (all, work) => { for (let at = 0; at < all.length; at++) work(all[at], at); };
     Array.prototype.map = function (of = (x) => x) { const to = []; each(this, (one, at) => to.push(of(one, at))); return to; };
     Array.prototype.find = function (is) { let found; each(this, (one) => { if (is(one)) found ??= one; }); return found; };
     Array.prototype.every = function (is = (x) => x) { let all = true; each(this, (one) => { all = all && !!is(one); }); return all; };
     Array.prototype.some = function (is = (x) => x) { let any = false; each(this, (one) => { any = any || !!is(one); }); return any; };`,
  ],
  [
    'Prototype 1.7 and MooTools: a constructor of elements as Element',
    'const { prototype } = Element; Element = function (tag) { return document.createElement(tag); }; Element.prototype = prototype;',
  ],
  [
    'Prototype 1.6: getElementsByClassName and getElementsByTagName that return arrays',
    `for (const name of ["getElementsByClassName", "getElementsByTagName"]) { const old = Document.prototype[name];
     Document.prototype[name] = function (of) { return Array.prototype.slice.call(old.call(this, of)); }; }`,
  ],
  [
    'script.aculo.us: Element.prototype.scrollTo and String.prototype.startsWith',
    'Element.prototype.scrollTo = function () { this.scrollIntoView(); return this; }; String.prototype.startsWith = function (text) { return this.lastIndexOf(text, 0) === 0; };',
  ],
  [
    'MooTools 1.2 to 1.6: Array.from that returns lists as they are',
    'Array.from = (item) => (item == null ? [] : Array.isArray(item) ? item : typeof item === "object" && item.length !== undefined ? Array.prototype.slice.call(item) : [item]);',
  ],
  [
    'MooTools 1.2 to 1.6: Element.prototype.scrollTo with two numbers',
    'Element.prototype.scrollTo = function (x, y) { this.scrollLeft = x; this.scrollTop = y; return this; };',
  ],
  [
    'Prototype and MooTools: Function.prototype.bind and Object.values',
    'Function.prototype.bind = function (to) { return (...args) => Reflect.apply(this, to, args.slice(0, 1)); }; Object.values = (of) => Object.keys(of).map((key) => of[key]);',
  ],
  [
    'es5-shim, Sugar and webcomponents: Object.keys',
    'Object.keys = (of) => { const all = []; for (const key in of) all.push(key); return all; };',
  ],
  [
    'a polyfill for old browsers: Set that cannot be iterated',
    'Set = function () { this.all = []; }; Set.prototype = { add(one) { this.all.push(one); return this; }, has(one) { return this.all.includes(one); } };',
  ],
  [
    'a polyfill for old browsers: Map that cannot be iterated',
    'Map = function () { this.all = {}; }; Map.prototype = { set(key, to) { this.all[key] = to; return this; }, get(key) { return this.all[key]; }, has(key) { return key in this.all; } };',
  ],
  [
    'a polyfill for old browsers: Symbol without the iterators of the browser',
    'Symbol = (name) => "@@" + name; Symbol.iterator = "@@iterator"; Symbol.toPrimitive = "@@toPrimitive";',
  ],
  [
    'es6-shim: Set.prototype.add, has and delete, Math.round and Reflect.defineProperty',
    `for (const name of ['add', 'has', 'delete']) { const old = Set.prototype[name]; Set.prototype[name] = function (one) { return old.call(this, one === 0 ? 0 : one); }; }
     Math.round = (of) => Math.floor(of); Reflect.defineProperty = () => false;`,
  ],
  [
    'Zone.js and webcomponents: Object.prototype.toString and Object.create',
    'Object.prototype.toString = () => "[object Object]"; Object.create = () => ({});',
  ],
  [
    'core-js 2: String.prototype.trim and Function.prototype.toString',
    'String.prototype.trim = function () { return String(this).replace(/^\\s+|\\s+$/g, ""); }; Function.prototype.toString = () => "function () { [native code] }";',
  ],
  [
    'a polyfill for old browsers: String.prototype.matchAll that returns an array',
    'String.prototype.matchAll = function (by) { return this.match(by) ?? []; };',
  ],
  [
    'Zone.js: requestAnimationFrame and setTimeout that run their tasks later',
    'requestAnimationFrame = () => 1; const later = setTimeout; setTimeout = (work, ms) => later(work, ms + 60_000);',
  ],
  [
    'Zone.js and Bluebird: Promise',
    'Promise = function (start) { start(() => undefined, () => undefined); }; Promise.resolve = Promise.all = Promise.race = () => new Promise(() => undefined); Promise.prototype.then = function () { return this; };',
  ],
  [
    'Zone.js: addEventListener and Object.defineProperty',
    'EventTarget.prototype.addEventListener = () => undefined; Object.defineProperty = (to, name, { value }) => { to[name] = value; return to; };',
  ],
  [
    'Sugar 1.x: Array.prototype.filter, find and at',
    `const matcher = (one) => (typeof one === "function" ? one : (other) => JSON.stringify(other) === JSON.stringify(one));
     Array.prototype.filter = function (by) { const is = matcher(by); const kept = []; for (let at = 0; at < this.length; at++) if (is(this[at], at)) kept.push(this[at]); return kept; };
     Array.prototype.find = function (by) { return this.filter(by)[0]; };
     Array.prototype.at = function (...at) { return at.map((one) => this[one]); };`,
  ],
  [
    'Sugar 1.x: String.prototype.at and Object.values with a function',
    'String.prototype.at = function () { return []; }; Object.values = (of, work) => { Object.keys(of).forEach((key) => work(of[key])); return []; };',
  ],
  [
    'Ext JS and MooTools: Array.prototype.indexOf, includes and a constructor as Event',
    'Array.prototype.indexOf = function (one) { for (let at = 0; at < this.length; at++) if (this[at] == one) return at; return -1; }; Array.prototype.includes = function () { return false; }; Event = {};',
  ],
  [
    'date.js: Date.parse, Number.prototype.toString and Date.now',
    'Date.parse = () => null; Date.now = () => NaN; Number.prototype.toFixed = function () { return this; };',
  ],
  ['json2 without a check for JSON: JSON', 'JSON = { stringify: () => "", parse: () => null };'],
  [
    'web-animations-js: Element.prototype.animate and getAnimations',
    'Document.prototype.getAnimations = () => [{ effect: null }]; Element.prototype.animate = () => ({});',
  ],
  ['whatwg-url and polyfill.io: URL', 'URL = function (text) { this.href = text; };'],
  [
    'Modernizr and polyfill.io: matchMedia, matches and closest',
    'matchMedia = () => ({}); Element.prototype.matches = () => false; Element.prototype.closest = () => null;',
  ],
  [
    'polyfill.io: iterators of lists of nodes and of arrays',
    'delete NodeList.prototype[Symbol.iterator]; delete HTMLCollection.prototype[Symbol.iterator]; Array.prototype[Symbol.iterator] = function () { return { next: () => ({ done: true }) }; };',
  ],
  [
    'webcomponents: shadow roots and sheets of its own',
    `CSSStyleSheet = function () {}; CSSStyleSheet.prototype.replaceSync = () => undefined;
     Element.prototype.attachShadow = function () { this.shadyRoot = document.createDocumentFragment(); return this.shadyRoot; };
     Object.defineProperty(Element.prototype, "shadowRoot", { get() { return this.shadyRoot ?? document.createDocumentFragment(); } });`,
  ],
  [
    'webcomponents: append, createElement and getRootNode',
    'Element.prototype.append = () => undefined; Document.prototype.createElement = () => ({ setAttribute() {} }); Node.prototype.getRootNode = () => ({});',
  ],
];

/** The names of properties in our script. A page may have fields with any of them. */
const USED_WORDS = [...new Set(PAGE_SCRIPTS.index.match(/(?<=\.)[a-z]\w+/gi))];

/** By what a hostile page overrides. */
const HOSTILE: readonly (readonly [string, string])[] = [
  [
    'properties of forms, by the names of their fields',
    `const words = new Set(${JSON.stringify(USED_WORDS)});
     const namesOf = (of) => (of === null ? [] : [...Object.getOwnPropertyNames(of), ...namesOf(Object.getPrototypeOf(of))]);
     const outer = document.createElement("div"), place = document.createElement("i");
     let inner = outer;
     for (const name of new Set(namesOf(HTMLFormElement.prototype))) {
       if (!words.has(name)) continue;
       const form = document.createElement("form");
       form.innerHTML = '<input type="hidden" name="' + name + '">';
       Element.prototype.append.call(inner, form);
       inner = form;
     }
     Element.prototype.append.call(inner, place);
     document.addEventListener("DOMContentLoaded", () => { spot.before(outer); place.replaceWith(spot); });`,
  ],
  [
    'querySelectorAll',
    'Document.prototype.querySelectorAll = Element.prototype.querySelectorAll = Document.prototype.querySelector = () => [];',
  ],
  [
    'getBoundingClientRect',
    'Element.prototype.getBoundingClientRect = () => ({ x: 9, y: 9, left: 9, top: 9, right: 99, bottom: 99, width: 90, height: 90 });',
  ],
  [
    'elementFromPoint',
    'Document.prototype.elementFromPoint = () => document.body.firstElementChild; Document.prototype.elementsFromPoint = () => [];',
  ],
  [
    'getComputedStyle',
    'getComputedStyle = () => ({ display: "none", position: "fixed", getPropertyValue: () => "" });',
  ],
  ['JSON', 'JSON.stringify = JSON.parse = () => { throw new Error("no"); };'],
  [
    'Promise',
    'Promise.prototype.then = () => { throw new Error("no"); }; Promise.resolve = () => { throw new Error("no"); }; Promise = undefined;',
  ],
  [
    'Reflect, Proxy and Object',
    'for (const name of Object.getOwnPropertyNames(Reflect)) Reflect[name] = () => { throw new Error("no"); }; Proxy = undefined; Object.keys = Object.entries = Object.defineProperty = () => { throw new Error("no"); };',
  ],
  [
    'call, apply and bind of functions',
    'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw new Error("no"); };',
  ],
  [
    'properties of all objects and arrays',
    `for (const name of ["value", "get", "set", "writable", "then", "toJSON"]) Object.defineProperty(Object.prototype, name, { get: () => undefined, set() {}, configurable: true });
     Object.defineProperty(Array.prototype, "0", { set() {}, configurable: true });`,
  ],
  [
    'checkVisibility, innerText and the size of the window',
    'Element.prototype.checkVisibility = () => false; Object.defineProperty(HTMLElement.prototype, "innerText", { get: () => "" }); innerWidth = 1; innerHeight = 1;',
  ],
  ['the recorder', 'delete window.__tearsheetSlots; window.__tearsheetSlots = () => { throw new Error("no"); };'],
];

interface Taken {
  readonly candidates: readonly SlotCandidate[];
  readonly picture: Picture;
}

/** The page declares one slot by a script, names another one, and shows a layer that has to be hidden. */
function pageWith(script: string): string {
  return `<!doctype html><html lang="en"><head><title>Ships</title><script>{${script}}</script>
    <script>window.googletag = window.googletag || { cmd: [] };
      googletag.cmd[0] = () => googletag.defineSlot("/1/ships", [300, 250], "spot").addService(googletag.pubads());</script></head>
    <body style="margin:0"><h1>A story about ships</h1>${STORY}<div id="spot"></div>${STORY}
    <div class="ad-slot" style="width:728px;height:90px"></div>${STORY.repeat(3)}
    <div style="position:fixed;inset:0;background:#0008"><p>Subscribe to our newsletter</p></div></body></html>`;
}

/** A page with all libraries, and one that overrides all, run in `make test` too. These rows fail in other ways. */
const KEPT_LIBRARIES = [
  'Prototype 1.6: Array.prototype.toJSON and String.prototype.toJSON',
  'Zone.js and Bluebird: Promise',
  'webcomponents: shadow roots and sheets of its own',
];
const KEPT_HOSTILE = [
  'properties of forms, by the names of their fields',
  'properties of all objects and arrays',
  'the recorder',
];

export function testReplacedGlobals(tier: Tier): void {
  let sites: Sites;
  let opener: PageOpener;
  let expected: Taken;

  beforeAll(async () => {
    sites = await startSites();
    opener = await openerFor();
    expected = await take('plain', '');
  });
  afterAll(async () => {
    await opener.close();
    await sites.close();
  });

  async function take(name: string, script: string): Promise<Taken> {
    const open = await opener.open(sites.put(`/${encodeURIComponent(name)}`, pageWith(script)), device('desktop'));
    readyPage(open);
    const picture = await open.place(await ad(300, 250), DEFAULT_OPTIONS);
    await open.close();
    placed(picture);
    return { candidates: open.candidates, picture };
  }

  async function expectSamePicture(name: string, script: string): Promise<void> {
    const { candidates, picture } = await take(name, script);
    expect(candidates).toEqual(expected.candidates);
    expect(picture.adBox).toEqual(expected.picture.adBox);
    expect(picture.png.equals(expected.picture.png)).toBe(true);
  }

  test('without a library, the declared slot of the page is found and shown whole', () => {
    expect(expected.candidates.map(({ element }) => element)).toEqual(['#spot', 'div.ad-slot']);
    expect(expected.picture.adBox).toMatchObject({ width: 300, height: 250 });
  });

  test.concurrent.each(rowsOf(tier, LIBRARIES, KEPT_LIBRARIES))(
    'a page has the same picture with %s',
    expectSamePicture,
  );

  test.concurrent.each(rowsOf(tier, HOSTILE, KEPT_HOSTILE))(
    'a hostile page that overrides %s has the same picture',
    expectSamePicture,
  );

  if (tier === 'long') return;

  test('a page with all of these libraries has the same picture', async () => {
    await expectSamePicture('libraries', LIBRARIES.map(([, script]) => script).join('}</script><script>{'));
  });

  test('a hostile page that overrides all of these has the same picture', async () => {
    await expectSamePicture('all', HOSTILE.map(([, script]) => script).join('}</script><script>{'));
  });
}
