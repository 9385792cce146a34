import { expect, test } from 'vitest';
import { httpErrorOf } from '../../../../src/api/server/errors.ts';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

test.each<[string, Error]>([
  ['a full disk', withCode('ENOSPC')],
  ['a full quota of a file system', withCode('EDQUOT')],
  ['a full disk of PostgreSQL', withCode('53100', { severity: 'ERROR' })],
  ['a full bucket', Object.assign(new Error('x'), { name: 'XMinioStorageFull' })],
  ['a full disk under another error', new Error('the upload failed', { cause: withCode('ENOSPC') })],
])('%s answers 503', (_what, error) => {
  expect(httpErrorOf(error)).toMatchObject({ status: 503, code: 'unavailable', headers: { 'Retry-After': '60' } });
});

test('an error without such a cause is internal', () => {
  const circle = new Error('x');
  circle.cause = circle;
  for (const error of [circle, withCode('EACCES'), new Error('no space')])
    expect(httpErrorOf(error)).toMatchObject({ status: 500, code: 'internal' });
});
