import { expect, test } from 'vitest';
import { boxesInPicture, overlaySvg } from '../../../examples/gallery/overlay.ts';
import { evenly, planGallery } from '../../../examples/gallery/plan.ts';
import { type ProvenanceRecord, recordOfPicture } from '../../../src/capture/engine/provenance.ts';
import type { Box, ScoredCandidate } from '../../../src/capture/page/page.ts';
import { type Device, findDevice } from '../../../src/domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/screenshotOptions.ts';
import { required } from '../../support/required.ts';

const device = (name: string): Device => required(findDevice(name));

function candidate(element: string, box: Box, score: number): ScoredCandidate {
  return {
    element,
    box,
    score,
    likelihood: 0.9,
    size: [box.width, box.height],
    sizes: [[box.width, box.height]],
    evidence: ['gpt'],
    visible: true,
    collapsed: false,
    sticky: false,
    covered: false,
    reasons: [],
  };
}

/** A record of a 300×250 ad in the first candidate. */
function record(candidates: ScoredCandidate[], adBox: Box, on: Device): ProvenanceRecord {
  const chosen = required(candidates[0]);
  const context = {
    requestedUrl: 'http://news.localhost/',
    finalUrl: null,
    device: on,
    markerMs: null,
    options: DEFAULT_OPTIONS,
    browserVersion: null,
    location: null,
    exitAddress: null,
    ruleReports: [],
  };
  const png = Buffer.alloc(0);
  const { width, height } = on.viewport;
  const picture = {
    status: 'uploaded',
    png,
    width: width * on.ratio,
    height: height * on.ratio,
    chosen,
    candidates,
    adBox,
    scale: 1,
    mode: 'composed',
    capturedAt: new Date(0),
    warnings: [],
  } as const;
  const frame = { markerMs: null, ratio: on.ratio, png, width: 300, height: 250 };
  return recordOfPicture(context, { picture, sha256: '', frame, creativeMode: null, warnings: [] });
}

test('the boxes follow the scroll position of the picture', () => {
  const slot = candidate('#rail', { x: 1000, y: 2000, width: 300, height: 250 }, 90);
  const other = candidate('#top', { x: 100, y: 1700, width: 728, height: 90 }, 10);
  const drawn = boxesInPicture(record([slot, other], { x: 1000, y: 325, width: 300, height: 250 }, device('desktop')));
  expect(drawn.map(({ x, y, isChosen }) => [x, y, isChosen])).toEqual([
    [1000, 325, true],
    [100, 25, false],
  ]);
});

test('the boxes of a phone picture are in device pixels', () => {
  const slot = candidate('#inline', { x: 30, y: 900, width: 300, height: 250 }, 90);
  const drawn = boxesInPicture(record([slot], { x: 90, y: 825, width: 900, height: 750 }, device('mobile')));
  expect(drawn).toMatchObject([{ x: 90, y: 825, width: 900, height: 750 }]);
});

test('a slot that is larger than its ad does not shift the boxes of a page that is not scrolled', () => {
  const slot = candidate('#wide', { x: 100, y: 100, width: 970, height: 400 }, 90);
  const drawn = boxesInPicture(record([slot], { x: 435, y: 175, width: 300, height: 250 }, device('desktop')));
  expect(drawn).toMatchObject([{ x: 100, y: 100, width: 970, height: 400 }]);
});

test('the overlay shows scores and leaves out boxes beyond the picture', () => {
  const slot = candidate('#rail', { x: 10, y: 20, width: 300, height: 250 }, 90.5);
  const below = candidate('#<below>', { x: 10, y: 5000, width: 300, height: 250 }, 12);
  const drawn = boxesInPicture(record([slot, below], { x: 10, y: 20, width: 300, height: 250 }, device('desktop')));
  const svg = overlaySvg(drawn, { width: 1440, height: 900 });
  expect(svg.match(/<rect/g)).toHaveLength(1);
  expect(svg).toContain('>90.5</text>');
  expect(svg).not.toContain('<below>');
});

test('a page gets a creative whose size its source names', () => {
  const creatives = [
    { name: 'leaderboard', width: 728, height: 90 },
    { name: 'rectangle', width: 300, height: 250 },
  ];
  const page = { name: 'news', url: 'http://news.localhost/', html: 'defineSlot("/1/a", [300, 250], "rail")' };
  const plan = planGallery({ pages: [page], devices: [device('desktop')], creatives }, 1);
  expect(plan).toMatchObject([{ creatives: ['rectangle'] }]);
});

test('the plan has at most as many pictures as its limit, on all devices', () => {
  const creatives = Array.from({ length: 9 }, (_, index) => ({ name: `ad ${index}`, width: 300, height: 250 }));
  const pages = Array.from({ length: 10 }, (_, index) => ({ name: `page ${index}`, url: '', html: '' }));
  const devices = [device('desktop'), device('mobile')];
  const small = planGallery({ pages, devices, creatives }, 10);
  expect(small).toHaveLength(10);
  expect(new Set(small.map((planned) => planned.device.name))).toEqual(new Set(['desktop', 'mobile']));
  const large = planGallery({ pages, devices, creatives }, 33);
  expect(large.reduce((sum, planned) => sum + planned.creatives.length, 0)).toBe(33);
});

test('a sample is spread over the whole list', () => {
  expect(evenly([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 5)).toEqual([0, 2, 4, 6, 8]);
  expect(evenly([1, 2], 5)).toEqual([1, 2]);
});
