/** Access to the form of a new request, and bodies that no browser sends. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../../../src/core/organizations/apiKeys.ts';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { type PagesServer, startPages } from './pagesServer.ts';
import { adsOn, complete, type Fields, gif, KEY, RequestForm } from './requestForm.ts';

let server: PagesServer;
let form: RequestForm;
beforeAll(async () => {
  server = await startPages();
  form = await RequestForm.open(server);
});
afterAll(() => server.close());

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

it('a key that may only read sees no form', async () => {
  const { api_key } = await createKey(server.store.db, 'demo', { scopes: ['read'] });
  const response = await fetch(`${server.url}/o/demo/new`, { headers: { authorization: api_key } });
  const text = await response.text();
  expect([response.status, text.includes('enctype'), text.includes('may only read')]).toEqual([403, false, true]);
});

it('a body that is too long, has too many fields or is cut off gets its answer as a page', async () => {
  expect((await form.post([['sites', 'x'.repeat(5_000_000)]])).status).toBe(413);
  const many: Fields = Array.from({ length: 400 }, (_, i) => ['device', `d${i}`]);
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
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(await response.text()).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
});
