import { expect, test } from 'vitest';
import type { ScoredCandidate } from '../../../../src/capture/page/page.ts';
import { scoreSlots } from '../../../../src/capture/page/scoring.ts';
import { belongsInPlayer, videoPlaces } from '../../../../src/capture/page/videoPlaces.ts';

const screen = { width: 1440, height: 900 };
const VIDEO = { width: 1280, height: 720 };

function candidate(element: string, over: Partial<ScoredCandidate>) {
  const box = { x: 100, y: 300, width: 640.4, height: 360.2 };
  const found = { sizes: [], evidence: [], visible: true, collapsed: false, sticky: false, covered: false };
  return { candidate: { box, element, ...found, kind: 'in_stream', ...over } as const };
}

const placesOf = (candidates: ReturnType<typeof candidate>[], on = screen) =>
  videoPlaces(scoreSlots(candidates, { ad: VIDEO, viewport: on, allowScaling: false }), { ad: VIDEO, screen: on });

test('a player shows the video in its whole box, at the scale that fits', () => {
  const [place] = placesOf([candidate('#player', {})]);
  expect(place).toMatchObject({ player: { width: 640, height: 360 }, scale: 0.5 });
  expect(place?.scored.problem).toBeUndefined();
});

test('a video is enlarged in a larger player', () => {
  const box = { x: 0, y: 0, width: 1920, height: 1080 };
  expect(placesOf([candidate('#player', { box })])).toMatchObject([{ scale: 1.5 }]);
});

test('the main player comes first: large, near the headline, and not floating in a corner', () => {
  const box = (y: number, width = 640) => ({ box: { x: 0, y, width, height: (width * 9) / 16 } });
  const players = [
    candidate('#teaser', box(200, 300)),
    candidate('#floating', { ...box(400), sticky: true }),
    candidate('#late', box(5_000, 800)),
    candidate('#main', box(600)),
  ];
  const places = placesOf(players);
  expect(places.map(({ scored }) => scored.element)).toEqual(['#main', '#teaser', '#floating', '#late']);
  const sum = places.reduce((all, { scored }) => all + scored.likelihood, 0);
  expect(sum).toBeCloseTo(1, 2);
});

const surroundings = { room: 500 } as NonNullable<ScoredCandidate['surroundings']>;
const UNIT = { kind: 'video', visible: false, collapsed: true, box: { x: 0, y: 500, width: 500, height: 0 } } as const;

test.each([
  ['as wide as its column', { ...UNIT, surroundings }, { width: 500, height: 281 }],
  ['not wider than 640', { ...UNIT, surroundings: { ...surroundings, room: 900 } }, { width: 640, height: 360 }],
  [
    'in its own box if it has one',
    { ...UNIT, box: { x: 0, y: 0, width: 400, height: 225 }, collapsed: false, visible: true },
    { width: 400, height: 225 },
  ],
])('after the players comes an outstream unit, %s', (_which, unit, player) => {
  const places = placesOf([candidate('#unit', unit), candidate('#player', {})]);
  expect(places.map(({ scored }) => scored.element)).toEqual(['#player', '#unit']);
  expect(places[1]?.player).toEqual(player);
});

test.each([
  ['hidden on this device', { ...UNIT, collapsed: false }],
  ['too narrow', { ...UNIT, surroundings: { ...surroundings, room: 150 } }],
])('a unit that is %s shows no video', (_why, unit) => {
  expect(placesOf([candidate('#unit', unit)])).toEqual([]);
});

test('slots for display ads are no places for videos', () => {
  expect(placesOf([candidate('#ad', { kind: 'display' })])).toEqual([]);
});

test.each([
  [true, 640, 360],
  [true, 1920, 1080],
  [true, 640, 480],
  [true, 720, 1280],
  [false, 300, 250],
  [false, 970, 250],
  [false, 300, 600],
])('whether a video belongs into a player first: %s for %i×%i', (belongs, width, height) => {
  expect(belongsInPlayer({ width, height })).toBe(belongs);
});
