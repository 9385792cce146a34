import { expect, test } from 'vitest';
import { screenshotRequestParser } from '../../../src/contract/readRequest.ts';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { countWanted } from '../../../src/domain/screenshots.ts';
import { draftOf, FieldFaults, newDraft, planOfTable } from '../../../src/pages/newRequest/draft.ts';
import { planPanel, shownRows } from '../../../src/pages/newRequest/planTable.ts';
import { checkDraft, countPictures, readTargets, readWanted } from '../../../src/pages/newRequest/requestBody.ts';

function read(lines: number) {
  const faults = new FieldFaults();
  const sites = Array.from({ length: lines }, (_, index) => `s${index}.example`).join('\n');
  return { count: readTargets({ ...newDraft(), sites }, faults).sites.length, faults: faults.of('sites') };
}

test('a form may name 10,000 sites, and more lines are a fault', () => {
  expect(read(10_000)).toEqual({ count: 10_000, faults: [] });
  expect(read(10_001)).toEqual({ count: 10_000, faults: ['Enter at most 10,000 lines. There are 10,001.'] });
});

const plan = planOfTable({ rows: [['Plan'], ['Ad', 'Site'], ['a.gif'], ['b.gif', 'b.example']] });
const corrected = (fields: Readonly<Record<string, string>>) =>
  draftOf(new Map(Object.entries({ plan_id: plan.id, ...fields }).map(([name, value]) => [name, [value]])), {
    ...newDraft(),
    plan,
  }).plan;

test('corrected cells go into the plan, and the other ones stay', () => {
  expect(corrected({ 'cell:2:1': ' a.example ', 'cell:9:0': 'no such row', 'cell:2:99': 'too far' })).toEqual({
    id: plan.id,
    rows: [['Plan'], ['Ad', 'Site'], ['a.gif', 'a.example'], ['b.gif', 'b.example']],
    headings: { row: 1, columns: { ad: 0, site: 1 } },
  });
});

test('a form that shows another plan changes no cell', () => {
  expect(corrected({ plan_id: 'other', 'cell:2:1': 'a.example' })).toEqual(plan);
});

test('a plan that no draft can hold is refused', () => {
  const rows = Array.from({ length: 200 }, () => ['x'.repeat(9_000)]);
  expect(() => planOfTable({ rows })).toThrow(expect.objectContaining({ status: 422 }));
});

test('a person may change the meanings of all columns', () => {
  expect(corrected({ 'column:0': 'size', 'column:1': '' })?.headings).toEqual({ row: 1, columns: { size: 0 } });
});

test('rows with faults are shown first, and without those above the headings', () => {
  expect(shownRows(plan, new Set([3]))).toEqual([3, 2]);
});

test('a request takes as many pictures as the form counts, with moments for ads that move only', async () => {
  const ad = (id: string, still: boolean) => ({ id, still, size: { width: 300, height: 250 }, status: 'uploaded' });
  const ads = [ad('still', true), ad('video', false)] as never;
  const draft = { ...newDraft(), sites: 'news.example\nblog.example', markers: '0, 2.5', campaign: 'Spring' };
  const [options, faults] = [{ limits: DEFAULT_LIMITS } as never, new FieldFaults()];
  const given = { organizationId: 'org', draft, ads, faults };
  const wanted = await readWanted(options, given);
  const { entries } = screenshotRequestParser(DEFAULT_LIMITS)(await checkDraft(options, given));
  expect([countPictures(draft, wanted), countWanted(entries), faults.any]).toEqual([6, 6, false]);
  // One picture of each page.
  expect(countPictures({ ...draft, together: true }, wanted)).toBe(2);
});

test('a plan of a workbook names its sheet, and the sheets that were not read', () => {
  const others = ['Cover', 'Notes', '3', '4', '5', '6', '7'];
  const ofSheet = planOfTable({ rows: [['Ad', 'Site']], name: 'Plan', others });
  const text = String(planPanel(ofSheet, { read: undefined, hasLocations: true, faults: new FieldFaults() }));
  expect(text).toContain('From the sheet “Plan”. Not read: “Cover”, “Notes”, “3”, “4”, “5” and 2 more.');
});

test('a form with all ads in one picture asks for a group, and says if it has too many ads or moments', async () => {
  const ad = (_: unknown, at: number) => ({ id: `ad-${at}`, still: false, size: null, status: 'uploaded' });
  const check = async (count: number, markers: string) => {
    const draft = { ...newDraft(), sites: 'news.example', campaign: 'Spring', together: true, markers };
    const faults = new FieldFaults();
    const given = { organizationId: 'org', draft, ads: Array.from({ length: count }, ad) as never, faults };
    const body = await checkDraft({ limits: DEFAULT_LIMITS } as never, given);
    return { body, faults: [...faults.of('together'), ...faults.of('markers')] };
  };
  const entry = { group: 'All ads', screenshots: [expect.anything()] };
  expect(await check(2, '')).toMatchObject({ body: { screenshot_requests: [entry, entry] }, faults: [] });
  expect((await check(9, '')).faults).toEqual(['One picture can show at most 8 ads, and there are 9.']);
  expect((await check(2, '0, 1')).faults).toEqual([expect.stringContaining('must have at most one frame, because')]);
});
