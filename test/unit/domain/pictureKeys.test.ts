import { expect, it } from 'vitest';
import { withContent, withoutContent } from '../../../src/domain/pictureKeys.ts';

it('a key without its content is the key to which the content was added', () => {
  for (const key of ['screenshots/a-b/1.png', 'screenshots/a-b/1-page.png'])
    expect(withoutContent(withContent(key, 'a0'.repeat(32)))).toBe(key);
});
