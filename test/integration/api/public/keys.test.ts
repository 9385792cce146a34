import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revokeApiKey } from '../../../../src/core/organizations/keys.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import { createKey } from '../../../support/keys.ts';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const withKey = (key: string, method: string, path: string, body?: unknown) =>
  api.send({
    method,
    path: `/api/v1/orgs/acme/${path}`,
    headers: { authorization: key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
async function findKeyOrganization(id: string) {
  const key = api.store.db.selectFrom('api_keys').select('organization_id as organizationId').where('id', '=', id);
  return key.executeTakeFirstOrThrow();
}
const listed = async (): Promise<Json[]> => (await api.get('keys')).json.data;

describe('a created key', () => {
  test('a new key opens what its scopes allow, and only its creation shows it', async () => {
    const sent = { name: ' Campaign tool ', scopes: ['read'], expires_at: '2099-01-01T00:00:00Z' };
    const { status, json } = await api.post('keys', sent);
    expect([status, json]).toEqual([
      201,
      {
        type: 'api_key',
        id: expect.stringMatching(/^\w{8}$/),
        name: 'Campaign tool',
        scopes: ['read'],
        status: 'active',
        created_at: expect.any(String),
        created_by: { key_id: api.organization.api_key.slice(8, 16), name: 'first key' },
        created_by_user: null,
        expires_at: '2099-01-01T00:00:00.000+00:00',
        revoked_at: null,
        last_used_at: null,
        key: expect.stringMatching(/^ts_live_/),
      },
    ]);
    expect((await withKey(json.key, 'GET', 'ads')).status).toBe(200);
    expect((await withKey(json.key, 'POST', 'ads', {})).status).toBe(403);
    const text = JSON.stringify(await listed());
    expect([text.includes(json.id), text.includes(json.key.slice(-43))]).toEqual([true, false]);
  });

  test('a use of a key shows in the list', async () => {
    const { json } = await api.post('keys', { name: 'Used', scopes: ['read'] });
    await withKey(json.key, 'GET', 'ads');
    const row = (await listed()).find(({ id }) => id === json.id);
    expect(Date.parse(row.last_used_at)).toBeGreaterThanOrEqual(Date.parse(row.created_at));
  });

  test.each([
    [{ scopes: ['read'] }, 'name'],
    [{ name: ' ', scopes: ['read'] }, 'name'],
    [{ name: 'x'.repeat(101), scopes: ['read'] }, 'name'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['root'] }, 'scopes.0'],
    [{ name: 'x', scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', scopes: ['read'], expires_at: 'tomorrow' }, 'expires_at'],
  ])('a key is not created from %j', async (body, field) => {
    const { status, json } = await api.post('keys', body);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });
});

describe('a revoked key', () => {
  test('a revoked key opens nothing and stays in the list', async () => {
    const { json } = await api.post('keys', { name: 'Old', scopes: ['read'] });
    const revoked = await api.remove(`keys/${json.id}`);
    expect([revoked.status, revoked.json.status]).toEqual([200, 'revoked']);
    expect((await withKey(json.key, 'GET', 'ads')).status).toBe(401);
    const again = await api.remove(`keys/${json.id}`);
    expect(again.json.revoked_at).toBe(revoked.json.revoked_at);
    expect((await listed()).find(({ id }) => id === json.id).status).toBe('revoked');
  });

  test('the last key with the scope admin cannot be revoked, also not by two requests at the same time', async () => {
    const first = api.organization.api_key.slice(8, 16);
    const refused = await api.remove(`keys/${first}`);
    expect([refused.status, refused.json.errors.id[0]]).toEqual([409, expect.stringContaining('last key')]);
    const { id: second } = await createKey(api.store.db, 'acme');
    const { organizationId } = await findKeyOrganization(first);
    const revoke = (id: string) =>
      api.store.db
        .transaction()
        .execute((tx) => revokeApiKey(tx, { organizationId, id }, { ...OPERATOR, type: 'api_key' }));
    const results = await Promise.allSettled([revoke(first), revoke(second)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
