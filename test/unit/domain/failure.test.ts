import { expect, test } from 'vitest';
import { failureMessage, invalid, notFound } from '../../../src/domain/failure.ts';

test('A failure can be written as sentences without the paths of fields', () => {
  expect(failureMessage(notFound('organization_slug', 'There is no organization "x".'))).toBe(
    'There is no organization "x".',
  );
  expect(
    failureMessage(invalid({ slug: ['must not be empty.'], endpoint: ['must be absolute.', 'must be short.'] })),
  ).toBe('The slug must not be empty. The endpoint must be absolute. The endpoint must be short.');
});
