import { expect, test } from 'vitest';
import { FieldFaults, newDraft } from '../../../src/pages/newRequest/draft.ts';
import { readTargets } from '../../../src/pages/newRequest/requestBody.ts';

function read(lines: number) {
  const faults = new FieldFaults();
  const sites = Array.from({ length: lines }, (_, index) => `s${index}.example`).join('\n');
  return { count: readTargets({ ...newDraft(), sites }, faults).sites.length, faults: faults.of('sites') };
}

test('a form may name 10,000 sites, and more lines are a fault', () => {
  expect(read(10_000)).toEqual({ count: 10_000, faults: [] });
  expect(read(10_001)).toEqual({ count: 10_000, faults: ['Enter at most 10,000 lines. There are 10,001.'] });
});
