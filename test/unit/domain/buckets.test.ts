import { expect, test } from 'vitest';
import { bucketFault, keyPrefixFault } from '../../../src/domain/connectors.ts';

test.each([
  'abc',
  'pictures.example.com',
  '3-buckets-2026',
  `a${'b'.repeat(61)}c`,
  '1.2.3.4.example',
  'team-7aksgc54p6gdgz2p-s3alias',
  'proofs--euw1-az1--x-s3',
])('%s is the name of a bucket', (name) => {
  expect(bucketFault(name)).toBeUndefined();
});

test.each([
  'ab',
  `a${'b'.repeat(62)}c`,
  'Pictures',
  'my_bucket',
  '-abc',
  'abc.',
  'a..b',
  'a.-b',
  'a-.b',
  '192.168.5.4',
  '999.1.1.1',
  'xn--abc',
  'sthree-configurator',
  'amzn-s3-demo-x',
  'abc--ol-s3',
  'abc.mrap',
  'abc--table-s3',
  'a/b',
  'bücket',
  '',
])('%j is not the name of a bucket', (name) => {
  expect(bucketFault(name)).toMatch(/^must /);
});

test.each(['', 'ar_', 'a..b/', '..a/', 'a/...', '/a//b/', 'été/', 'a b+c', '%2e%2e/', 'x'.repeat(512)])(
  'the prefix %j is accepted',
  (prefix) => {
    expect(keyPrefixFault(prefix)).toBeUndefined();
  },
);

test.each([
  ['../', '".."'],
  ['a/../b', '".."'],
  ['a/..', '".."'],
  ['./a', '".."'],
  ['a\\b/', 'a backslash'],
  ['a\n', 'control characters'],
  ['a\u0085b', 'control characters'],
  ['a\u202eb', 'control characters'],
  ['a\uffff', 'control characters'],
  ['é'.repeat(257), 'at most 512 bytes of UTF-8, but has 514'],
])('the prefix %j is rejected with a reason', (prefix, words) => {
  expect(keyPrefixFault(prefix)).toContain(words);
});
