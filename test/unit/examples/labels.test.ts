import { expect, test } from 'vitest';
import { countOutcomes, halfOf, readLabels, type SlotLabel, shareRight } from '../../../examples/gallery/labels.ts';

const LABEL: SlotLabel = {
  page: 'de-News_2024_01_01',
  device: 'desktop',
  size: '300x250',
  best: ['#side', [1000, 800, 300, 250]],
  accept: [['#end']],
};
const NONE: SlotLabel = { ...LABEL, size: '728x90', best: null, accept: [] };

const outcome = (creative: string, slot: { element: string; y: number } | null) => {
  const box = { x: slot?.element === '#top' ? 0 : 1000, y: slot?.y ?? 0, width: 336, height: 280 };
  const record = { slot: slot && { element: slot.element, box } };
  const status = slot === null ? 'no_slots' : 'uploaded';
  const [tally] = countOutcomes([{ creative, page: LABEL.page, device: 'desktop', status, record }], [LABEL, NONE]);
  return Object.entries(tally?.counts ?? {}).find(([, count]) => count === 1)?.[0];
};

test.each([
  ['300x250.png', { element: '#side', y: 830 }, 'best'],
  ['300x250.png', { element: '#side', y: 4_000 }, 'other slot'],
  ['300x250.png', { element: '#end', y: 9_000 }, 'accepted'],
  ['300x250.png', { element: '#top', y: 800 }, 'other slot'],
  ['300x250.png', { element: '#wrapper-of-side', y: 790 }, 'best'],
  ['300x250.png', null, 'missed'],
  ['728x90-film.png', { element: '#side', y: 800 }, 'placed without a slot'],
  ['728x90.png', null, 'rightly none'],
])('%s in %j is %s', (creative, slot, expected) => {
  expect(outcome(creative, slot)).toBe(expected);
});

test('all pages of a publisher are in one half', () => {
  expect(halfOf('de-News_2024_01_01')).toBe(halfOf('de-News_2026_12_31'));
});

test('a page that rightly stays without an ad does not change the share', () => {
  const counts = { best: 2, accepted: 1, 'other slot': 1, 'placed without a slot': 0, missed: 0, 'rightly none': 7 };
  expect(shareRight({ name: '', counts })).toBe(0.75);
});

test('every label names a page, a device and a size, and both halves have hundreds', () => {
  const labels = readLabels();
  expect(labels.every(({ page, device, size }) => page !== '' && device !== '' && /^\d+x\d+$/.test(size))).toBe(true);
  const halves = Map.groupBy(labels, ({ page }) => halfOf(page));
  expect([...halves].map(([, all]) => all.length).every((count) => count >= 200)).toBe(true);
});
