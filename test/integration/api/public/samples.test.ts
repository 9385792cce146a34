/**
 * The sample request of each operation of the reference, in a shell, against a real API. A stranger sends it first, with
 * real ids of another organization.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import type { AuditAction } from '../../../../src/domain/auditLog.ts';
import { type NamedOperation, sampleRequest } from '../../../support/operations.ts';
import { type Json, memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { runSample } from './runSample.ts';
import { OPERATIONS, type SampleIds, sampleIds } from './sampleIds.ts';

const artifacts = memoryArtifacts(new Map());
let api: TestApi;
let stranger: { KEY: string; ORGANIZATION: string };
beforeAll(async () => {
  api = await startPublicApi({ artifacts, exportWaitMs: 300 });
  const { api_key: KEY } = await createOrganization(api.store.db, { slug: 'stranger' });
  stranger = { KEY, ORGANIZATION: 'stranger' };
});
afterAll(() => api.close());

beforeEach(async () => {
  await api.store.db.deleteFrom('branding').execute();
  await api.store.db.deleteFrom('s3_connectors').execute();
  await api.store.db.updateTable('organizations').set({ review: 'automatic' }).execute();
});

/** Every operation with an entry. Other operations have none. */
const ACTIONS: Readonly<Record<string, AuditAction>> = {
  updateSettings: 'settings.updated',
  createKey: 'api_key.created',
  revokeKey: 'api_key.revoked',
  changeMember: 'member.updated',
  removeMember: 'member.removed',
  inviteMember: 'invitation.created',
  withdrawInvitation: 'invitation.deleted',
  rotateWebhookSecret: 'webhook_secret.rotated',
  sendTestEvent: 'webhook.tested',
  createWebhookEndpoint: 'webhook_endpoint.created',
  updateWebhookEndpoint: 'webhook_endpoint.updated',
  deleteWebhookEndpoint: 'webhook_endpoint.deleted',
  rotateWebhookEndpointSecret: 'webhook_endpoint.rotated',
  testWebhookEndpoint: 'webhook_endpoint.tested',
  replaceConnector: 'connector.created',
  checkConnector: 'connector.checked',
  deleteConnector: 'connector.deleted',
  replaceBranding: 'branding.updated',
  replaceLogo: 'branding.logo_replaced',
  deleteLogo: 'branding.logo_removed',
  replaceCampaignLogo: 'campaign.logo_replaced',
  deleteCampaignLogo: 'campaign.logo_removed',
  updateScreenshotSet: 'screenshot_set.updated',
  deleteScreenshotSet: 'screenshot_set.deleted',
  updateAd: 'ad.updated',
  deleteAd: 'ad.deleted',
  updateCampaign: 'campaign.updated',
  deleteCampaign: 'campaign.deleted',
  retakeScreenshot: 'screenshot_set.retaken',
  retakeScreenshotSet: 'screenshot_set.retaken',
  runSchedule: 'screenshot_set.requested',
  duplicateScreenshotSet: 'screenshot_set.requested',
  approveScreenshotSet: 'screenshot_set.approved',
  rejectScreenshotSet: 'screenshot_set.rejected',
  reopenScreenshotSet: 'screenshot_set.reopened',
  cancelScreenshotSet: 'screenshot_set.canceled',
  reviewScreenshot: 'screenshot_set.pictures_reviewed',
  reviewScreenshotsOfSet: 'screenshot_set.pictures_reviewed',
  deleteComment: 'comment.deleted',
  createShare: 'share_link.created',
  updateShare: 'share_link.updated',
  revokeShare: 'share_link.revoked',
  createCampaignShare: 'share_link.created',
  updateCampaignShare: 'share_link.updated',
  revokeCampaignShare: 'share_link.revoked',
  createSiteRule: 'site_rule.created',
  importSiteRules: 'site_rule.created',
  updateSiteRule: 'site_rule.updated',
  deleteSiteRule: 'site_rule.deleted',
  createSchedule: 'schedule.created',
  changeSchedule: 'schedule.updated',
  deleteSchedule: 'schedule.deleted',
};

async function run(named: NamedOperation, ids: SampleIds): Promise<Json> {
  const { status, body } = await runSample(api, sampleRequest(named), ids);
  if (status >= 400) throw new Error(`${named.method} ${named.path} answered ${status}: ${body}`);
  expect(Object.keys(named.operation.responses)).toContain(String(status));
  return body === '' ? undefined : JSON.parse(body);
}

const log = async (): Promise<Json[]> => (await api.get('audit_log?per_page=500')).json.data;

/** A digest of all rows of each table that a request could change. */
async function stored(): Promise<Json> {
  const { rows: tables } = await sql<{ name: string }>`select quote_ident(tablename) as name from pg_tables
    where schemaname = 'public' and tablename not in ('api_keys', 'rate_buckets')`.execute(api.store.db);
  const digests = tables.map(
    ({ name }) => `select '${name}' as name, md5(string_agg(t::text, ' ' order by t::text)) as rows from ${name} t`,
  );
  return (await sql.raw(`${digests.join(' union all ')} order by name`).execute(api.store.db)).rows;
}

async function expectNothingOfAnother(named: NamedOperation, ids: SampleIds): Promise<void> {
  const before = await stored();
  const { status, body } = await runSample(api, sampleRequest(named), { ...ids, ...stranger });
  // A connector is deleted by its name, which each organization gives itself.
  if (named.path.endsWith('/connectors/{name}') && named.method === 'DELETE') expect([status, body]).toEqual([204, '']);
  else expect([status, JSON.parse(body).code]).toEqual([404, 'not_found']);
  expect(await stored()).toEqual(before);
}

/** The id of an object is in the path. A PUT without one creates the object of this name for the caller. */
const hasId = ({ method, path }: NamedOperation) =>
  (method !== 'PUT' || path.includes('{id}')) && path.replace('{organization_slug}', '').includes('{');

test.each(OPERATIONS)(
  '$method $path changes nothing of another organization, succeeds, and writes the entry of its action',
  async (named) => {
    const ids = await sampleIds({ api, artifacts, run }, named);
    if (hasId(named)) await expectNothingOfAnother(named, ids);
    const before = new Set((await log()).map(({ id }) => id));
    await run(named, ids);
    const added = (await log()).filter(({ id }) => !before.has(id));
    const action = ACTIONS[named.operation.operationId ?? ''];
    expect(added.map((entry) => entry.action)).toEqual(action === undefined ? [] : [action]);
  },
);

test('there are operations with ids', () => expect(OPERATIONS.filter(hasId).length).toBeGreaterThan(30));

test('every operation that needs the scope admin and changes something has an entry', () => {
  const administrative = OPERATIONS.filter(
    ({ method, operation }) => method !== 'GET' && operation.description?.includes('scope `admin`'),
  );
  const names = administrative.map(({ operation }) => operation.operationId ?? '');
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => ACTIONS[name] === undefined)).toEqual([]);
});

test('each operation with a body has an example', () => {
  const without = OPERATIONS.filter(({ operation: { requestBody } }) => {
    if (requestBody === undefined) return false;
    return Object.values(requestBody.content).every(({ example }) => example === undefined);
  });
  expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
