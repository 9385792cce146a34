import { expect, it } from 'vitest';
import {
  type CheckedAd,
  CheckSettings,
  checkLimits,
  findingsOf,
  RULE_IDS,
  type RuleId,
} from '../../../src/contract/creativeCheck.ts';
import { CreativeFacts, type PageFacts } from '../../../src/contract/creativeFacts.ts';

const AD: CheckedAd = { width: 300, height: 250, category: 'display' };
const KB = 1024;

/** A zip in which no rule finds anything. */
const PAGE: PageFacts = {
  load: { initial_bytes: 150 * KB, total_bytes: 450 * KB, initial_requests: 10, requests: 12 },
  hosts: ['fonts.googleapis.com', 's0.2mdn.net'],
  insecure: [],
  declared_size: { width: 300, height: 250 },
  errors: [],
  sound: [],
  system_fonts: [],
  motion: { seconds: 15 },
  processor_load: 0.3,
  exit: { address: 'https://clicktag.example/landing', by: 'click_tag', new_window: true },
  zip: { files: 40, unused: [], missing: [], backup_image: 'backup.jpg' },
};
const facts = (page: Partial<PageFacts> = {}, more: Partial<CreativeFacts> = {}): CreativeFacts => ({
  ...{ file_bytes: 200 * KB, white_edge: 0.4, animation: null, page: { ...PAGE, ...page } },
  ...more,
});
const zip = (some: Partial<NonNullable<PageFacts['zip']>>) =>
  facts({ zip: { files: 4, unused: [], missing: [], backup_image: 'backup.jpg', ...some } });
const image = (more: Partial<CreativeFacts>): CreativeFacts => facts({}, { page: null, file_bytes: 100 * KB, ...more });
const exit = { address: 'https://shop.example/', by: 'hard_coded', new_window: true } as const;

const found = (given: CreativeFacts, ad = AD, settings = {}) => findingsOf(given, ad, settings).map(({ rule }) => rule);

it('no rule finds anything in a creative that is at all limits', () => {
  expect(found(facts())).toEqual([]);
  expect(found(image({ file_bytes: 150 * KB, animation: { seconds: 5, loops: 3 } }))).toEqual([]);
});

const CASES: readonly (readonly [RuleId, CreativeFacts, string])[] = [
  ['initial_load', facts({ load: { ...PAGE.load, initial_bytes: 150 * KB + 1 } }), '151 kB; the limit is 150 kB'],
  ['total_weight', facts({ load: { ...PAGE.load, total_bytes: 450 * KB + 1 } }), '451 kB in all; the limit is 450 kB'],
  ['requests', facts({ load: { ...PAGE.load, initial_requests: 11 } }), '11 requests'],
  ['file_size', facts({}, { file_bytes: 9.5 * KB * KB + 1 }), 'the limit of Campaign Manager 360 is 9,728 kB'],
  ['zip_files', zip({ files: 41 }), '41 files'],
  ['unused_files', zip({ unused: [{ file: 'old.png', bytes: 2 * KB }] }), 'old.png (2 kB)'],
  ['missing_file', zip({ missing: ['img/cta.png'] }), 'img/cta.png'],
  ['third_party_hosts', facts({ hosts: ['cdn.example', 'notgstatic.com.example'] }), 'cdn.example'],
  ['insecure_address', facts({ insecure: ['http://cdn.example/a.js'] }), 'http://cdn.example/a.js'],
  ['exit_missing', facts({ exit: { address: null, by: null, new_window: true } }), 'No address opened'],
  ['exit_hard_coded', facts({ exit }), 'https://shop.example/'],
  ['exit_same_window', facts({ exit: { ...exit, by: 'library', new_window: false } }), 'replaces'],
  ['ad_size_missing', facts({ declared_size: null }), 'ad.size'],
  ['ad_size_mismatch', facts({ declared_size: { width: 300, height: 600 } }), 'ad.size is 300×600'],
  ['animation_length', facts({ motion: { seconds: 15.4 } }), 'moves for 15 s'],
  ['animation_length', facts({ motion: { seconds: 30 } }), 'moves for 30 s'],
  ['motion_after_30_s', facts({ motion: { seconds: 30.5 } }), 'after 30 s'],
  ['processor_load', facts({ processor_load: 0.31 }), 'busy for 31 % of the time; the limit is 30 %'],
  ['loops', image({ animation: { seconds: 1, loops: 4 } }), 'loops 4 times'],
  ['script_error', facts({ errors: [{ message: 'x is not defined', file: 'a.js', second: 1 }] }), 'x is not defined'],
  ['backup_image_missing', zip({ backup_image: null }), 'GIF, JPEG or PNG'],
  ['sound_without_gesture', facts({ sound: ['a.mp4'] }), 'a.mp4'],
  ['system_fonts', facts({ system_fonts: ['Arial'] }), 'Arial'],
  ['no_border', image({ white_edge: 0.5 }), '50 % of the edge'],
];

it.each(CASES)('the rule %s finds its fault, and no other rule does', (rule, given, text) => {
  const [first, ...others] = findingsOf(given, AD, {});
  expect(first).toMatchObject({ rule, message: expect.stringContaining(text) });
  expect(others.filter((other) => other.rule !== rule)).toEqual([]);
  expect(found(given, AD, { switched_off: [rule] })).toEqual([]);
  expect(CreativeFacts.parse(given)).toEqual(given);
});

it('every rule has a case', () => {
  expect(RULE_IDS.filter((id) => !CASES.some(([rule]) => rule === id))).toEqual([]);
});

it('an image that loops without an end has too many loops and moves after 30 s, and one of 60 s in all moves too long', () => {
  expect(found(image({ animation: { seconds: 1, loops: 0 } }))).toEqual(['motion_after_30_s', 'loops']);
  expect(found(image({ animation: { seconds: 20, loops: 3 } }))).toEqual(['motion_after_30_s']);
});

it('an image has the weight of its file, and a video only the limits of video', () => {
  expect(found(image({ file_bytes: 151 * KB }))).toEqual(['initial_load', 'file_size']);
  expect(found(image({ file_bytes: 9_000 * KB, white_edge: 1 }), { ...AD, category: 'video' })).toEqual([]);
});

it('a part that was not measured gives one note with the reason, and its other rules are silent', () => {
  const reason = { not_measured: 'the ad draws too slowly.' };
  expect(findingsOf(facts({ exit: reason, motion: reason }), AD, {})).toMatchObject([
    { rule: 'exit_missing', severity: 'note', message: 'Not measured: the ad draws too slowly.' },
    { rule: 'motion_after_30_s', severity: 'note' },
  ]);
  expect(found(facts({}, { page: reason, white_edge: 0 }))).toEqual([]);
  const late = { ...zip({ unused: [{ file: 'late.png', bytes: 1 }] }).page, motion: reason };
  expect(found(facts(late))).toEqual(['motion_after_30_s']);
});

it('the worst finding is the first', () => {
  const bad = facts({ system_fonts: ['Arial'], insecure: ['http://a.example/'], declared_size: null });
  expect(findingsOf(bad, AD, {}).map(({ severity }) => severity)).toEqual(['error', 'warning', 'note']);
});

it.each([
  [728, 90, 150, 450],
  [320, 50, 50, 150],
  [970, 250, 250, 750],
  // Between two sizes: the one with the nearest area.
  [300, 600, 250, 750],
  [336, 280, 150, 450],
])('the limits of %i×%i are those of the IAB', (width, height, initial_load_kb, total_weight_kb) => {
  expect(checkLimits({ ...AD, width, height }, {})).toEqual({ initial_load_kb, total_weight_kb, requests: 10 });
});

it('the limits of the organization come first', () => {
  const settings = CheckSettings.parse({ initial_load_kb: 80, total_weight_kb: null, requests: 15 });
  expect(checkLimits(AD, settings)).toEqual({ initial_load_kb: 80, total_weight_kb: 450, requests: 15 });
});
