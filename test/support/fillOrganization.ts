/** An organization with something of each kind, for tests that delete it. */
import { randomUUID } from 'node:crypto';
import type { ArtifactStore } from '../../src/artifacts/store.ts';
import { recordNotice } from '../../src/core/journal/recordNotice.ts';
import { createChat } from '../../src/core/notices/chats.ts';
import { saveDraft } from '../../src/core/requests/drafts.ts';
import { OPERATOR } from '../../src/domain/auditLog.ts';
import { insertExportSet } from './exportSet.ts';
import type { TestApi } from './publicApi.ts';

interface FilledOrganization {
  readonly organizationId: string;
  /** Paths that people may have. */
  readonly picture: string;
  readonly setPath: string;
}

const media = { type: 'url', content: 'https://cdn.example/banner.png' };

/** Gives the organization `acme` something of each kind. */
export async function fillOrganization(api: TestApi, artifacts: ArtifactStore): Promise<FilledOrganization> {
  const { db } = api.store;
  const { id: organizationId } = await db
    .selectFrom('organizations')
    .select('id')
    .where('slug', '=', 'acme')
    .executeTakeFirstOrThrow();
  const send = (method: string, at: string, body: Buffer | string, type = 'application/json') =>
    api.send({
      ...{ method, path: `/api/v1/orgs/acme/${at}`, body },
      headers: { authorization: api.organization.api_key, 'content-type': type, 'idempotency-key': randomUUID() },
    });
  const upload = await send(
    'POST',
    'uploads?name=a.html',
    '<img src="x.png" width="300" height="250">',
    'application/octet-stream',
  );
  await send('POST', 'uploads?name=b.html', '<p>other</p>', 'application/octet-stream');
  const ad = await send(
    'POST',
    'ads',
    JSON.stringify({ campaign: { name: 'A' }, ad: { media: { type: 'upload', content: upload.json.id } } }),
  );
  const campaignId = ad.json.campaign_id;
  const logo = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  for (const path of ['branding/logo', `campaigns/${campaignId}/logo`]) await send('PUT', path, logo, 'image/svg+xml');
  const set = await insertExportSet({ db, artifacts, organization: { id: organizationId, slug: 'acme', campaignId } }, [
    {},
    {},
    { failure: 'no slot' },
  ]);
  const repeated = { name: 'S', rule: { cron: '0 9 * * *' }, time_zone: 'UTC', screenshot_set: { id: set.id } };
  await api.post('schedules', repeated);
  await api.post(`screenshot_sets/${set.id}/shares`, {});
  await send('POST', `screenshot_sets/${set.id}/exports`, JSON.stringify({ format: 'zip' }));
  const screenshots = [{ site: { url: 'https://news.example' }, device: { name: 'desktop' } }];
  await api.post('screenshot_requests', {
    campaign: { name: 'B' },
    screenshot_requests: [{ ad: { media }, screenshots }],
    subscribers: [{ webhook: { url: 'https://you.example/hook' } }],
  });
  await api.post('placements', { ...screenshots[0], sizes: [{ width: 300, height: 250 }] });
  await send('POST', 'webhook_endpoints', JSON.stringify({ url: 'https://you.example/all' }));
  await send('POST', 'webhook_tests', JSON.stringify({ url: 'https://you.example/test' }));
  const sites = [{ url: 'https://news.example' }];
  for (const path of ['templates', 'site_lists']) await send('POST', path, JSON.stringify({ name: 'T', sites }));
  await api.post('site_rules', { host: 'news.example', cookies: [{ name: 'a', value: 'b' }] });
  const author = { organizationId, keyId: api.organization.api_key.slice(8, 16), userId: null };
  await saveDraft(db, author, { id: randomUUID(), body: { sites: 'news.example' } });
  const connector = { region: 'eu-central-1', access_key_id: 'AKIA', secret_access_key: 'secret' };
  await send('PUT', 'connectors/s3', JSON.stringify(connector));
  await send('POST', 'keys', JSON.stringify({ name: 'Other', scopes: ['read'] }));
  const chat = { name: 'Team', kind: 'slack', address: 'https://chat.example/', notices: ['set_failed'] } as const;
  await db.transaction().execute((tx) => createChat(tx, organizationId, chat, OPERATOR));
  await recordNotice(db, { organizationId, setId: set.id, kind: 'set_failed' });
  return { picture: `/i/${set.tokens[0]}.png`, setPath: `screenshot_sets/${set.id}`, organizationId };
}
