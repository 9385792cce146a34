import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenPage, PageOpener } from '../../../../src/capture/page/page.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { type Publishers, startPublishers } from '../../../fixtures/publisherServer.ts';
import { PAGE_NAMES, PAGES, type Page, type PageName } from '../../../fixtures/publishers/pages.ts';
import { ad, adIn, device, openerFor, pixelsOf, placed, readyPage } from './sites.ts';

let publishers: Publishers;
let opener: PageOpener;

beforeAll(async () => {
  publishers = await startPublishers();
  opener = await openerFor();
});
afterAll(async () => {
  await opener.close();
  await publishers.close();
});

const DEVICES = [
  { name: 'desktop', layout: 'desktop', sizes: 'wide' },
  { name: 'mobile', layout: 'mobile', sizes: 'narrow' },
] as const;

const shown = PAGE_NAMES.filter((name) => PAGES[name].status === 200);

describe.each(DEVICES)('a publisher page on $name', ({ name, layout, sizes }) => {
  const slotsOf = (page: PageName) =>
    (PAGES[page] as Page).slots
      .filter((slot) => slot.on === 'all' || slot.on === layout)
      .filter((slot) => slot[sizes].length > 0);

  test.each(shown)(
    `the publisher page %s has exactly its declared slots on ${name} and shows an ad in one`,
    async (page) => {
      const open = await opener.open(publishers.url(page), device(name));
      readyPage(open);
      const usable = open.candidates.filter(({ visible, collapsed }) => visible || collapsed);
      expect(usable.map(({ element }) => element).sort()).toEqual(
        slotsOf(page)
          .map(({ element }) => element)
          .sort(),
      );
      for (const slot of slotsOf(page)) {
        const found = usable.find(({ element }) => element === slot.element);
        expect(found).toMatchObject({ sizes: expect.arrayContaining([...slot[sizes]]) });
        expect(found?.collapsed).toBe(slot.collapsed === true);
        expect(found?.sticky).toBe(slot.sticky === true);
      }
      await showsOne(open, slotsOf(page)[0]?.[sizes][0]);
      await open.close();
    },
  );

  async function showsOne(open: OpenPage, size: readonly [number, number] | undefined) {
    if (size === undefined) return expect(await open.place(await ad(300, 250))).toMatchObject({ status: 'no_slots' });
    const frame = await ad(size[0], size[1], device(name).ratio);
    const picture = await open.place(frame);
    placed(picture);
    expect(picture.scale).toBe(1);
    expect((await adIn(picture)).equals((await pixelsOf(frame.png)).data)).toBe(true);
  }
});

test('an ad as wide as the smallest phone is shown at its own size in a slot with margins', async () => {
  const open = await opener.open(publishers.url('mobileOnly'), device('Apple iPhone 5'));
  readyPage(open);
  const picture = await open.place(await ad(320, 50, 2), { ...DEFAULT_OPTIONS, allowScaling: true });
  placed(picture);
  expect(picture).toMatchObject({ scale: 1, width: 640, height: 1136, adBox: { x: 0, width: 640, height: 100 } });
  await open.close();
});

test.each<[PageName, string]>([
  ['blocked', 'blocked'],
  ['notFound', 'not_found'],
])('the publisher page %s becomes %s', async (page, status) => {
  expect(await opener.open(publishers.url(page), device('desktop'))).toMatchObject({ status });
});

test('the publisher page neverAnswers becomes net_read_timeout', async () => {
  const impatient = await openerFor({ navigationTimeoutMs: 1_000 });
  const closed = await impatient.open(publishers.url('neverAnswers'), device('desktop'));
  await impatient.close();
  expect(closed).toMatchObject({ status: 'net_read_timeout' });
});
