import { expect, test } from 'vitest';
import {
  ClaimCreative,
  CreativeResult,
  FinishIndex,
  ScreenshotResults,
} from '../../../src/contract/captureProtocol.ts';

const BOUND = { index: 0, attempt: 1 };
const ID = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

test('A pod cannot create a time series or make a sum infinite', () => {
  const made_up = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`phase-${i}`, 1]));
  const phases = { ...made_up, navigate: 1.5, load: -1, scroll: 1e308, consent: 'long', upload: 0 };
  expect(FinishIndex.parse({ attempt: 1, phases }).phases).toEqual({ navigate: 1.5, upload: 0 });
  const failed = { status: 'not_found', reason: '' };
  expect(CreativeResult.safeParse({ ...BOUND, seconds: 1e308, result: failed }).success).toBe(false);
});

test('A number that no column can hold is rejected before a query', () => {
  expect(ClaimCreative.safeParse({ index: 2 ** 31, attempt: 1 }).success).toBe(false);
  expect(FinishIndex.safeParse({ attempt: 2 ** 31, phases: {} }).success).toBe(false);
});

test('A record of a page with many candidates is accepted, a longer one is rejected', () => {
  const withRecord = (characters: number) => {
    const result = { id: ID, status: 'no_slots', reason: '', record: { text: 'x'.repeat(characters) } };
    return ScreenshotResults.safeParse({ ...BOUND, results: [result] }).success;
  };
  expect([withRecord(1_000_000), withRecord(1_100_000)]).toEqual([true, false]);
});

test('a warning with a code of a newer program is stored under the code other, and the list is cut', () => {
  const taken = (warnings: unknown) => ({
    ...{ id: ID, status: 'uploaded', key: 'k', sha256: 'a'.repeat(64), bytes: 1, width: 1, height: 1 },
    ...{ captured_at: '2026-11-21T09:30:00.000Z', record: {}, warnings },
  });
  const read = (warnings: unknown) => ScreenshotResults.parse({ ...BOUND, results: [taken(warnings)] }).results[0];
  const warning = { code: 'of_the_future', message: 'A fact.' };
  expect(read([warning])).toMatchObject({ warnings: [{ code: 'other', message: 'A fact.' }] });
  expect(read(undefined)).toMatchObject({ warnings: [] });
  expect(read(Array(150).fill(warning))).toMatchObject({ warnings: { length: 100 } });
});

test('facts that are invalid cost no picture', () => {
  const result = {
    status: 'uploaded',
    format: 'image',
    category: 'display',
    mode: 'still',
    notes: [],
    width: 1,
    height: 1,
  };
  const facts = { file_bytes: 1, white_edge: 2, animation: null, page: null };
  const parsed = CreativeResult.parse({ ...BOUND, seconds: 1, result: { ...result, frames: [], facts } });
  expect(parsed.result).toMatchObject({ status: 'uploaded', facts: null });
});
