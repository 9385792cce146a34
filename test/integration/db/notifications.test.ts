import { expect, test } from 'vitest';
import { openStore } from '../../../src/db/database.ts';
import { notify, openNotifications } from '../../../src/db/notifications.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

test('a handler that throws is reported, and the other handlers get this change and the next ones', async () => {
  const database = await testDatabase();
  const store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  const errors: string[] = [];
  const notifications = openNotifications(database.url, { onError: ({ message }) => errors.push(message) });
  const heard: unknown[] = [];
  try {
    await notifications.ready;
    notifications.subscribe(() => {
      throw new Error('A handler that fails.');
    });
    notifications.subscribe((change) => heard.push(change));
    await notify(store.db, { set: 'a' });
    await notify(store.db, { set: 'b' });
    await eventually(() => expect(heard).toEqual([{ set: 'a' }, { set: 'b' }]));
    expect(errors).toEqual(['A handler that fails.', 'A handler that fails.']);
  } finally {
    await notifications.close();
    await store.close();
    await database.close();
  }
});
