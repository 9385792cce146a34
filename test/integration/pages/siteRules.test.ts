import { beforeEach, expect, it } from 'vitest';
import { readRulesToApply } from '../../../src/core/siteRules/siteRuleQueries.ts';
import { createSiteRule } from '../../../src/core/siteRules/siteRules.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { read, sessionOf } from './reading.ts';
import { seedPlacement } from './seedPlacement.ts';

const server = preparePages();
const address = (rest = '') => `${server.url}/o/demo/settings/site_rules${rest}`;
const HOSTS = ['news.example', 'a.example', 'b.example'];
const rules = () => readRulesToApply(server.store.db, server.organizationId, HOSTS);

beforeEach(() => server.store.pool.query('delete from site_rules'));

it('a rule is created, changed with its secret kept, and deleted after a question', async () => {
  const page = await read(server, address('/new'));
  page.getByLabel('Host').fill('news.example');
  page.getByLabel('Devices').selectOption('phone');
  page.getByLabel('Slots').fill('300x250 #mpu\n\n #rail > div \n');
  page.getByLabel('Hide').fill('#a\n#b');
  page.getByLabel('Cookies').fill('session=a=b');
  page.getByLabel('Headers').fill('X-Preview: yes: it is');
  await page.proceed(page.getByRole('button', { name: 'Create rule' }));
  expect(page.url).toBe(`${address()}?notice=site_rule_saved`);
  const [rule] = await rules();
  expect(rule).toMatchObject({
    ...{ host: 'news.example', path: '/*', device: 'phone', hide: ['#a', '#b'], click: [] },
    slots: [
      { size: { width: 300, height: 250 }, selector: '#mpu' },
      { size: null, selector: '#rail > div' },
    ],
    cookies: [{ name: 'session', value: 'a=b' }],
    headers: [{ name: 'X-Preview', value: 'yes: it is' }],
  });
  const row = page.getByRole('row', { name: /news\.example, phones/ });
  expect(row.innerText()).toContain('2 slots, 2 to hide, 1 cookie, 1 header');
  await page.proceed(page.getByRole('link', { name: 'news.example, phones' }));
  expect(page.text).not.toContain('a=b');
  expect(page.getByLabel('Slots').inputValue()).toBe('300x250 #mpu\n#rail > div');
  page.getByLabel('Hide').fill('');
  page.getByLabel('Click').fill('.close');
  await page.proceed(page.getByRole('button', { name: 'Save' }));
  expect(await rules()).toMatchObject([{ id: rule?.id, hide: [], click: ['.close'], cookies: rule?.cookies }]);
  await page.open(address(`/${rule?.id}`));
  await page.proceed(page.getByRole('link', { name: 'Delete' }));
  await page.proceed(page.getByRole('button', { name: 'Delete the rule' }));
  expect([page.url, await rules()]).toEqual([`${address()}?notice=site_rule_deleted`, []]);
});

it('a form with faults comes back with what was typed, and each fault names its line', async () => {
  const page = await read(server, address('/new'));
  page.getByLabel('Host').fill('https://news.example/');
  page.getByLabel('Hide').fill('#a\n#b { }');
  const { status } = await page.proceed(page.getByRole('button', { name: 'Create rule' }));
  expect(status).toBe(422);
  const faults = page.locator('.fault').allTextContents().join('\n');
  expect(faults).toMatch(/Host must be a host name/);
  expect(faults).toMatch(/^Line 2 must be one CSS selector/m);
  expect(page.getByLabel('Hide').inputValue()).toMatch(/^#a\r?\n#b { }$/);
});

it('an exported file can be imported, and a file with a fault changes nothing', async () => {
  const create = (host: string) =>
    server.store.db
      .transaction()
      .execute((tx) => createSiteRule(tx, server.organizationId, { host, hide: ['#a'] }, OPERATOR));
  await create('a.example');
  await create('b.example');
  const { name, value } = await sessionOf(server, address());
  const headers = { cookie: `${name}=${value}` };
  const exported = await fetch(address('/export'), { headers });
  expect(exported.headers.get('content-disposition')).toBe('attachment; filename="site-rules-demo.json"');
  const file = await exported.text();
  expect(JSON.parse(file)).toMatchObject({
    note: expect.stringContaining('never exported'),
    data: [{ host: 'a.example' }, { host: 'b.example' }],
  });
  await server.store.pool.query('delete from site_rules');
  const page = await read(server, address());
  const send = async (text: string) => {
    await page.open(address());
    page.getByLabel('File').setInputFiles(new File([text], 'rules.json'));
    return page.proceed(page.getByRole('button', { name: 'Import' }));
  };
  expect((await send(file.replace('b.example', '*.com'))).status).toBe(422);
  expect(page.locator('.fault').allTextContents().join()).toMatch(/data\.1\.host must have at least two names/);
  await send('no json');
  expect(page.locator('.fault').textContent()).toContain('File is not JSON');
  expect(await rules()).toEqual([]);
  expect((await send(file)).url).toBe(`${address()}?notice=site_rules_imported`);
  expect((await rules()).map(({ host }) => host).sort()).toEqual(['a.example', 'b.example']);
});

it('a picture whose slot a person chose offers the slot for later pictures, and one button makes the rule', async () => {
  const { setId } = await seedSet(server, { shots: [{ site: 'https://news.example/a', device: 'mobile' }] });
  const { id } = await server.store.db
    .selectFrom('screenshots')
    .select('id')
    .where('set_id', '=', setId)
    .executeTakeFirstOrThrow();
  const picture = `${server.url}/o/demo/screenshots/${id}`;
  const setRecord = (slot: object | null, element = '#rail-2', others: string[] = []) => {
    const candidates = [element, ...others].map((name) => ({ element: name }));
    const record = { ad_size: [300, 250], slot: { element }, options: { slot }, candidates };
    return server.store.db
      .updateTable('screenshots')
      .set({ record: JSON.stringify(record) })
      .where('id', '=', id)
      .execute();
  };
  await setRecord(null);
  const page = await read(server, picture);
  expect(page.text).not.toContain('from now on');
  await setRecord({ index: 2 });
  await page.open(picture);
  const edit = page.getByRole('link', { name: 'Edit the rule' }).getAttribute('href');
  await page.proceed(page.getByRole('button', { name: 'Use it from now on' }));
  expect(page.url).toBe(`${picture}?notice=site_rule_saved`);
  const size = { width: 300, height: 250 };
  expect(await rules()).toMatchObject([
    { host: 'news.example', path: '/*', device: 'phone', slots: [{ size, selector: '#rail-2' }] },
  ]);
  expect(page.getByText('uses this slot').count()).toBe(1);
  await setRecord({ selector: '#rail-3' });
  await page.open(picture);
  await page.proceed(page.getByRole('button', { name: 'Use it from now on' }));
  expect(await rules()).toMatchObject([{ slots: [{ size, selector: '#rail-3' }] }]);
  await page.open(new URL(edit ?? '', server.url).href);
  expect(page.getByLabel('Slots').inputValue()).toBe('300x250 #rail-2');
  await server.store.pool.query('delete from site_rules');
  await setRecord({ index: 2 }, 'div.ad', ['div.ad']);
  await page.open(picture);
  expect(page.text).not.toContain('Use it from now on');
  await page.proceed(page.getByRole('link', { name: 'add a CSS selector' }));
  expect([page.getByLabel('Host').inputValue(), page.getByLabel('Slots').inputValue()]).toEqual([
    ...['news.example', '300x250 '],
  ]);
  expect((await page.proceed(page.getByRole('button', { name: 'Create rule' }))).status).toBe(422);
  expect(page.locator('.fault').allTextContents().join()).toContain('Line 1 must not be blank: give a CSS selector');
});

it('a placement offers the slot that a person clicked, unless the service would use it anyway', async () => {
  const placement = `${server.url}/o/demo/new/slots/${await seedPlacement(server)}`;
  const page = await read(server, placement);
  expect(page.text).not.toContain('from now on');
  await page.open(`${placement}?slot=2`);
  await page.proceed(page.getByRole('button', { name: 'Use it from now on' }));
  expect(await rules()).toMatchObject([
    { host: 'news.example', device: 'desktop', slots: [{ selector: '#slot-400' }] },
  ]);
  expect(page.url).toContain('slot=2');
  expect(page.getByText('uses this slot').count()).toBe(1);
});
