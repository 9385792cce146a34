import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener, SlotCandidate } from '../../../../src/capture/page/page.ts';
import { SLOT_TABLE } from '../../../../src/capture/page/slotTable.ts';
import { NETWORK_SAMPLES, type NetworkSample } from '../../../fixtures/slots/networkSamples.ts';
import { device, openerFor, readyPage, type Sites, startSites } from './sites.ts';

let sites: Sites;
let opener: PageOpener;
let found: readonly SlotCandidate[];

const TEXT = '<p>The council voted to keep the old harbour crane, which has stood beside the river since 1911.</p>';
const samples = Object.entries(NETWORK_SAMPLES);

/** One page contains all samples, each between two paragraphs, because a page takes more than a second. */
beforeAll(async () => {
  sites = await startSites();
  opener = await openerFor({ settleCapMs: 1_500 });
  const sections = samples.map(([, { html }], index) => `<section id="s-${index}">${TEXT}${html}${TEXT}</section>`);
  const url = sites.put(
    '/networks',
    `<!doctype html><meta name="viewport" content="width=device-width">${sections.join('')}`,
  );
  const open = await opener.open(url, device('desktop'));
  readyPage(open);
  found = open.candidates;
  await open.close();
});
afterAll(async () => {
  await opener.close();
  await sites.close();
});

function slotsIn(index: number, { html }: NetworkSample): readonly SlotCandidate[] {
  return found.filter(
    ({ element }) =>
      element.startsWith(`#s-${index} `) || (element.startsWith('#') && html.includes(`id="${element.slice(1)}"`)),
  );
}

const sizesOf = (slots: readonly SlotCandidate[]) => slots.flatMap(({ sizes }) => sizes.map((size) => size.join('x')));

test('each network of the table has a sample', () => {
  const withoutRow = ['Ad scripts that name their element', 'Ad scripts that print where they stand'];
  expect(samples.map(([name]) => name).sort()).toEqual([...Object.keys(SLOT_TABLE.networks), ...withoutRow].sort());
});

test.each(samples.map(([name, sample], index) => ({ name, sample, index })))(
  'the markup of $name is judged correctly',
  ({ sample, index }) => {
    const slots = slotsIn(index, sample).filter(({ kind = '' }) => !/skin|native|video/.test(kind));
    if (sample.size === null) expect(slots).toEqual([]);
    else expect(sizesOf(slots), JSON.stringify(slots)).toContain(sample.size);
  },
);
