/** Every operation of the API, and the one scope that it needs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '../../../../src/domain/keys.ts';
import { DEFAULT_LIMITS } from '../../../../src/domain/limits.ts';
import { createKey } from '../../../support/keys.ts';
import { type NamedOperation, openApiDocument, operationsOf } from '../../../support/operations.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const OPERATIONS = operationsOf(openApiDocument(DEFAULT_LIMITS).paths);

/** The administration. All of it needs the scope admin, also to read. */
const ADMINISTRATION = [
  'updateSettings',
  'replaceBranding',
  'replaceLogo',
  'deleteLogo',
  'listKeys',
  'createKey',
  'revokeKey',
  'getWebhookSecret',
  'rotateWebhookSecret',
  'sendTestEvent',
  'listWebhookEndpoints',
  'createWebhookEndpoint',
  'getWebhookEndpoint',
  'updateWebhookEndpoint',
  'deleteWebhookEndpoint',
  'rotateWebhookEndpointSecret',
  'testWebhookEndpoint',
  'listConnectors',
  'getConnector',
  'replaceConnector',
  'deleteConnector',
  'checkConnector',
  'listAuditLog',
  'listMembers',
  'changeMember',
  'removeMember',
  'listInvitations',
  'inviteMember',
  'withdrawInvitation',
];
/** An export only shows what its reader can read. */
const READING_POSTS = ['createExport', 'createCampaignExport'];

/** Everything else needs read to read, and write to change something. */
function scopeOf(named: NamedOperation): Scope {
  if (ADMINISTRATION.includes(nameOf(named))) return 'admin';
  return named.method === 'GET' || READING_POSTS.includes(nameOf(named)) ? 'read' : 'write';
}

const nameOf = ({ operation }: NamedOperation) => operation.operationId ?? '';

let api: TestApi;
const keys = new Map<Scope, string>();
beforeAll(async () => {
  api = await startPublicApi({ exportWaitMs: 0 });
  for (const scope of SCOPES) keys.set(scope, (await createKey(api.store.db, 'acme', { scopes: [scope] })).api_key);
});
afterAll(() => api.close());

test('the operations of the administration exist, and their descriptions name the scope', () => {
  const described = OPERATIONS.filter(({ operation }) => operation.description?.includes('scope `admin`'));
  expect(described.map(nameOf).sort()).toEqual(ADMINISTRATION.toSorted());
});

/** Objects of these ids do not exist, so that a request that is allowed changes nothing. */
const addressOf = (path: string) =>
  path
    .replace('{organization_slug}', 'acme')
    .replace('{key_id}', 'AAAAAAAA')
    .replace('{name}', 'unknown')
    .replaceAll(/\{[a-z_]+\}/g, '00000000-0000-4000-8000-000000000000');

const CASES = SCOPES.flatMap((scope) => OPERATIONS.map((named) => ({ scope, name: nameOf(named), named })));

describe.each(SCOPES)('a key with only the scope %s', (scope) => {
  test.each(CASES.filter((one) => one.scope === scope))('calls $name only if that needs its scope', async (one) => {
    const { named } = one;
    const needed = scopeOf(named);
    const reply = await api.send({
      method: named.method,
      path: addressOf(named.path),
      headers: { authorization: keys.get(scope) ?? '', 'content-type': 'application/json' },
      ...(named.method !== 'GET' && { body: '{}' }),
    });
    if (needed === scope) {
      expect([401, 403, 500]).not.toContain(reply.status);
      return;
    }
    expect([reply.status, reply.json]).toEqual([
      403,
      {
        status: 'failure',
        code: 'missing_scope',
        request_id: reply.headers['x-request-id'],
        errors: { authorization: [`This key lacks the scope "${needed}": use one that has it.`] },
      },
    ]);
  });
});
