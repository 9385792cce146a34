import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { removeSet } from '../../../src/core/removal/removal.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { type PagesServer, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

let server: PagesServer;
preparePages((started) => {
  ({ server } = started);
});

async function ask(path: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const response = await fetch(server.url + path, { headers, redirect: 'manual', signal: AbortSignal.timeout(60_000) });
  return [response.status, await response.text()];
}

it('the pages of a removed set, its pictures and its share links say that they were removed', async () => {
  const { db } = server.store;
  const { setId } = await seedSet(server, {
    status: 'approved',
    shots: [{ site: 'https://a.example/', device: 'desktop', ad: 'a' }],
  });
  const { id: screenshotId } = await db
    .selectFrom('screenshots')
    .select('id')
    .where('set_id', '=', setId)
    .executeTakeFirstOrThrow();
  const linkId = randomUUID();
  await db
    .insertInto('share_links')
    .values({
      id: linkId,
      organization_id: server.organizationId,
      set_id: setId,
      label: '',
      expires_at: new Date(Date.now() + 86_400_000),
    })
    .execute();
  const link = `/s/${shareToken(server.secret, linkId)}`;
  const key = { authorization: `Bearer ${server.apiKey}` };
  const pages = [`/o/demo/screenshot_sets/${setId}`, `/o/demo/screenshots/${screenshotId}`];
  for (const path of pages) expect([path, (await ask(path, key))[0]]).toEqual([path, 200]);
  expect((await ask(link))[0]).toBe(200);

  await db.transaction().execute((tx) => removeSet(tx, { organizationId: server.organizationId, id: setId }, OPERATOR));
  for (const path of pages)
    expect([path, ...(await ask(path, key))]).toEqual([path, 410, expect.stringContaining('was deleted')]);
  expect(await ask(link)).toEqual([410, expect.stringContaining('These pictures were removed')]);
});

it('the settings page says how long sets are kept, and changes it', async () => {
  const key = { authorization: `Bearer ${server.apiKey}` };
  expect((await ask('/o/demo/settings', key))[1]).toContain('They stay until they are deleted.');
  const save = (days: string) =>
    fetch(`${server.url}/o/demo/settings/retention`, {
      method: 'POST',
      headers: key,
      body: new URLSearchParams({ set_retention_days: days }),
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    });
  expect((await save('45')).status).toBe(303);
  expect((await ask('/o/demo/settings', key))[1]).toContain('45 days after the request.');
  const faulty = await save('0');
  expect([faulty.status, await faulty.text()]).toEqual([
    422,
    expect.stringMatching(/name="set_retention_days"[^>]* value="0"[^>]* aria-invalid="true"/),
  ]);
  expect((await save('')).status).toBe(303);
  expect((await ask('/o/demo/settings', key))[1]).toContain('They stay until they are deleted.');
});
