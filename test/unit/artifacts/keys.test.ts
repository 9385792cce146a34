import { expect, test } from 'vitest';
import { openArtifacts } from '../../../src/artifacts/open.ts';
import { checkKey } from '../../../src/artifacts/store.ts';

test.each(['sets/9f4c/001.png', 'a', 'A-b_c.d/e.f.png'])('%s is a valid artifact key', (key) => {
  expect(checkKey(key)).toBe(key);
});

test.each([
  '',
  '/',
  '/a',
  'a/',
  'a//b',
  '..',
  '../a',
  'a/../b',
  '.',
  '.types/a',
  'a/.hidden',
  'a\\b',
  'a\u0000',
  'a b',
  'é',
  'x'.repeat(513),
])('%j is not an artifact key', (key) => {
  expect(() => checkKey(key)).toThrow('is not an artifact key');
});

test.each(['/tmp/x', 'http://host/x', 'file://host/x', 's3://', ''])('"%s" is not an artifact store', (url) => {
  expect(() => openArtifacts(url)).toThrow('is not an artifact store');
});
