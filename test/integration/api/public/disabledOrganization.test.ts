/** Addresses that need no key, after the organization is disabled. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setDisabled } from '../../../../src/core/organizations/operator.ts';
import { insertImages } from '../../../../src/core/sets/images.ts';
import { memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const files = new Map<string, Buffer>();
let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi({ artifacts: memoryArtifacts(files) });
});
afterAll(() => api.close());

test('pictures and files of exports of a disabled organization answer 403 until it is enabled', async () => {
  const { db } = api.store;
  const { id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  files.set('p.png', Buffer.from('picture'));
  const image = { organizationId, key: 'p.png', sha256: 'ab', bytes: 7, width: 1, height: 1 };
  const [token] = await insertImages(db, [image]);
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const screenshots = [{ site: { url: 'https://news.example' }, device: { name: 'desktop' } }];
  const body = { campaign: { name: 'C' }, screenshot_requests: [{ ad: { media }, screenshots }] };
  const { id: setId } = (await api.post('screenshot_requests', body)).json;
  const exportToken = 'e'.repeat(32);
  await api.store.pool.query(
    `insert into exports (id, organization_id, set_id, token, format, options, fingerprint, status, total, parts, file_name, artifact_key, expires_at)
     values ($1, $2, $3, $4, 'zip', '{}', 'f', 'ready', 1, 1, 'a.zip', 'p.png', now() + interval '1 day')`,
    [randomUUID(), organizationId, setId, exportToken],
  );
  const paths = [`/i/${token}.png`, `/i/${token}/256.webp`, `/e/${exportToken}/a.zip`];
  await setDisabled(db, 'acme', true);
  for (const path of paths) {
    const { status, json } = await api.send({ path });
    expect([path, status, json.code]).toEqual([path, 403, 'organization_disabled']);
  }
  await setDisabled(db, 'acme', false);
  expect((await api.send({ path: `/i/${token}.png` })).status).toBe(200);
});
