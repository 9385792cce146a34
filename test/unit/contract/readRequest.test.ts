import { expect, test, vi } from 'vitest';
import { MAX_VALUES } from '../../../src/contract/faults.ts';
import { screenshotRequestParser } from '../../../src/contract/readRequest.ts';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/screenshotOptions.ts';

const parse = screenshotRequestParser({ ...DEFAULT_LIMITS, entries: 2, screenshots: 2 });
const object = { site: { url: 'news.example' }, device: { name: 'desktop' } };
const entry = (objects: number) => ({
  ad: { media: { type: 'url', content: 'https://ads.example/' } },
  screenshots: Array.from({ length: objects }, () => object),
});
const read = (entries: object[]) => parse({ campaign: { name: 'C' }, screenshot_requests: entries });

test('Objects that name the same screenshot are read, up to a bound over all entries', () => {
  const most = read([entry(3), entry(1)]);
  expect(most.faults.any).toBe(false);
  expect(most.entries.map(({ screenshots }) => screenshots.length)).toEqual([3, 1]);
  expect(read([entry(3), entry(2)]).faults.errors).toEqual({
    screenshot_requests: ['must name at most 4 screenshots in all, with repetitions: send several requests.'],
  });
});

test('Entries beyond the limit are counted, not read', () => {
  const { entries, faults } = read([entry(1), entry(1), ...Array.from({ length: 5_000 }, () => ({}))]);
  expect(entries).toHaveLength(2);
  expect(faults.errors).toEqual({
    screenshot_requests: ['must have at most 2 entries, but has 5,002: send several requests.'],
  });
});

/** The first screenshot of a request with these options. */
function withOptions(options: unknown) {
  const screenshots = [{ ...object, options }];
  const { entries, faults } = read([{ ...entry(1), screenshots }]);
  return { options: entries[0]?.screenshots[0]?.options, errors: faults.errors };
}

const PATH = 'screenshot_requests.0.screenshots.0.options';

test.each([
  ['absent', undefined],
  ['null', null],
  ['empty', {}],
  ['null in each part', { ad: null, slot: null, page: null }],
  ['null in each field', { ad: { allow_scaling: null }, page: { other_ads: null, full_page: null, view: null } }],
])('options that are %s are the default options', (_, options) => {
  expect(withOptions(options)).toEqual({ options: DEFAULT_OPTIONS, errors: {} });
});

test('each option is read', () => {
  const page = { other_ads: 'keep', full_page: true, view: 'masthead' };
  const animation = { seconds: 12 };
  expect(withOptions({ ad: { allow_scaling: true }, slot: { selector: '#a .b' }, page, animation }).options).toEqual({
    allowScaling: true,
    slot: { selector: '#a .b' },
    location: null,
    access: null,
    group: null,
    givenPage: null,
    otherAds: 'keep',
    fullPage: true,
    view: 'masthead',
    animation: { seconds: 12, fps: 10 },
  });
  expect(withOptions({ slot: { index: 100 } }).options?.slot).toEqual({ index: 100 });
  expect(withOptions({ slot: { index: 1, selector: null } }).options?.slot).toEqual({ index: 1 });
  expect(withOptions({ slot: { format: 'anchor' } }).options?.slot).toEqual({ format: 'anchor' });
});

test.each([
  ['a slot with both choices', { slot: { selector: 'a', index: 1 } }, 'slot', 'only one of'],
  ['a slot with a number and a format', { slot: { format: 'rail', index: 1 } }, 'slot', 'only one of'],
  ['a slot without a choice', { slot: {} }, 'slot', 'selector, index, format or area'],
  ['an unknown format', { slot: { format: 'popup' } }, 'slot.format', 'interstitial'],
  ['the slot number zero', { slot: { index: 0 } }, 'slot.index', '1'],
  ['the slot number 101', { slot: { index: 101 } }, 'slot.index', '100'],
  ['a slot number with decimals', { slot: { index: 1.5 } }, 'slot.index', 'whole number'],
  ['a blank selector', { slot: { selector: ' ' } }, 'slot.selector', 'CSS selector'],
  ['a selector over 500 characters', { slot: { selector: 'x'.repeat(501) } }, 'slot.selector', '500'],
  ['a selector with U+0000', { slot: { selector: 'a\0' } }, 'slot.selector', ''],
  ['scaling as text', { ad: { allow_scaling: 'true' } }, 'ad.allow_scaling', 'boolean'],
  ['scaling as a number', { ad: { allow_scaling: 1 } }, 'ad.allow_scaling', 'boolean'],
  ['an animation without a length', { animation: {} }, 'animation.seconds', 'required'],
  ['an animation of 31 s', { animation: { seconds: 31, fps: 1 } }, 'animation.seconds', '30'],
  ['16 frames a second', { animation: { seconds: 1, fps: 16 } }, 'animation.fps', '15'],
  ['a part of a second', { animation: { seconds: 21.5, fps: 14 } }, 'animation.seconds', 'whole number'],
  ['more than 300 frames', { animation: { seconds: 30, fps: 11 } }, 'animation', '300 frames'],
  ['another choice about other ads', { page: { other_ads: 'show' } }, 'page.other_ads', 'hide'],
  ['the whole page as text', { page: { full_page: 'yes' } }, 'page.full_page', 'boolean'],
  ['another view', { page: { view: 'top' } }, 'page.view', 'masthead'],
  ['options that are not an object', 'all', '', 'object'],
])('a request with %s is rejected with the path of the fault', (_, options, path, word) => {
  const { errors } = withOptions(options);
  const at = path === '' ? PATH : `${PATH}.${path}`;
  expect(Object.keys(errors)).toEqual([at]);
  expect(errors[at]?.join(' ')).toContain(word);
});

const withSize = (size: unknown) => {
  const { entries, faults } = read([{ ...entry(1), ad: { ...entry(1).ad, size } }]);
  // The faults of the content count only if the ad is new, so the parser keeps them apart.
  return { size: entries[0]?.ad?.content?.size, errors: { ...faults.errors, ...entries[0]?.ad?.faults } };
};

test('the size of an ad is read, and is null if the request has none', () => {
  expect(withSize({ width: 1, height: 4_096 })).toEqual({ size: { width: 1, height: 4_096 }, errors: {} });
  expect([withSize(undefined).size, withSize(null).size]).toEqual([null, null]);
});

test.each([
  ['width 0', { width: 0, height: 250 }, ['width']],
  ['height 4097', { width: 300, height: 4_097 }, ['height']],
  ['decimals', { width: 300.5, height: 250 }, ['width']],
  ['text', { width: '300', height: '250' }, ['width', 'height']],
  ['no height', { width: 300 }, ['height']],
])('an ad size with %s is rejected', (_, size, fields) => {
  const { errors } = withSize(size);
  expect(Object.keys(errors)).toEqual(fields.map((field) => `screenshot_requests.0.ad.size.${field}`));
});

test('markers count as screenshots before any of them is checked', () => {
  const frames = (count: number) => ({ ...object, options: { ad: { frames: Array(count).fill({}) } } });
  const { errors } = read([{ ...entry(1), screenshots: [frames(9)] }]).faults;
  expect(errors).toEqual({
    screenshot_requests: ['must name at most 4 screenshots in all, with repetitions: send several requests.'],
  });
});

test('the parser stops after the first hundred faults, and the answer says so', () => {
  const visit = vi.fn();
  const wrong = () => Object.defineProperty({}, 'site', { enumerable: true, get: visit });
  const many = screenshotRequestParser(DEFAULT_LIMITS);
  const screenshots = Array.from({ length: 5_000 }, wrong);
  const { errors } = many({ campaign: { name: 'C' }, screenshot_requests: [{ ...entry(1), screenshots }] }).faults;
  expect(errors['body']).toEqual(['has more faults: these are the first 100.']);
  expect(Object.keys(errors)).toHaveLength(101);
  expect(visit.mock.calls.length).toBeLessThan(500);
});

test('a part with very many values is one fault', () => {
  const topics = Array.from({ length: MAX_VALUES }, () => 'x');
  const { faults } = parse({
    ...{ campaign: { name: 'C' }, screenshot_requests: [entry(1)] },
    subscribers: [{ webhook: { url: 'https://h.example/', topics } }],
  });
  expect(faults.errors).toEqual({ 'subscribers.0': ['must not have more than 25,000 values inside it.'] });
});

const faultsOfScreenshot = (screenshot: object) =>
  Object.keys(read([{ ...entry(1), screenshots: [{ ...object, ...screenshot }] }]).faults.errors);

test.each([
  'ftp://a.example/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'about:blank',
  'view-source:https://a.example/',
  'https://u:p@a.example/',
  'u@a.example',
  'https://',
  'https:///',
  '#a',
  'a b.example',
  'https://[::1',
  `a.example/${'x'.repeat(8_183)}`,
  'a.example/\0',
])('the site %s is a fault', (url) => {
  expect(faultsOfScreenshot({ site: { url } })).toEqual(['screenshot_requests.0.screenshots.0.site.url']);
});

test.each(['30.0000001', '31', '-0.0001', '1e400', '-1e400', '"1"', 'null', 'true', '[1]', '{}'])(
  'a marker of %s is a fault',
  (marker) => {
    const frames = [{ marker: JSON.parse(marker) }];
    expect(faultsOfScreenshot({ options: { ad: { frames } } })).toEqual([`${PATH}.ad.frames.0.marker`]);
  },
);

const pathsOf = (body: object) =>
  Object.keys(parse({ campaign: { name: 'C' }, screenshot_requests: [entry(1)], ...body }).faults.errors);

test.each([
  [undefined, 'campaign'],
  [null, 'campaign'],
  ['Spring', 'campaign'],
  [[], 'campaign'],
  [{}, 'campaign'],
  [{ id: null, name: null }, 'campaign'],
  [{ name: '' }, 'campaign.name'],
  [{ name: ' \u2003\n' }, 'campaign.name'],
  [{ name: 5 }, 'campaign.name'],
  [{ name: 'a\0' }, 'campaign.name'],
  [{ name: '\ud800' }, 'campaign.name'],
  [{ id: 5 }, 'campaign.id'],
  [{ id: 'a\0b' }, 'campaign.id'],
])('the campaign %j is a fault on %s', (campaign, path) => {
  expect(pathsOf({ campaign })).toEqual([path]);
});

const many = Array.from({ length: 11 }, () => ({ webhook: { url: 'https://a.example/' } }));
const s3 = { bucket: 'shots', region: 'eu-central-1', key_prefix: 'ar_' };

test.each([
  ['an object in place of a list', {}, ['subscribers']],
  ['eleven subscribers', many, ['subscribers']],
  ['neither webhook nor bucket', [{}], ['subscribers.0']],
  ['both null', [{ webhook: null, s3: null }], ['subscribers.0']],
  ['null', [null], ['subscribers.0']],
  ['a webhook without an address', [{ webhook: {} }], ['subscribers.0.webhook.url']],
  ['a bad address', [{ webhook: { url: 'mailto:a@b.example' } }], ['subscribers.0.webhook.url']],
  ['an unknown topic', [{ webhook: { url: 'https://a.example/', topics: ['x'] } }], ['subscribers.0.webhook.topics.0']],
  ['no topic', [{ webhook: { url: 'https://a.example/', topics: [] } }], ['subscribers.0.webhook.topics']],
  ['a bucket without a name', [{ s3: { region: 'eu' } }], ['subscribers.0.s3.bucket']],
  ['a bucket that is an IP address', [{ s3: { bucket: '10.0.0.1' } }], ['subscribers.0.s3.bucket']],
  ['a prefix with a backslash', [{ s3: { ...s3, key_prefix: 'a\\b/' } }], ['subscribers.0.s3.key_prefix']],
  ['a prefix with ".."', [{ s3: { ...s3, key_prefix: '../x' } }], ['subscribers.0.s3.key_prefix']],
])('invalid subscribers are faults: %s', (_what, subscribers, paths) => {
  expect(pathsOf({ subscribers })).toEqual(paths);
});

/** Reads entries of a group, with these sites for each. */
function readGroup(entries: readonly { group?: string; ad?: object; screenshots: readonly object[] }[]) {
  const parseMore = screenshotRequestParser(DEFAULT_LIMITS);
  const screenshot_requests = entries.map((one) => ({ group: 'Takeover', ad: entry(0).ad, ...one }));
  return parseMore({ campaign: { name: 'C' }, screenshot_requests });
}

const on = (url: string, options?: object) => ({ site: { url }, device: { name: 'desktop' }, options });
const first = 'screenshot_requests.0.screenshots.0';
const second = 'screenshot_requests.1.screenshots.0';

test('the entries of a group have it in their options, trimmed', () => {
  const { entries, faults } = readGroup([{ group: ' Takeover ', screenshots: [on('a.example'), on('b.example')] }]);
  expect(faults.errors).toEqual({});
  expect(entries[0]?.screenshots.map(({ options: { group } }) => group)).toEqual(['Takeover', 'Takeover']);
});

test.each([
  [
    'two frames in one picture',
    [{ screenshots: [on('a.example', { ad: { frames: [{ marker: 0 }, { marker: 1 }] } })] }],
    { [`${first}.options.ad.frames`]: expect.stringMatching(/at most one frame, because/) },
  ],
  [
    'different options of the page',
    [{ screenshots: [on('a.example')] }, { screenshots: [on('https://a.example', { page: { full_page: true } })] }],
    { [`${second}.options.page`]: expect.stringContaining(`must be the same as in ${first}`) },
  ],
  [
    'an ad twice',
    [1, 2].map(() => ({ ad: { id: '00000000-0000-4000-8000-000000000000' }, screenshots: [on('a.example')] })),
    { [second]: expect.stringContaining(`repeats ${first}`) },
  ],
  [
    'nine ads',
    Array.from({ length: 9 }, () => ({ screenshots: [on('a.example')] })),
    { 'screenshot_requests.8.screenshots.0': expect.stringMatching(/^exceeds the limit of 8/) },
  ],
  [
    'a blank name',
    [{ group: ' ', screenshots: [on('a.example')] }],
    { 'screenshot_requests.0.group': expect.any(String) },
  ],
])('a group with %s is refused', (_, entries, errors) => {
  const expected = Object.fromEntries(Object.entries(errors).map(([path, message]) => [path, [message]]));
  expect(readGroup(entries).faults.errors).toEqual(expected);
});

test('entries of a group may name different pages, devices and options of the ad', () => {
  const faults = readGroup([
    { screenshots: [on('a.example', { ad: { allow_scaling: true } }), on('b.example', { page: { full_page: true } })] },
    { screenshots: [on('a.example'), on('b.example', { page: { full_page: true } })] },
    { group: 'Other', screenshots: [on('a.example', { page: { full_page: true } })] },
  ]).faults;
  expect(faults.errors).toEqual({});
});
