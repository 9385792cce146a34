import { expect, test } from 'vitest';
import { invalid, inWords, notFound } from '../../../src/domain/failure.ts';

test('A failure reads as sentences where nobody sees the paths of fields', () => {
  expect(inWords(notFound('organization_slug', 'There is no organization "x".'))).toBe('There is no organization "x".');
  expect(inWords(invalid({ slug: ['must not be empty.'], endpoint: ['must be absolute.', 'must be short.'] }))).toBe(
    'The slug must not be empty. The endpoint must be absolute. The endpoint must be short.',
  );
});
