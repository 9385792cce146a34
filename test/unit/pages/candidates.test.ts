import { describe, expect, it } from 'vitest';
import { foundSlots } from '../../../src/pages/pictures/slots.ts';

const candidate = (y: number, height = 250, x = 100) => ({
  element: `#slot-${y}`,
  box: { x, y, width: 300, height },
  size: [300, 250],
  score: 50,
  evidence: ['gpt'],
  reasons: [],
});

const record = (slot: object, candidates: object[], more: object = {}) => ({
  device: 'desktop',
  ratio: 2,
  slot,
  candidates,
  candidates_found: candidates.length,
  ad_box: { x: 200, y: 300, width: 600, height: 500 },
  options: { allow_scaling: false, slot: null, other_ads: 'hide', full_page: false },
  ...more,
});

const places = (found: object | undefined) => foundSlots(found)?.slots.map(({ place }) => place);

describe('where the slots of a page are in its picture', () => {
  it('the place of the ad tells how far the page was scrolled', () => {
    const slot = candidate(1000);
    expect(places(record(slot, [slot, candidate(400), candidate(1300)]))).toEqual([
      { x: 200, y: 300, width: 600, height: 500 },
      { x: 200, y: -900, width: 600, height: 500 },
      { x: 200, y: 900, width: 600, height: 500 },
    ]);
  });

  it('a collapsed slot has the height of the ad, and pushes down what is below it', () => {
    const slot = candidate(1000, 0);
    expect(places(record(slot, [slot, candidate(1010)]))).toEqual([
      { x: 200, y: 300, width: 600, height: 500 },
      { x: 200, y: 820, width: 600, height: 500 },
    ]);
  });

  it('the picture of a whole page is not scrolled', () => {
    const slot = candidate(150);
    const whole = { options: { allow_scaling: false, slot: null, other_ads: 'hide', full_page: true } };
    expect(places(record(slot, [slot, candidate(2000)], whole))?.map((place) => place?.y)).toEqual([300, 4000]);
  });

  it('a slot that the client chose is found among the candidates although its reasons differ', () => {
    const slot = { ...candidate(400), reasons: ['slot 2 was chosen in the request'] };
    const { slots = [] } = foundSlots(record(slot, [candidate(1000), candidate(400)])) ?? {};
    expect(slots.map(({ isChosen, number }) => [number, isChosen])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('without a picture the slots have no place', () => {
    expect(places({ candidates: [candidate(400)], slot: null, ad_box: null })).toEqual([undefined]);
  });

  it.each([undefined, {}, { candidates: [] }, { candidates: 'none' }, { candidates: [{ box: 'x' }], slot: 'div' }])(
    'the record %j of another version has no slots to show',
    (other) => expect(foundSlots(other)).toBeUndefined(),
  );
});
