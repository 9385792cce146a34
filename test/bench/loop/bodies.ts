/** The requests of the bench of the event loop: the hostile bodies of an API, and bodies that cost much for their size. */
import { gzipSync } from 'node:zlib';

export interface HostileRequest {
  readonly name: string;
  /** Below the path of the organization, unless it begins with a slash. */
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => string | Buffer;
}

const MEBIBYTE = 1_048_576;
const JSON_TYPE = { 'content-type': 'application/json' };
const GZIP = { ...JSON_TYPE, 'content-encoding': 'gzip' };

const device = { name: 'desktop' };
const site = { url: 'https://news.example/' };
const media = { type: 'url', content: 'https://a.example/' };
const campaign = { name: 'C' };
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const json = (value: unknown) => () => JSON.stringify(value);

const requestOf = (entries: unknown, more: object = {}) =>
  JSON.stringify({ campaign, screenshot_requests: entries, ...more });
const oneEntry = (screenshots: unknown) => requestOf([{ ad: { media }, screenshots }]);
const frames = (markers: unknown[]) => oneEntry([{ site, device, options: { ad: { frames: markers } } }]);
const onSites = (count: number) => times(count, (i) => ({ site: { url: `s${i}.example` }, device }));
/** A thousand ads with 14 screenshots each. */
const framesOfMany = (markers: unknown[]) => {
  const shot = { site, device, options: { ad: { frames: markers } } };
  return requestOf(times(1_000, () => ({ ad: { media }, screenshots: times(14, () => shot) })));
};

/** Screenshot requests in JSON. */
const REQUESTS: Readonly<Record<string, () => string>> = {
  '500,000 empty frames in one screenshot': () => frames(times(500_000, () => ({}))),
  '300,000 unknown topics': () =>
    requestOf([], { subscribers: [{ webhook: { url: 'https://h.example/', topics: times(300_000, () => 'x') } }] }),
  '300,000 empty entries': () => requestOf(times(300_000, () => ({}))),
  '40,000 empty screenshots': () => oneEntry(times(40_000, () => ({}))),
  '10,001 screenshots': () => oneEntry(onSites(10_001)),
  '10,000 screenshots, accepted': () => oneEntry(onSites(10_000)),
  '10,000 screenshots with addresses of 2,000 characters, accepted': () =>
    oneEntry(times(10_000, (i) => ({ site: { url: `s${i}.example/${'p'.repeat(2_000)}` }, device }))),
  '1,000 ads with tags of 30 KiB, accepted': () =>
    requestOf(
      times(1_000, (i) => ({
        ad: { media: { type: 'html_tag', content: `<p>${i}${'t'.repeat(30_000)}</p>` } },
        screenshots: [{ site, device }],
      })),
    ),
  'an empty object a million times': () => `{"x":[${'{},'.repeat(999_000)}{}]}`,
  '10,000 levels': () => '['.repeat(10_000) + ']'.repeat(10_000),
  '32 MiB in one string': json({ x: 'y'.repeat(32 * MEBIBYTE - 10) }),
  '32 MiB in one string with a letter of two bytes': () => JSON.stringify({ x: 'y'.repeat(32 * MEBIBYTE - 12) + 'ł' }),
  '32 MiB in one name': () => JSON.stringify({ ['y'.repeat(32 * MEBIBYTE - 10)]: 1 }),
  '32 MiB and a byte': json({ x: 'y'.repeat(32 * MEBIBYTE) }),
  'NUL, half of a surrogate pair and __proto__': () => `{"a":"\\u0000","b":"\\ud800","__proto__":{"campaign":1}}`,
  'markers "1", 1e400, -0 and 30.0000001': () =>
    frames([{ marker: '1' }, { marker: 30.0000001 }, { marker: -0 }]).replace('30.0000001', '1e400'),
};

const PACKED: Readonly<Record<string, () => Buffer>> = {
  '1,000 × 14 screenshots × 31 empty frames, gzip': () => gzipSync(framesOfMany(times(31, () => ({})))),
  '1,000 × 14 screenshots × 31 valid frames, gzip': () =>
    gzipSync(framesOfMany(times(31, (marker) => ({ marker: marker % 30 })))),
  '33 MiB of spaces, gzip': () => gzipSync(Buffer.alloc(33 * MEBIBYTE, 0x20)),
};

/** Bodies for the other routes. */
const OTHERS: readonly HostileRequest[] = [
  {
    name: 'create-ad with a tag of 1 MiB, accepted',
    path: 'ads',
    body: json({ campaign, ad: { media: { type: 'html_tag', content: `<p>${'t'.repeat(MEBIBYTE - 8)}` } } }),
  },
  {
    name: 'create-ad with a tag of 32 MiB',
    path: 'ads',
    body: json({ campaign, ad: { media: { type: 'html_tag', content: 't'.repeat(31 * MEBIBYTE) } } }),
  },
  {
    name: 'create-ad with an unknown field of 500,000 values',
    path: 'ads',
    body: json({ campaign, ad: { media }, x: times(500_000, () => ({})) }),
  },
  {
    name: 'create-ad with metadata of 500,000 pairs',
    path: 'ads',
    body: json({ campaign, ad: { media, metadata: Object.fromEntries(times(500_000, (i) => [`k${i}`, 'v'])) } }),
  },
  {
    name: 'a template with 32 MiB of sites',
    path: 'templates',
    body: json({ name: 'T', sites: times(2_000_000, () => 'a.example') }),
  },
  {
    name: 'a template with 500,000 sites',
    path: 'templates',
    body: json({ name: 'T', sites: times(500_000, () => 'a.example') }),
  },
  {
    name: 'a replay of 500,000 events',
    path: 'events/replay',
    body: json({ ids: times(500_000, (i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`) }),
  },
  {
    name: 'a webhook endpoint with an address of 32 MiB',
    path: 'webhook_endpoints',
    body: json({ url: `https://h.example/${'p'.repeat(31 * MEBIBYTE)}` }),
  },
];

const part = (name: string, value: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=b' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Bodies that are no JSON, and headers. */
const FORMS: readonly HostileRequest[] = [
  {
    name: 'multipart with 100,000 parts',
    path: 'uploads',
    headers: MULTIPART,
    body: () => `${times(100_000, (i) => part(`f${i}`, 'v')).join('')}--b--\r\n`,
  },
  {
    name: 'multipart with a header of 10 MB',
    path: 'uploads',
    headers: MULTIPART,
    body: () =>
      `--b\r\nContent-Disposition: form-data; name="f"\r\nX-A: ${'a'.repeat(10_000_000)}\r\n\r\nv\r\n--b--\r\n`,
  },
  {
    name: 'an upload of 60 MB',
    path: 'uploads',
    headers: { 'content-type': 'image/gif' },
    body: () => Buffer.concat([Buffer.from('R0lGODlhAQABAAAAACw=', 'base64'), Buffer.alloc(60_000_000)]),
  },
  {
    name: '100,000 fields of a form',
    path: '/o/bench/sign-in',
    headers: FORM,
    body: () => times(100_000, (i) => `f${i}=v`).join('&'),
  },
  {
    name: '9,000 fields of a form in 64 KiB',
    path: '/o/bench/sign-in',
    headers: FORM,
    body: () =>
      times(9_000, (i) => `${i}=v`)
        .join('&')
        .slice(0, 65_000),
  },
  {
    name: 'the form of a new request with 100,000 fields',
    path: '/o/bench/new',
    headers: MULTIPART,
    body: () => `${times(100_000, (i) => part(`f${i}`, 'v')).join('')}--b--\r\n`,
  },
  {
    name: 'the form of a new request with sites of 1.4 MiB',
    path: '/o/bench/new',
    headers: MULTIPART,
    body: () => `${part('sites', times(100_000, (i) => `s${i}.example`).join('\n'))}--b--\r\n`,
  },
  {
    name: 'headers of 15 KB',
    path: 'ads',
    method: 'GET',
    headers: { 'x-long': 'h'.repeat(15_000), prefer: ','.repeat(500) },
  },
  { name: 'headers of 60 KB', path: 'ads', method: 'GET', headers: { 'x-long': 'h'.repeat(60_000) } },
];

const asRequest =
  (headers: Readonly<Record<string, string>>) =>
  ([name, body]: [string, () => string | Buffer]) => ({
    name,
    path: 'screenshot_requests',
    headers,
    body,
  });

export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  ...Object.entries(REQUESTS).map(asRequest(JSON_TYPE)),
  ...Object.entries(PACKED).map(asRequest(GZIP)),
  ...OTHERS.map((request) => ({ headers: JSON_TYPE, ...request })),
  ...FORMS,
];

/** Bodies whose answers name a set of 10,000 screenshots, which {@link readsOf} reads. */
export const LARGE_SET = () => requestOf([{ ad: { media }, screenshots: onSites(10_000) }]);

/** Requests with large answers. @param set the id of a set of 10,000 screenshots. */
export function readsOf(set: string): readonly HostileRequest[] {
  const pages = `/o/bench/screenshot_sets/${set}`;
  return [
    { name: 'reading a set of 10,000 screenshots', path: `screenshot_sets/${set}`, method: 'GET' },
    { name: '500 screenshots of a list', path: `screenshots?from=2020-01-01&per_page=500`, method: 'GET' },
    { name: '500 ads of a list, with tags', path: 'ads?per_page=500', method: 'GET' },
    { name: 'the exports of a set', path: `screenshot_sets/${set}/exports`, method: 'GET' },
    { name: 'the page of a set', path: pages, method: 'GET' },
    { name: 'the last page of a set', path: `${pages}?page=42`, method: 'GET' },
    { name: 'the page of ads', path: '/o/bench/ads', method: 'GET' },
    { name: 'canceling a set of 10,000 screenshots', path: `screenshot_sets/${set}/cancel`, method: 'POST' },
    { name: 'a retake of 10,000 screenshots', path: `screenshot_sets/${set}/duplicate`, method: 'POST' },
    { name: 'the OpenAPI document', path: '/openapi.json', method: 'GET' },
    { name: 'the reference', path: '/docs', method: 'GET' },
  ];
}
