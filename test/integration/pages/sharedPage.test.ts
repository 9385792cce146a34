import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { saveBranding } from '../../../src/core/organizations/branding.ts';
import { setDisabled } from '../../../src/core/organizations/operator.ts';
import { DEFAULT_BRANDING } from '../../../src/domain/branding.ts';
import { type Seeded, seedDelivery, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { open, read } from './reading.ts';
import { RequestForm } from './requestForm.ts';
import { seedRetake } from './seedRetake.ts';

const server = preparePages();

const NEWS = 'https://news.example/front?preview=hush';

interface Link {
  readonly id: string;
  readonly path: string;
}

async function linkTo(setId: string, given: { expires?: string; revoked?: boolean } = {}): Promise<Link> {
  const id = randomUUID();
  await server.store.db
    .insertInto('share_links')
    .values({
      ...{ id, organization_id: server.organizationId, set_id: setId, label: 'For Anna' },
      expires_at: given.expires ?? new Date(Date.now() + 3_600_000),
      revoked_at: given.revoked === true ? new Date() : null,
    })
    .execute();
  return { id, path: `/s/${shareToken(server.secret, id)}` };
}

async function ask(path: string): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(server.url + path, { redirect: 'manual', signal: AbortSignal.timeout(60_000) });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** A set with everything that a shared page must not show. */
async function secretSet(): Promise<Seeded> {
  const seeded = await seedSet(server, {
    campaign: `Autumn ${randomUUID()}`,
    status: 'approved',
    instructions: 'Hidden instructions',
    shots: [
      { site: NEWS, device: 'desktop', ad: 'internal-ad-name' },
      { site: NEWS, device: 'mobile', ad: 'internal-ad-name' },
      { site: 'https://blog.example/', device: 'desktop', status: 'no_slots', reason: 'Hidden reason' },
    ],
  });
  const { db } = server.store;
  const values = { review_notes: 'Hidden notes' };
  await db.updateTable('screenshot_sets').set(values).where('id', '=', seeded.setId).execute();
  await db
    .updateTable('ads')
    .set({ lookup_key: 'hidden-key' })
    .where('id', '=', seeded.adIds[0] ?? '')
    .execute();
  await seedDelivery(server, { setId: seeded.setId, target: 'https://hooks.example/', status: 'delivered' });
  await db
    .insertInto('reviews')
    .values({
      set_id: seeded.setId,
      screenshot_id: seeded.shotIds[0] ?? '',
      decision: 'approved',
      comment: 'Hidden comment',
    })
    .execute();
  return seeded;
}

describe('the page of a share link', () => {
  it('a shared page shows pictures with site, device and time, and nothing else of the set', async () => {
    const { setId, adIds, shotIds } = await secretSet();
    const { path } = await linkTo(setId);
    const { status, text, headers } = await ask(path);
    expect(status).toBe(200);
    for (const shown of [
      'Autumn',
      'news.example/front',
      'Desktop',
      'Android phone',
      'internal-ad-name',
      '21 Nov 2026<',
    ]) {
      expect(text).toContain(shown);
    }
    for (const hidden of ['Hidden', 'hidden-key', 'hush', 'hooks.example', 'blog.example', 'For Anna', 'demo']) {
      expect(text, hidden).not.toContain(hidden);
    }
    for (const id of [setId, ...adIds, ...shotIds]) expect(text).not.toContain(id);
    expect(text).not.toMatch(/<form|API key|<input|candidates|no_slots/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('a link to approved pictures shows no other ones, and a link with a password shows none without it', async () => {
    const { setId, shotIds } = await secretSet();
    const { id, path } = await linkTo(setId);
    const { db } = server.store;
    const change = (values: { pictures?: 'approved'; password_hash?: Buffer }) =>
      db.updateTable('share_links').set(values).where('id', '=', id).execute();
    await db.updateTable('screenshot_sets').set({ status: 'in_review' }).where('id', '=', setId).execute();
    const approved = db.updateTable('screenshots').set({ decision: 'approved' });
    await approved.where('id', '=', shotIds[0] ?? '').execute();
    const pictures = async () => [...(await ask(path)).text.matchAll(/<img /g)].length;
    expect(await pictures()).toBe(2);
    await change({ pictures: 'approved' });
    expect(await pictures()).toBe(1);
    await change({ password_hash: Buffer.alloc(48) });
    for (const each of [path, `${path}/events`, `${path}/brand.css`, `${path}/export?format=zip`]) {
      const { status, text } = await ask(each);
      expect([status, text.includes('<img '), text.includes('Autumn')], each).toEqual([403, false, false]);
    }
  });

  it('a shared page shows no rejected picture, and nothing of a rejected set', async () => {
    const { setId, shotIds } = await secretSet();
    const { path } = await linkTo(setId);
    const pictures = async () => [...(await ask(path)).text.matchAll(/<img /g)].length;
    expect(await pictures()).toBe(2);
    const { db } = server.store;
    await db
      .updateTable('screenshots')
      .set({ decision: 'rejected' })
      .where('id', '=', shotIds[0] ?? '')
      .execute();
    expect(await pictures()).toBe(1);
    await db.updateTable('screenshot_sets').set({ status: 'rejected' }).where('id', '=', setId).execute();
    expect(await pictures()).toBe(0);
    expect((await ask(path)).text).toContain('There are no pictures to show.');
  });

  it('a retake replaces a picture on a shared page when it is approved', async () => {
    const { setId, shotIds } = await secretSet();
    const retake = await seedRetake(server, setId, shotIds[0] ?? '', 'in_review');
    const { path } = await linkTo(setId);
    expect((await ask(path)).text).not.toContain(retake.token);
    await server.store.db
      .updateTable('screenshots')
      .set({ decision: 'approved' })
      .where('set_id', '=', retake.setId)
      .execute();
    const { text } = await ask(path);
    expect(text).toContain(retake.token);
    expect(text).toContain('22 Nov 2026<');
    expect([...text.matchAll(/<img /g)].length).toBe(2);
  });

  it('opening a shared page is noted', async () => {
    const { setId } = await secretSet();
    const { id, path } = await linkTo(setId);
    await Promise.all([ask(path), ask(path), ask(path)]);
    const row = await server.store.db
      .selectFrom('share_links')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect([row.uses, row.last_used_at]).toEqual([1, expect.any(Date)]);
  });
});

describe('a link that shows nothing', () => {
  it('an expired and a revoked link say so, and show nothing else', async () => {
    const { setId } = await secretSet();
    const expired = await ask((await linkTo(setId, { expires: '2026-01-01T00:00:00Z' })).path);
    const revoked = await ask((await linkTo(setId, { revoked: true })).path);
    expect([expired.status, revoked.status]).toEqual([410, 410]);
    expect(expired.text).toContain('This link has expired');
    expect(revoked.text).toContain('This link was revoked');
    for (const { text } of [expired, revoked]) expect(text).not.toMatch(/API key|Autumn|demo|<form/);
  });

  it('an unknown, forged or cut link gets a page with 404, never the page that asks for a key', async () => {
    const { setId } = await secretSet();
    const { path } = await linkTo(setId);
    const forged = `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`;
    const unknown = `/s/${shareToken(server.secret, randomUUID())}`;
    for (const wrong of [forged, unknown, path.slice(0, 30), '/s/x', '/s/', `${path}/more`, `${forged}/events`]) {
      const { status, text } = await ask(wrong);
      expect([wrong, status]).toEqual([wrong, 404]);
      expect(text).toContain('There is nothing at this address');
      expect(text).not.toContain('API key');
    }
  });

  it('the live changes of a link end when it is revoked', async () => {
    const { setId } = await seedSet(server, { shots: [{ site: NEWS, device: 'desktop', status: 'pending' }] });
    const { path } = await linkTo(setId, { revoked: true });
    expect((await ask(`${path}/events`)).status).toBe(410);
  });

  it('the links of a disabled organization show nothing until it is enabled', async () => {
    const { setId } = await secretSet();
    const { path } = await linkTo(setId);
    await setDisabled(server.store.db, 'demo', true);
    try {
      const { status, text } = await ask(path);
      expect([status, text.includes('not available at the moment'), text.includes('Autumn')]).toEqual([
        403,
        true,
        false,
      ]);
    } finally {
      await setDisabled(server.store.db, 'demo', false);
    }
    expect((await ask(path)).status).toBe(200);
  });
});

describe('the forms of links', () => {
  it('each picture of a link has a page without anything of the organization', async () => {
    const page = await open(server.url + (await linkTo((await secretSet()).setId)).path);
    await page.proceed(page.locator('.shot a.frame').first());
    expect(page.locator('.picture-head .count').textContent()).toBe('1 of 2');
    expect(page.locator('main form[method="post"]').count()).toBe(0);
    expect(page.text).not.toContain('/o/demo');
  });

  it('the list of links names the person who created a link', async () => {
    const { setId } = await secretSet();
    const { id } = await linkTo(setId);
    const { db } = server.store;
    const ann = { id: randomUUID(), email: 'ann@example.com', name: 'Ann <Agency>' };
    await db.insertInto('users').values(ann).execute();
    await db.updateTable('share_links').set({ created_by_user: ann.id }).where('id', '=', id).execute();
    const text = await (await RequestForm.open(server)).get(`/o/demo/screenshot_sets/${setId}?tab=shared`);
    expect(text).toContain('by <bdi>Ann &lt;Agency&gt;</bdi>');
  });

  it('a person creates, opens and revokes a link without scripts', async () => {
    const { setId } = await secretSet();
    const page = await read(server, `${server.url}/o/demo/screenshot_sets/${setId}`);
    page.locator('#head').getByRole('button', { name: 'Share' }).click();
    page.getByLabel('For whom').fill('Anna & Co');
    page.getByLabel('Valid for').selectOption('7');
    await page.proceed(page.getByRole('button', { name: 'Create the link' }));
    const address = page.getByLabel('Address of Anna & Co').inputValue();
    expect(page.locator('.shares').textContent()).toMatch(/by first key, valid until .*never opened/);
    const reader = await open(address);
    expect(reader.locator('.shared figure').count()).toBe(2);
    await page.proceed(page.getByRole('button', { name: 'Revoke' }));
    expect(page.locator('.shares .badge').textContent()).toBe('Revoked');
    await reader.open(address, 410);
    await page.proceed(page.getByRole('button', { name: 'Undo' }));
    expect(page.locator('.shares .badge').textContent()).toBe('Valid');
    await reader.open(address);

    await saveBranding(server.store.db, server.organizationId, { ...DEFAULT_BRANDING, brand_name: 'Acme Media' });
    page.locator('.shares summary').click();
    page.getByLabel('Valid from now for').selectOption('365');
    page.getByLabel('New password').fill('blue horses');
    await page.proceed(page.getByRole('button', { name: 'Change the link' }));
    expect(page.locator('.shares').textContent()).toContain('password');
    await reader.open(address, 403);
    expect(reader.locator('.top').textContent()).toContain('Acme Media');
    expect(reader.locator('h1').textContent()).toBe('These pictures need a password');
    page.locator('.shares summary').click();
    page.getByLabel('No password').check();
    await page.proceed(page.getByRole('button', { name: 'Change the link' }));
    await reader.open(address);
    const link = server.store.db.selectFrom('share_links').select('expires_at').where('set_id', '=', setId);
    const { expires_at } = await link.executeTakeFirstOrThrow();
    expect(Math.round((expires_at.getTime() - Date.now()) / 86_400_000)).toBe(365);
  });
});

describe('a picture that was taken again', () => {
  it('the page of a set shows the newest picture, and that it was taken again', async () => {
    const { setId, shotIds } = await secretSet();
    const retake = await seedRetake(server, setId, shotIds[0] ?? '', 'approved');
    const fixed = await seedRetake(server, setId, shotIds[2] ?? '', 'approved');
    const page = await read(server, `${server.url}/o/demo/screenshot_sets/${setId}`);
    const figure = page.locator(`#screenshot-${shotIds[0]}`);
    expect(figure.locator('img').getAttribute('src')).toContain(retake.token);
    expect(figure.locator('time').getAttribute('datetime')).toBe('2026-11-22T10:00:00.000Z');
    expect(page.locator(`#screenshot-${shotIds[2]} img`).getAttribute('src')).toContain(fixed.token);
    expect(page.getByRole('link', { name: 'Failed' }).count()).toBe(0);
    await page.open(`${server.url}/o/demo/screenshot_sets/${retake.setId}`);
    expect(page.url).toBe(`${server.url}/o/demo/screenshot_sets/${setId}?tab=rounds`);
    expect(page.locator('#rounds .film').first().textContent()).toContain('Before');
    expect(page.locator('#rounds .film img').count()).toBe(3);
  });
});
