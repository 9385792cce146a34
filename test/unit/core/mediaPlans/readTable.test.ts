import { expect, test } from 'vitest';
import { readSites } from '../../../../src/core/mediaPlans/readSites.ts';
import { contentOf, tableOfFile, tableOfText } from '../../../../src/core/mediaPlans/readTable.ts';
import { findSiteColumn } from '../../../../src/domain/mediaPlans.ts';
import { required } from '../../../support/required.ts';
import { zipOf } from '../../../support/zips.ts';

const SHEET = (cells: string) =>
  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${cells}</sheetData></worksheet>`;
const text = (ref: string, value: string) => `<c r="${ref}" t="inlineStr"><is><t>${value}</t></is></c>`;

/** A workbook with these sheets, whose names are Sheet1 and so on. */
function workbook(...sheets: readonly string[]): Promise<Buffer> {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const numbers = sheets.map((_, index) => index + 1);
  const names = numbers.map((n) => `<sheet name="Sheet${n}" sheetId="${n}" r:id="rId${n}"/>`);
  const links = numbers.map(
    (n) => `<Relationship Id="rId${n}" Type="${relations}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
  );
  return zipOf({
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${names.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${links.join('')}</Relationships>`,
    ...Object.fromEntries(sheets.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheet])),
  });
}

const row = (...cells: readonly string[]) =>
  `<row r="1">${cells.map((cell, index) => text(`${'ABC'[index]}1`, cell)).join('')}</row>`;

test('the only sheet of a workbook is read, with the last results of formulas', async () => {
  const rows = `<row r="1">${text('A1', 'Ad')}${text('B1', 'Site')}</row>
    <row r="2"><c r="A2"><f>1+1</f><v>2</v></c>${text('B2', ' news.example ')}</row>`;
  expect((await tableOfFile(await workbook(SHEET(rows)))).rows).toEqual([
    ['Ad', 'Site'],
    ['2', 'news.example'],
  ]);
});

test('the plan and the sites are found on a later sheet, and the sheets that were not read are named', async () => {
  const [cover, sites, plan] = [row('Client', 'Example'), row('Site'), row('Ad', 'Site', 'Device')].map(SHEET);
  const bytes = await workbook(SHEET(''), required(cover), required(sites), required(plan));
  expect(await tableOfFile(bytes)).toEqual({
    rows: [['Ad', 'Site', 'Device']],
    name: 'Sheet4',
    others: ['Sheet1', 'Sheet2', 'Sheet3'],
  });
  expect(await contentOf(bytes, findSiteColumn)).toMatchObject({ rows: [['Site']], name: 'Sheet3' });
});

test('without headings the first sheet with cells is read', async () => {
  const bytes = await workbook(SHEET(''), SHEET(row('news.example')), SHEET(row('other.example')));
  expect(await tableOfFile(bytes)).toMatchObject({ rows: [['news.example']], name: 'Sheet2' });
});

test.each([
  ['an old Excel file', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'is an old Excel file (.xls), or it has a password'],
  ['a PDF', Buffer.from('%PDF-1.7'), 'is neither CSV nor XLSX'],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'is neither CSV nor XLSX'],
  ['a damaged zip', Buffer.from('PK\x03\x04rubbish'), 'is not a readable XLSX workbook'],
  ['a large file', Buffer.alloc(5 * 1024 * 1024 + 1, 'a'), 'has more than 5 MB'],
  ['an empty file', Buffer.from(' \n'), 'The table is empty.'],
  ['too many rows', Buffer.from('a,b\n'.repeat(2_021)), 'has more than 2,000 rows'],
  ['too many columns', Buffer.from('a,'.repeat(50).concat('a')), 'has 51 columns, and at most 50'],
])('%s gets a fault that says what to do', async (_name, bytes, message) => {
  await expect(tableOfFile(bytes)).rejects.toMatchObject({
    status: 422,
    errors: { plan: [expect.stringContaining(message)] },
  });
});

test('a zip without a workbook, and one that unpacks to too much, are no plan', async () => {
  const other = tableOfFile(await zipOf({ 'index.html': '<p>An ad</p>' }));
  await expect(other).rejects.toMatchObject({ errors: { plan: [expect.stringContaining('not a readable XLSX')] } });
  const bomb = tableOfFile(await workbook(SHEET(' '.repeat(33 * 1024 * 1024))));
  await expect(bomb).rejects.toMatchObject({
    errors: { plan: [expect.stringContaining('unpacks to more than 32 MB')] },
  });
});

test('a zip that declares a smaller size than it unpacks to is damaged', async () => {
  const bytes = await workbook(SHEET(' '.repeat(100_000)));
  const lying = Buffer.from(bytes);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(SHEET(' '.repeat(100_000)).length);
  for (let at = lying.indexOf(size); at >= 0; at = lying.indexOf(size, at + 1)) lying.writeUInt32LE(100, at);
  await expect(tableOfFile(lying)).rejects.toMatchObject({
    errors: { plan: [expect.stringContaining('not a readable XLSX')] },
  });
});

test.each([
  ['pasted cells', 'Ad\tSite\na, b\tnews.example'],
  ['CSV', 'Ad,Site\n"a, b",news.example\n,\n'],
  ['CSV of a German Excel', '\ufeffAd;Site\r\n"a, b";news.example\r\n'],
])('%s are a table', (_name, given) => {
  expect(tableOfText(given)).toEqual([
    ['Ad', 'Site'],
    ['a, b', 'news.example'],
  ]);
});

test('CSV in the code page of Windows is read', async () => {
  expect(await tableOfFile(Buffer.from('Gerät,Größe', 'latin1'))).toEqual({ rows: [['Gerät', 'Größe']] });
});

test.each([
  [
    'lines',
    'news.example\n\nhttps://blog.example/a,b\nnews.example/\n',
    [['news.example', 'https://blog.example/a,b'], []],
  ],
  ['a column', 'Name,URL\nNews,news.example\nBlog,blog example', [['news.example'], [3]]],
])('the sites of %s are read, each once', async (_name, given, expected) => {
  const { sites, faults } = await readSites(Buffer.from(given));
  expect([sites, faults.map(({ row }) => row)]).toEqual(expected);
});
