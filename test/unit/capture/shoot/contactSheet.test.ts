import { expect, test } from 'vitest';
import { contactSheet, type SheetEntry } from '../../../../src/capture/shoot/shootOutput.ts';

const ENTRY: SheetEntry = {
  id: '1.png',
  ad: 'Banner',
  site: 'https://news.example/',
  device: 'desktop',
  marker: null,
  status: 'uploaded',
  text: 'Slot 300×250, #rail.',
  warnings: [],
  picture: '1.png',
};
const FAILURE: SheetEntry = { ...ENTRY, status: 'no_slots', text: 'No slot takes 300×250.', picture: undefined };

test('a contact sheet shows pictures first and failures last, by status', () => {
  const html = contactSheet('Sheet', [FAILURE, ENTRY, { ...FAILURE, status: 'blocked', text: 'A challenge.' }]);
  const at = (text: string) => html.indexOf(text);
  expect(at('<img')).toBeGreaterThan(0);
  expect(at('<img')).toBeLessThan(at('No slot takes'));
  expect(at('No slot takes')).toBeLessThan(at('A challenge.'));
  expect(html).toContain('1 picture, 2 without a picture');
});

test('a contact sheet escapes texts, and encodes the names of files', () => {
  const picture = 'a b#1.png';
  const html = contactSheet('<b>', [{ ...ENTRY, ad: '<script>', picture, record: 'r?.json', warnings: ['"w" & <x>'] }]);
  expect(html).not.toContain('<script>');
  expect(html).toContain('src="a%20b%231.png"');
  expect(html).toContain('href="r%3F.json"');
  expect(html).toContain('Warning: &quot;w&quot; &amp; &lt;x&gt;');
});

test('a contact sheet without pictures says so and gives the reasons', () => {
  const html = contactSheet('Sheet', [FAILURE]);
  expect(html).toContain('No picture was taken');
  expect(html).toContain('No slot takes 300×250.');
});
