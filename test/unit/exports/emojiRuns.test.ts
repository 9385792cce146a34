import { expect, test } from 'vitest';
import { emojiRuns } from '../../../src/exports/pptx/writePptx.ts';

const parts = (text: string) => emojiRuns(text).map((run) => (run.isEmoji ? [run.text] : run.text));

test('emoji are runs of their own, and families and flags stay whole', () => {
  expect(parts('春季 🌸🎉 限时')).toEqual(['春季 ', ['🌸🎉'], ' 限时']);
  expect(parts('👩‍👩‍👧‍👦🇩🇪 מבצע')).toEqual([['👩‍👩‍👧‍👦🇩🇪'], ' מבצע']);
});

test('digits, signs and empty texts are no emoji', () => {
  expect(parts('300 × 250 #1 © Acme®')).toEqual(['300 × 250 #1 © Acme®']);
  expect(parts('')).toEqual(['']);
});
