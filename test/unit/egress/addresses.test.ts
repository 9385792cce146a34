import { describe, expect, test } from 'vitest';
import { isWithin, parseHost, parseRange, whyNotPublic } from '../../../src/egress/addresses.ts';

describe('a host is read as a browser reads it', () => {
  test.each([
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['127。0。0。1', '127.0.0.1'],
    ['[::ffff:7f00:1]', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['0', '0.0.0.0'],
  ])('%s is the address %s', (text, address) => {
    expect(parseHost(text)).toEqual({ kind: 'address', address });
  });

  test('a name is lower-cased and loses its trailing dot', () => {
    expect(parseHost('Example.COM.')).toEqual({ kind: 'name', name: 'example.com' });
  });

  test.each([
    '',
    '1.2.3.4.5',
    '0x7f.1.2.3.4',
    '256.256.256.256',
    '[fe80::1%25eth0]',
    'a b',
    'user@host',
    'a/b',
    '[::1',
    '.',
  ])('"%s" is not a host', (text) => {
    expect(parseHost(text)).toBeUndefined();
  });
});

describe('public addresses', () => {
  test.each(['8.8.8.8', '2606:4700::1111', '64:ff9b::808:808', '2002:808:808::1', '::ffff:8.8.8.8'])(
    'the address %s is public',
    (address) => {
      expect(whyNotPublic(address)).toBeUndefined();
    },
  );

  test.each([
    '127.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    'fe80::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:0:7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '2002:7f00:1::',
    '2001:0:808:808::80ff:fffe',
    '2001:db8::1',
    '4000::1',
  ])('the address %s is not public', (address) => {
    expect(whyNotPublic(address)).toMatch(/it (is|leads to) /);
  });
});

test('a range contains its addresses in every spelling and no others', () => {
  const ranges = ['127.0.0.0/8', 'fd00::/8', '192.0.2.7'].map(parseRange);
  expect(
    ['127.9.9.9', '::ffff:127.0.0.1', 'fd12::1', '192.0.2.7'].map((each) =>
      isWithin({ address: each, port: 80 }, ranges),
    ),
  ).not.toContain(false);
  expect(
    ['128.0.0.1', '::1', 'fe80::1', '192.0.2.8', '64:ff9b::7f00:1'].map((each) =>
      isWithin({ address: each, port: 80 }, ranges),
    ),
  ).not.toContain(true);
});

test('an address with a port allows only this port of this address', () => {
  const ranges = ['127.0.0.1:3000', '[::1]:3001'].map(parseRange);
  const allowed = (address: string, port: number) => isWithin({ address, port }, ranges);
  expect([allowed('127.0.0.1', 3000), allowed('::ffff:127.0.0.1', 3000), allowed('::1', 3001)]).toEqual([
    true,
    true,
    true,
  ]);
  expect([allowed('127.0.0.1', 3001), allowed('127.0.0.2', 3000), allowed('::1', 3000)]).toEqual([false, false, false]);
});

test.each(['127.0.0.0/99', '127.0.0.1:0', '127.0.0.1:70000', '127.0.0.0/8:80', 'localhost:3000', '::1]:80', ''])(
  'an invalid range is named in the error: %j',
  (text) => expect(() => parseRange(text)).toThrow(`"${text}" is not an address range`),
);
