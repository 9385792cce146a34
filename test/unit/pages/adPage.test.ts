import { expect, it } from 'vitest';
import { type AdPageData, adBody } from '../../../src/pages/lists/adPage.ts';
import { parseHtml } from '../../support/html/part.ts';
import { adRow, PATHS, READER, WRITER } from './samples.ts';

const CREATIVE = { format: 'html5_zip', mode: 'stepped', notes: ['a dialog was closed'] };
const frame = (markerMs: number, ratio: number) => ({ markerMs, ratio, token: 'frame', width: 300, height: 250 });

function page(ad: Partial<AdPageData['ad']> = {}, more: Partial<Omit<AdPageData, 'ad'>> = {}, viewer = WRITER) {
  const head = {
    ...{ ...adRow(), organization_id: 'org', campaign: 'Autumn launch', captured_at: null },
    ...{ content: 'https://cdn.example/ad.zip', content_length: 26, upload_name: null, upload_bytes: null },
    ...ad,
  };
  const data = { ad: head, creative: undefined, deliveries: [], sets: [], check: undefined, ...more };
  return parseHtml(adBody(data, { viewer, paths: PATHS }).text);
}

it('the page of an ad shows its size, how it was captured, and each moment once', () => {
  const frames = [frame(0, 1), frame(0, 2), frame(1500, 1), frame(1500, 2)];
  const ad = page({}, { creative: { ...CREATIVE, frames } });
  expect(ad.locator('.frames figcaption').allTextContents()).toEqual(['0.0 s', '1.5 s']);
  const facts = ad.locator('dl').innerText();
  for (const fact of ['300 × 250 CSS pixels', 'html5_zip', 'stepped', '1, 2', 'a dialog was closed'])
    expect(facts).toContain(fact);
  expect(
    page({}, { creative: { ...CREATIVE, frames: frames.slice(0, 2) } })
      .locator('.frames')
      .count(),
  ).toBe(0);
});

it('the page of an uploaded ad names the file', () => {
  const ad = page({ kind: 'upload', upload_name: 'banner <300x250>.zip', upload_bytes: 48_213 });
  expect(ad.locator('dl').innerText()).toContain('banner <300x250>.zip uploaded, 48,213 bytes');
});

it('the page of a failed ad says why and what to do', () => {
  const note = page({ status: 'generic_error', reason: 'The zip has no index.html.' }).locator('.note.fault');
  expect(note.innerText()).toMatch(/^The zip has no index\.html\. ?Correct the file/);
  expect(page().locator('.note.fault').count()).toBe(0);
});

it('the page of an ad shows its metadata and its warnings as text', () => {
  const warnings = [{ code: 'size_assumed', message: 'The size <300×250> was assumed.' }] as const;
  const ad = page({ metadata: { 'order <b>': '<script>4711</script>' }, warnings: [...warnings] });
  expect(ad.locator('details.note dt').innerText()).toBe('order <b>');
  expect(ad.locator('details.note dd').textContent()).toBe('<script>4711</script>');
  expect(ad.locator('.warnings li').allTextContents()).toEqual(['The size <300×250> was assumed.']);
});

it('the page shows a tag as text, and says how much of a large one it shows', () => {
  const content = `<script>alert(1)</script>${'x'.repeat(3_975)}`;
  const large = page({ kind: 'html_tag', content, content_length: 10_025 });
  expect(large.locator('pre').textContent()).toBe(content);
  expect(large.getByText('The first 4000 of 10025 characters').count()).toBe(1);
  expect(page({ kind: 'html_tag', content, content_length: 4_000 }).getByText('The first').count()).toBe(0);
});

it('only a person who may write sees the links that change an ad', () => {
  expect(page().getByRole('link', { name: 'Delete' }).count()).toBe(1);
  expect(
    page({}, {}, READER)
      .getByRole('link', { name: /Delete|Rename/ })
      .count(),
  ).toBe(0);
});

it('the page of an ad shows the findings of its creative check, what was measured, and why something was not', () => {
  const measured = {
    load: { initial_bytes: 200 * 1024, total_bytes: 300 * 1024, initial_requests: 3, requests: 4 },
    ...{ hosts: [], insecure: [], declared_size: null, errors: [], sound: [], system_fonts: [] },
    ...{ motion: { seconds: 12 }, exit: { not_measured: 'it was too slow' }, zip: null },
  };
  const facts = { file_bytes: 10 * 1024, white_edge: 0, animation: null, page: measured };
  const found = { rule: 'missing_file', severity: 'error', message: 'The zip does not contain <a.png>.' } as const;
  const finding = { ...found, where: { file: '<a.png>', second: 1.25 }, why: 'It may not show.', source: 'IAB' };
  const limits = { initial_load_kb: 150, total_weight_kb: 450, requests: 10 };
  const check = {
    type: 'creative_check',
    ad_id: 'ad',
    not_measured: null,
    facts,
    limits,
    findings: [finding],
  } as const;
  const card = page({}, { check: { ...check, findings: [finding] } })
    .locator('section')
    .filter({ hasText: 'Creative check' });
  for (const text of [
    'error',
    'does not contain <a.png>',
    'at 1.3 s',
    'It may not show.',
    'missing_file',
    '200 kB in 3 requests',
    '12 s',
  ])
    expect(card.innerText()).toContain(text);
  const none = page({}, { check: { ...check, not_measured: 'Render it again.', facts: null, findings: [] } });
  expect(none.locator('section').filter({ hasText: 'Creative check' }).innerText()).toContain(
    'Not measured: Render it again.',
  );
});
