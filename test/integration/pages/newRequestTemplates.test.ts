/** Templates on the page of a new request. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PagesServer, startPages } from './pagesServer.ts';
import { adsOn, type Fields, type Got, RequestForm } from './requestForm.ts';

let server: PagesServer;
let form: RequestForm;
beforeAll(async () => {
  server = await startPages();
  form = await RequestForm.open(server);
});
afterAll(() => server.close());

const FILLED: Fields = [
  ['sites', 'news.example\r\nblog.example'],
  ['device', 'ipad'],
  ['device', 'tablet'],
  ['markers', '0 2.5'],
  ['allow_scaling', 'yes'],
  ['slot', '#top > .ad'],
  ['full_page', 'yes'],
];
const save = (name: string, fields = FILLED) =>
  form.post([...fields, ['action', 'template-save'], ['template_name', name]]);
const idOf = ({ text }: Got, name: string) => new RegExp(`value="([\\w-]{36})"[^>]*>${name}<`).exec(text)?.[1] ?? '';
const checkedIn = (text: string) => [...text.matchAll(/name="(\w+)" value="([^"]+)" checked/g)].map(([, , v]) => v);

it('a template keeps sites, devices, markers and options, and fills them in again', async () => {
  const saved = await save(' Tablets ');
  expect([saved.status, saved.text.includes('The template “Tablets” was saved.')]).toEqual([200, true]);
  const ad = await form.newAd();
  const fields: Fields = [
    ['action', 'template-use'],
    ['template', idOf(saved, 'Tablets')],
    ['ad', ad],
    ['campaign', 'Autumn'],
    ['sites', 'other.example'],
    ['device', 'desktop'],
  ];
  const used = await form.post(fields);
  expect(checkedIn(used.text)).toEqual(['tablet', 'ipad', 'yes', 'yes']);
  for (const text of ['news.example\nblog.example\n</textarea>', 'value="0, 2.5"', 'value="#top &gt; .ad"', 'Autumn'])
    expect(used.text).toContain(text);
  expect(adsOn(used)).toEqual([ad]);
  const opened = await form.get(`/o/demo/new?template=${idOf(saved, 'Tablets')}`);
  expect(checkedIn(opened)).toEqual(['tablet', 'ipad', 'yes', 'yes']);
});

it('a template without a name, and one with a fault in its sites, is not saved', async () => {
  const nameless = await save('  ');
  expect([nameless.status, nameless.text.includes('The name must not be blank')]).toEqual([422, true]);
  const faulty = await save('Faulty', [['sites', 'ftp://files.example']]);
  expect([faulty.status, idOf(faulty, 'Faulty')]).toEqual([422, '']);
  expect(faulty.text).toContain('value="Faulty"');
  const empty = await save('Empty', []);
  expect(empty.text).toContain('The list of sites is required, unless there are devices.');
});

it('a template whose name has markup is shown as text, and can be removed', async () => {
  const name = '<img src=x onerror=alert(1)>';
  const saved = await save(name);
  expect(saved.text).not.toContain('<img src=x');
  const id = idOf(saved, '&lt;img src=x onerror=alert\\(1\\)&gt;');
  const removed = await form.post([...FILLED, ['action', 'template-remove'], ['template', id]]);
  expect(removed.text).toContain('was removed.');
  expect(idOf(removed, '&lt;img')).toBe('');
  expect(removed.text).toContain('news.example\nblog.example</textarea>');
  const again = await form.post([...FILLED, ['action', 'template-use'], ['template', id]]);
  expect([again.status, again.text.includes('Choose a template.')]).toEqual([422, true]);
});
