/** Access to the form of a new request, its rate, its templates, and bodies that no browser sends. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { Failure } from '../../../src/domain/failure.ts';
import { createKey } from '../../support/keys.ts';
import { preparePages } from './preparePages.ts';
import { adsOn, complete, type Fields, type Got, gif, KEY, RequestForm } from './requestForm.ts';

const costs: number[] = [];
let most = Number.POSITIVE_INFINITY;
const take = async (_keyId: string, cost: number) => {
  costs.push(cost);
  if (cost > most) throw tooMany();
};
const server = preparePages({ requestLimits: { take, takeBytes: () => undefined } });
let form: RequestForm;
beforeAll(async () => {
  form = await RequestForm.open(server);
});
beforeEach(() => {
  costs.length = 0;
  most = Number.POSITIVE_INFINITY;
});

const tooMany = () =>
  new Failure({ status: 429, code: 'rate_limited', errors: { rate_limit: ['Too many tokens.'] }, headers: {} });

/** Forty sites on two devices. */
async function eightyPictures(campaign: string): Promise<Fields> {
  const sites = Array.from({ length: 40 }, (_, i) => `site-${i}.example`).join('\r\n');
  const replaced: Readonly<Record<string, string>> = { sites, campaign };
  return complete(await form.newAd()).map(([name, value]) => [name, replaced[name] ?? value] as const);
}

it('a form that requests 80 pictures takes eight tokens more', async () => {
  const fields = await eightyPictures('Charged');
  costs.length = 0;
  expect((await form.post(fields)).status).toBe(303);
  expect(costs).toEqual([1, 8]);
});

it('a form without enough tokens makes no set, and keeps what was typed', async () => {
  const fields = await eightyPictures('Too many');
  const sets = await form.count('screenshot_sets');
  most = 7;
  const { status, text } = await form.post(fields);
  expect(status).toBeLessThan(500);
  expect(text).toContain('Too many tokens.');
  expect(text).toContain('site-39.example');
  expect(await form.count('screenshot_sets')).toBe(sets);
});

it('a form without its token, or with that of another session, stores no file and makes no set', async () => {
  const { token } = await RequestForm.open(server, (await createKey(server.store.db, 'demo')).api_key);
  const counts = async () => [await form.count('screenshot_sets'), await form.count('uploads')];
  const before = await counts();
  for (const given of ['', 'x', token]) {
    const got = await form.post([...complete(KEY), ['files', gif(`strange-${given}.gif`)]], given);
    expect([got.status, got.text.includes('reload the page')]).toEqual([403, true]);
  }
  expect(await counts()).toEqual(before);
});

it('the form of another organization is not accepted, and its ads and templates are not shown', async () => {
  const ad = await form.newAd();
  await form.post([
    ['action', 'template-save'],
    ['template_name', 'Secret plans'],
    ['sites', 'secret.example'],
  ]);
  const template = await server.store.db.selectFrom('request_templates').select('id').executeTakeFirstOrThrow();
  const other = await createOrganization(server.store.db, { slug: 'other' });
  const theirs = await RequestForm.open(server, other.api_key, 'other');
  const got = await theirs.post(complete(ad));
  expect([got.status, got.text.includes('Sign in to')]).toEqual([401, true]);
  const page = await theirs.get(`/o/other/new?ad=${ad}&template=${template.id}`);
  expect(adsOn({ text: page })).toEqual([]);
  expect(page).not.toMatch(/[Ss]ecret/);
});

it('a form that is sent after the session ended leads back to the new request', async () => {
  const body = new FormData();
  for (const [name, value] of complete(KEY)) body.append(name, value);
  const response = await fetch(`${server.url}/o/demo/new`, { method: 'POST', body });
  const text = await response.text();
  expect([response.status, text.includes('Your session has ended')]).toEqual([401, true]);
  expect(text).toContain('name="next" value="/o/demo/new"');
});

it('a key that may only read sees no form', async () => {
  const { api_key } = await createKey(server.store.db, 'demo', { scopes: ['read'] });
  const response = await fetch(`${server.url}/o/demo/new`, { headers: { authorization: api_key } });
  const text = await response.text();
  expect([response.status, text.includes('enctype'), text.includes('read-only access')]).toEqual([403, false, true]);
});

it('a body that is too long, has too many fields or is cut off gets its answer as a page', async () => {
  expect((await form.post([['sites', 'x'.repeat(5_000_000)]])).status).toBe(413);
  const many: Fields = Array.from({ length: 4_000 }, (_, i) => ['device', `d${i}`]);
  expect((await form.post(many)).status).toBe(413);
  const part = `--b\r\ncontent-disposition: form-data; name="form"\r\n\r\n${form.token}\r\n`;
  const response = await fetch(`${server.url}/o/demo/new`, {
    method: 'POST',
    headers: { cookie: form.cookie, 'content-type': 'multipart/form-data; boundary=b' },
    body: `${part}--b\r\ncontent-disposition: form-data; name="files"; filename="a.gif"\r\n\r\nGIF8`,
  });
  expect([response.status, (await response.text()).includes('<h1>')]).toEqual([400, true]);
});

it('the policy of the page allows no script, style or frame but those of the service', async () => {
  const response = await fetch(`${server.url}/o/demo/new`, { headers: { cookie: form.cookie } });
  expect(response.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(await response.text()).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
});

const FILLED: Fields = [
  ['sites', 'news.example\r\nblog.example'],
  ['device', 'ipad'],
  ['device', 'tablet'],
  ['markers', '0 2.5'],
  ['allow_scaling', 'yes'],
  ['slot', '#top > .ad'],
  ['full_page', 'yes'],
  ['show_head', 'yes'],
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
  expect(checkedIn(used.text)).toEqual(['tablet', 'ipad', 'yes', 'yes', 'yes']);
  for (const text of ['news.example\nblog.example\n</textarea>', 'value="0, 2.5"', 'value="#top &gt; .ad"', 'Autumn'])
    expect(used.text).toContain(text);
  expect(adsOn(used)).toEqual([ad]);
  const opened = await form.get(`/o/demo/new?template=${idOf(saved, 'Tablets')}`);
  expect(checkedIn(opened)).toEqual(['tablet', 'ipad', 'yes', 'yes', 'yes']);
});

it('a template without a name, and one with a fault in its sites, is not saved', async () => {
  const nameless = await save('  ');
  expect([nameless.status, nameless.text.includes('The name must not be blank')]).toEqual([422, true]);
  const faulty = await save('Faulty', [['sites', 'ftp://files.example']]);
  expect([faulty.status, idOf(faulty, 'Faulty')]).toEqual([422, '']);
  expect(faulty.text).toContain('value="Faulty"');
  const empty = await save('Empty', []);
  expect(empty.text).toContain('The list of sites is required, unless there is something else, such as devices.');
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

it('a template keeps the whole request, and says which of its ads was deleted', async () => {
  const [kept, gone] = [await form.newAd('kept.gif'), await form.newAd('gone.gif')];
  const whole: Fields = [...FILLED, ['ad', kept], ['ad', gone], ['campaign', 'Spring'], ['instructions', 'Look twice']];
  const id = idOf(await save('Whole', whole), 'Whole');
  await server.store.db.deleteFrom('ads').where('id', '=', gone).execute();
  const used = await form.post([
    ['action', 'template-use'],
    ['template', id],
  ]);
  expect([used.status, adsOn(used)]).toEqual([422, [kept]]);
  for (const text of ['1 ad of the template “Whole” was deleted.', 'value="Spring"', 'Look twice</textarea>'])
    expect(used.text).toContain(text);
});

it('a site list is saved, imported from a file, and added to the sites of another request', async () => {
  const csv = new File(['Publisher,URL\nOne,one.example\nTwo,two.example/page\nThree,not a site\n'], 'sites.csv');
  const read = await form.post([
    ['action', 'check'],
    ['sites', 'zero.example'],
    ['site_file', csv],
  ]);
  expect(read.text).toContain('zero.example\none.example\ntwo.example/page\n</textarea>');
  expect(read.text).toContain('Row 4 of the file: Not an address');
  const sites = 'zero.example\none.example';
  const saved = await form.post([
    ['action', 'list-save'],
    ['sites', sites],
    ['site_list_name', ' News '],
  ]);
  expect(saved.text).toContain('The site list “News” was saved.');
  const list = idOf(saved, 'News');
  const added = await form.post([
    ['action', 'list-add'],
    ['sites', 'mine.example'],
    ['site_list', list],
  ]);
  expect(added.text).toContain('mine.example\nzero.example\none.example\n</textarea>');
  // A template with all sites of a list follows the list.
  const followed = await save('Follows', [
    ['sites', `${sites}\nmine.example`],
    ['site_list', list],
    ['device', 'ipad'],
  ]);
  const replaced = await form.post([
    ['action', 'list-save'],
    ['sites', `${sites}\nnew.example`],
    ['site_list_name', 'News'],
  ]);
  expect(replaced.text).toContain('The site list “News” was replaced.');
  expect(replaced.text).toMatch(/<button type="button" popovertarget="list-remove"/);
  const used = await form.post([
    ['action', 'template-use'],
    ['template', idOf(followed, 'Follows')],
  ]);
  expect(used.text).toContain('mine.example\nzero.example\none.example\nnew.example\n</textarea>');
  const removed = await form.post([
    ['action', 'list-remove'],
    ['site_list', list],
  ]);
  expect([removed.text.includes('“News” was removed.'), idOf(removed, 'News')]).toEqual([true, '']);
});

it('a device of a person’s own is checked, added, and requested', async () => {
  const own: Fields = [
    ['own_width', '412'],
    ['own_height', '915'],
    ['own_ratio', '2.63'],
    ['own_touch', 'yes'],
  ];
  const added = await form.post([['action', 'check'], ...own]);
  const name = 'Own device 412 x 915, 2.63x, touch';
  expect(checkedIn(added.text)).toEqual([name]);
  const faulty = await form.post([
    ['action', 'check'],
    ['own_width', '41'],
    ['own_height', 'high'],
  ]);
  expect(faulty.text).toContain('The width of your custom device must be from 200 to 3,840.');
  expect(faulty.text).toContain('value="high"');
  const sent = await form.post([...complete(await form.newAd()), ['device', name]]);
  const id = sent.location?.split('/').at(-1) ?? '';
  const rows = await server.store.db.selectFrom('screenshots').select('device').where('set_id', '=', id).execute();
  expect(rows.map(({ device }) => device)).toContain(name);
});
