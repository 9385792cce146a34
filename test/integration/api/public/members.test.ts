/** Members and invitations by the API. The rules are tested with the pages, which call the same actions. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addMember } from '../../../../src/core/people/members.ts';
import { insertUser } from '../../../../src/core/people/users.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import type { Mail } from '../../../../src/mail/mailer.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
const mails: Mail[] = [];
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

async function newMember(name: string, role: 'owner' | 'viewer'): Promise<string> {
  const { db } = api.store;
  const { id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const userId = await insertUser(db, { email: `${name}@example.com`, name });
  await addMember(db, { organizationId, userId, role }, OPERATOR);
  return userId;
}

const change = (id: string, role: string) =>
  api.send({
    method: 'PATCH',
    path: `/api/v1/orgs/acme/members/${id}`,
    headers: { authorization: `Bearer ${api.organization.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ role }),
  });

test('members are listed in pages, get other roles and are removed, except the last owner', async () => {
  const [ann, ben] = [await newMember('ann', 'owner'), await newMember('ben', 'viewer')];
  const { json } = await api.get('members?page=2&per_page=1');
  expect(json).toMatchObject({ total: 2, page: 2, data: [{ type: 'member', user_id: ben, email: 'ben@example.com' }] });
  expect((await change(ben, 'reviewer')).json).toMatchObject({ user_id: ben, role: 'reviewer', by_rule: false });
  expect([(await change(ann, 'viewer')).status, (await change(ben, 'king')).status]).toEqual([409, 422]);
  expect([(await api.remove(`members/${ann}`)).status, (await api.remove(`members/${ben}`)).status]).toEqual([
    409, 204,
  ]);
  expect([(await change(ben, 'viewer')).status, (await api.get('members')).json.total]).toEqual([404, 1]);
});

test('an invitation without a mail server has a link to pass on, and one by e-mail has none', async () => {
  const wanted = { email: 'Cat@Example.com', role: 'manager' };
  const { status, json } = await api.post('invitations', wanted);
  expect([status, json]).toEqual([
    201,
    expect.objectContaining({
      email: 'cat@example.com',
      role: 'manager',
      html_url: expect.stringContaining('/invitations/'),
    }),
  ]);
  expect(JSON.stringify((await api.get('invitations')).json)).not.toContain('/invitations/');
  const replica = await api.startReplica({
    mailer: { send: async (mail) => void mails.push(mail), verify: async () => undefined },
  });
  const headers = { authorization: `Bearer ${api.organization.api_key}`, 'content-type': 'application/json' };
  const sent = await fetch(`${replica}/api/v1/orgs/acme/invitations`, {
    method: 'POST',
    headers,
    body: JSON.stringify(wanted),
  });
  expect(await sent.json()).toMatchObject({ id: json.id, html_url: null });
  expect(mails.map(({ to }) => to)).toEqual(['cat@example.com']);
  expect([(await api.remove(`invitations/${json.id}`)).status, (await api.get('invitations')).json.total]).toEqual([
    204, 0,
  ]);
});

test.each([
  '',
  'nobody',
  'a@b',
  'a b@c.example',
  'a@b.example,c@d.example',
  'a@b.example\r\nBcc: c@d.example',
  '<a@b.example>',
])('the address "%s" is refused', async (email) => {
  expect((await api.post('invitations', { email, role: 'viewer' })).status).toBe(422);
});
