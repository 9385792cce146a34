import { expect, test } from 'vitest';
import { FieldFaults, newDraft } from '../../../src/pages/newRequest/draft.ts';
import { withTyped } from '../../../src/pages/newRequest/receiveForm.ts';

test.each([
  ['412', false, 'Own device 412 x 900, 1x, touch'],
  ['1440', false, 'Own device 1440 x 900, 1x'],
  ['1440', true, 'Own device 1440 x 900, 1x, touch'],
])('a device of a width of %s, with the tick for touch %s, becomes %s', async (width, touch, name) => {
  const own = { width, height: '900', ratio: '', touch };
  const viewer = { organizationId: 'one' };
  const { devices } = await withTyped(viewer, { ...newDraft(), devices: [], own }, new FieldFaults());
  expect(devices).toEqual([name]);
});
