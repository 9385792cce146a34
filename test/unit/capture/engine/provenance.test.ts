import { expect, it } from 'vitest';
import { recordOfFailure, recordOfPicture, recordOfSlots } from '../../../../src/capture/engine/provenance.ts';
import type { Picture, ScoredCandidate } from '../../../../src/capture/page/page.ts';
import { findDevice } from '../../../../src/domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { WARNING_CODES } from '../../../../src/domain/warnings.ts';

const candidate = (score: number): ScoredCandidate => ({
  box: { x: 1, y: 2, width: 300, height: 250 },
  sizes: [[300, 250]],
  evidence: ['gpt'],
  element: `#slot-${score}`,
  visible: true,
  collapsed: false,
  sticky: false,
  covered: false,
  score,
  likelihood: 0.9,
  size: [300, 250],
  reasons: ['exact size'],
});

const context = {
  requestedUrl: 'https://news.example/',
  finalUrl: 'https://www.news.example/',
  device: findDevice('mobile')!,
  markerMs: 1_500,
  options: DEFAULT_OPTIONS,
  browserVersion: '150.0.1.2',
  location: null,
  exitAddress: null,
  ruleReports: [{ id: 'r1', host: 'news.example', effects: [] }],
};
const frame = { markerMs: 1_500, ratio: 3, png: Buffer.from('x'), width: 300, height: 250 };

it('the record of a picture contains time, URLs, device, slot, rendering modes and warnings of every code', () => {
  const warnings = WARNING_CODES.map((code) => ({ code, message: `A fact with the code ${code}.` }));
  const picture: Picture = {
    status: 'uploaded',
    png: Buffer.from('p'),
    width: 1080,
    height: 2400,
    chosen: candidate(7),
    candidates: [candidate(7)],
    adBox: { x: 3, y: 6, width: 900, height: 750 },
    scale: 1,
    mode: 'composed',
    capturedAt: new Date('2026-11-21T09:30:00.123Z'),
    warnings: [],
  };
  const record = recordOfPicture(context, { picture, sha256: 'abc', frame, creativeMode: 'stepped', warnings });
  expect(JSON.parse(JSON.stringify(record))).toEqual({
    kind: 'placement_preview',
    captured_at: '2026-11-21T09:30:00.123Z',
    requested_url: 'https://news.example/',
    final_url: 'https://www.news.example/',
    device: 'mobile',
    viewport: { width: 360, height: 800 },
    ratio: 3,
    marker: 1.5,
    options: { allow_scaling: false, slot: null, other_ads: 'hide', full_page: false, view: 'slot', animation: null },
    warnings,
    ad_size: [300, 250],
    slot: {
      element: '#slot-7',
      box: { x: 1, y: 2, width: 300, height: 250 },
      size: [300, 250],
      score: 7,
      likelihood: 0.9,
      evidence: ['gpt'],
      reasons: ['exact size'],
      format: 'display',
      problem: null,
    },
    score: 7,
    candidates: [expect.objectContaining({ element: '#slot-7' })],
    candidates_found: 1,
    scale: 1,
    ad_box: { x: 3, y: 6, width: 900, height: 750 },
    page_mode: 'composed',
    creative_mode: 'stepped',
    browser_version: '150.0.1.2',
    location: null,
    exit_address: null,
    site_rules: context.ruleReports,
    sha256: 'abc',
    reason: null,
  });
});

it('a record keeps the first twenty candidates and the number of all candidates', () => {
  const candidates = Array.from({ length: 50 }, (_, i) => candidate(i));
  const failure = { at: new Date(0), reason: 'none fits', candidates };
  const record = recordOfFailure(context, failure);
  expect(record.candidates.map(({ score }) => score)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(record.candidates_found).toBe(50);
});

it('the record of a failure has the same keys as that of a picture, and a reason', () => {
  const record = recordOfFailure(context, { at: new Date(0), reason: 'none fits', candidates: [], frame });
  expect(record).toMatchObject({ reason: 'none fits', slot: null, sha256: null, ad_size: [300, 250], page_mode: null });
  expect(Object.keys(record)).toHaveLength(25);
});

it('a record cuts the final URL, which a page can make very long', () => {
  const finalUrl = `https://news.example/#${'x'.repeat(2_000_000)}`;
  const record = recordOfFailure({ ...context, finalUrl }, { at: new Date(0), reason: 'none', candidates: [] });
  expect(record.final_url).toBe(finalUrl.slice(0, 4_000));
});

it('the record of a placement says which slot a site rule chooses, also if it is no candidate', () => {
  const [size, page] = [
    { width: 300, height: 250 },
    { width: 1440, height: 900 },
  ];
  const effect = { part: 'slot', target: '#mpu', found: 1, problem: null } as const;
  const chosen = (index: number, problem: string | null) => {
    const report = { id: 'r1', host: 'news.example', effect: { ...effect, problem } };
    const judged = [{ size, candidates: [candidate(1), candidate(2)], ofRule: { report, index } }];
    const record = recordOfSlots({ finalUrl: 'https://news.example/', page, judged, ruleReports: context.ruleReports });
    return [record.sizes[0]?.chosen, record.sizes[0]?.site_rule?.selector, record.site_rules?.[0]?.effects.length];
  };
  expect([chosen(1, null), chosen(-1, null), chosen(-1, 'It is gone.')]).toEqual([
    [2, '#mpu', 1],
    [null, '#mpu', 1],
    [1, undefined, 1],
  ]);
});
