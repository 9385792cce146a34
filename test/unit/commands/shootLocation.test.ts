import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLocation } from '../../../src/commands/shootLocation.ts';

const GERMANY = {
  ...{ id: 'de', name: 'Germany', country: 'DE', locale: 'de-de', languages: ['de-DE', 'de'] },
  ...{ time_zone: 'Europe/Berlin', proxy: 'socks5://127.0.0.1:1080' },
};
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-locations-'));
  file = path.join(folder, 'locations.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  delete process.env['LOCATION_CREDENTIALS'];
});
const find = (locations: unknown, location = 'de') => {
  writeFileSync(file, JSON.stringify(locations));
  return findLocation({ location, locations: file });
};

test('a location of the file is found, and browsers do not inherit the credentials', () => {
  process.env['LOCATION_CREDENTIALS'] = JSON.stringify({ de: { username: 'agency', password: 'secret' } });
  expect(find([GERMANY])?.location).toEqual({
    ...GERMANY,
    locale: 'de-DE',
    geolocation: null,
    check_url: null,
    proxy: undefined,
  });
  expect(process.env).not.toHaveProperty('LOCATION_CREDENTIALS');
});

test.each([
  ['an unknown location', [GERMANY], 'xx', /Known locations: de/],
  [
    'credentials beside the address',
    [{ ...GERMANY, proxy: 'http://agency:pw@127.0.0.1' }],
    'de',
    /LOCATION_CREDENTIALS/,
  ],
  ['another protocol', [{ ...GERMANY, proxy: 'ftp://127.0.0.1' }], 'de', /socks5:\/\/host:port/],
  ['a wrong time zone', [{ ...GERMANY, time_zone: 'Berlin' }], 'de', /time zone/],
  ['a wrong language', [{ ...GERMANY, languages: ['german language'] }], 'de', /language tag/],
  ['the same id twice', [GERMANY, GERMANY], 'de', /same id/],
])('%s is rejected', (_what, locations, id, message) => {
  expect(() => find(locations, id)).toThrow(message);
});

test('a fault of the credentials does not show them', () => {
  process.env['LOCATION_CREDENTIALS'] = '{"de": {"username": "agency", "password": "s3cret"';
  expect(() => find([GERMANY])).toThrow(/LOCATION_CREDENTIALS: must be JSON/);
  expect(() => find([GERMANY])).not.toThrow(/s3cret/);
});
