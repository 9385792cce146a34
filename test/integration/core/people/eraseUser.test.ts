import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eraseUser } from '../../../../src/core/people/eraseUser.ts';
import { addMember } from '../../../../src/core/people/members.ts';
import { startSession } from '../../../../src/core/people/sessions.ts';
import { insertUser } from '../../../../src/core/people/users.ts';
import { OLD_ROWS } from '../../../../src/core/removal/oldRows.ts';
import { listThreads } from '../../../../src/core/reviews/commentQueries.ts';
import type { Store } from '../../../../src/db/database.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import type { Role } from '../../../../src/domain/roles.ts';
import { insertAd, insertOrganization, insertSet } from '../../../support/insertRows.ts';
import { testStore } from '../../../support/testStore.ts';

let store: Store;
beforeEach(async () => {
  store = await testStore();
});
afterEach(() => store.close());

const erase = (email: string) => store.db.transaction().execute((tx) => eraseUser(tx, email));

async function insertMember(organizationId: string, email: string, role: Role): Promise<string> {
  const userId = await insertUser(store.db, { email, name: `Ann of ${email}` });
  await addMember(store.db, { organizationId, userId, role }, OPERATOR);
  return userId;
}

test('an erased person leaves no name, address or session, and the comments are by a former member', async () => {
  const { db } = store;
  const organization = await insertOrganization(db);
  const adId = await insertAd(db, organization);
  const setId = await insertSet(db, organization, { pictures: [{ adId, site: 'https://a.example/' }] });
  const organizationId = organization.id;
  await insertMember(organizationId, 'bob@example.com', 'owner');
  const userId = await insertMember(organizationId, 'ann@example.com', 'owner');
  await startSession(db, { userId, method: 'link', userAgent: undefined, address: null });
  await db
    .insertInto('comments')
    .values({ id: randomUUID(), organization_id: organizationId, set_id: setId, body: 'Fine.', user_id: userId })
    .execute();
  await erase('ann@example.com');
  const { rows } = await listThreads(db, { setIds: [setId] }, { page: 1, perPage: 10 });
  expect(rows.map(({ user_name }) => user_name)).toEqual(['A former member']);
  const users = await db.selectFrom('users').select('email').orderBy('email').execute();
  expect(users).toEqual([{ email: 'bob@example.com' }, { email: null }]);
  expect(await db.selectFrom('user_sessions').selectAll().execute()).toEqual([]);
  await expect(erase('ann@example.com')).rejects.toThrow();
  const other = await insertMember(organizationId, 'other@example.com', 'viewer');
  await db.updateTable('users').set({ email: null }).where('id', '=', other).execute();
  await erase(other);
  expect(await db.selectFrom('memberships').selectAll().where('user_id', '=', other).execute()).toEqual([]);
  await expect(erase('bob@example.com')).rejects.toThrow();
});

test('maintenance deletes people whom nothing names any more', async () => {
  const { db } = store;
  const organizationId = (await insertOrganization(db)).id;
  await insertMember(organizationId, 'member@example.com', 'owner');
  const userId = await insertUser(db, { email: 'signed-in@example.com', name: 'Sue' });
  await startSession(db, { userId, method: 'link', userAgent: undefined, address: null });
  await insertUser(db, { email: 'gone@example.com', name: 'Gus' });
  expect(await OLD_ROWS.user(db, 10)).toBe(1);
  expect(await OLD_ROWS.user(db, 10)).toBe(0);
  const emails = (await db.selectFrom('users').select('email').execute()).map(({ email }) => email);
  expect(emails.toSorted()).toEqual(['member@example.com', 'signed-in@example.com']);
});
