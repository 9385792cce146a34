import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { disableOrganization, enableOrganization } from '../../../src/core/organizations/organizations.ts';
import { cutBoxes, follow, opened, openPage, visit } from './browser.ts';
import { type Seeded, seedDelivery, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
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
    await disableOrganization(server.store.db, 'demo');
    try {
      const { status, text } = await ask(path);
      expect([status, text.includes('not available at the moment'), text.includes('Autumn')]).toEqual([
        403,
        true,
        false,
      ]);
    } finally {
      await enableOrganization(server.store.db, 'demo');
    }
    expect((await ask(path)).status).toBe(200);
  });
});

describe('sharing in a browser', () => {
  it('a message about what was sent leaves by itself', async () => {
    const { path } = await linkTo((await secretSet()).setId);
    const { page } = await openPage();
    await page.goto(`${server.url}${path}?notice=answered`);
    const toast = page.getByText('Thank you. Your answer was sent.');
    await toast.evaluate((element) => {
      for (const animation of element.getAnimations()) animation.finish();
    });
    await toast.waitFor({ state: 'hidden' });
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
    const { page } = await visit(server, `${server.url}/o/demo/screenshot_sets/${setId}`, { javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByLabel('For whom').fill('Anna & Co');
    await page.getByLabel('Valid for').selectOption('7');
    await follow(page.getByRole('button', { name: 'Create the link' }));
    const address = await page.getByLabel('Address of Anna & Co').inputValue();
    expect(await page.locator('.shares').textContent()).toMatch(/by first key, valid until .*never opened/);
    const reader = await openPage();
    await reader.page.goto(address);
    expect(await reader.page.locator('.shared figure').count()).toBe(2);
    await follow(page.getByRole('button', { name: 'Revoke' }));
    expect(await page.locator('.shares .badge').textContent()).toBe('Revoked');
    expect((await reader.page.reload())?.status()).toBe(410);
    expect(reader.faults.filter((fault) => !fault.includes('410'))).toEqual([]);
  });

  it('the address of a new link is in the clipboard', async () => {
    const { setId } = await secretSet();
    const { page, faults } = await visit(server, `${server.url}/o/demo/screenshot_sets/${setId}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByLabel('For whom').fill('Anna');
    await follow(page.getByRole('button', { name: 'Create the link' }));
    await page.locator('.toast').getByText('Link copied.').waitFor();
    const address = await page.getByLabel('Address of Anna').inputValue();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
    expect(await page.locator('.shares li').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it('a shared page shows thumbnails, and each picture large without anything of the organization', async () => {
    const { setId } = await secretSet();
    const { path } = await linkTo(setId);
    const { page, faults } = await openPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(server.url + path);
    await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
    expect(asked.filter((each) => each.endsWith('.png'))).toEqual([]);
    expect(asked.filter((each) => each.endsWith('.webp')).length).toBe(2);
    await follow(page.locator('.shot a.frame').first());
    expect(await page.locator('.picture-head .count').textContent()).toBe('1 of 2');
    await opened(page, () => page.keyboard.press('ArrowRight'));
    expect(await page.locator('.stage img').getAttribute('src')).toContain('1080x2400');
    expect(await page.locator('main form[method="post"]').count()).toBe(0);
    expect(asked.filter((each) => each.startsWith('/o/') || each.endsWith('.png'))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('a shared page fits a phone and sends its address to no server', async () => {
    const { setId } = await seedSet(server, {
      status: 'approved',
      campaign: 'A campaign with a rather long name '.repeat(4),
      shots: [0, 1500, 3000].map((markerMs) => ({ site: NEWS, device: 'desktop' as const, markerMs })),
    });
    const { path } = await linkTo(setId);
    const { page, faults } = await openPage({ viewport: { width: 390, height: 844 } });
    const referers: string[] = [];
    page.on('request', (request) => referers.push(request.headers()['referer'] ?? ''));
    await page.goto(server.url + path);
    await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await cutBoxes(page)).toEqual([]);
    expect(referers.filter((referer) => referer.includes('/s/'))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('a shared page on paper has no controls and no cut pictures', async () => {
    const at = (markerMs: number) => ({ site: NEWS, device: 'desktop' as const, markerMs });
    const { setId } = await seedSet(server, {
      status: 'approved',
      shots: [at(0), at(1500), at(3000), { site: NEWS, device: 'mobile' }, { site: 'blog.example', device: 'ipad' }],
    });
    const { path } = await linkTo(setId);
    const { page } = await openPage({ viewport: { width: 794, height: 1123 }, colorScheme: 'dark' });
    await page.goto(server.url + path);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
    expect(await cutBoxes(page)).toEqual([]);
    expect(await page.locator('header.top, .skip, form, button, nav').filter({ visible: true }).count()).toBe(0);
    const breaks = await page
      .locator('figure')
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).breakInside));
    expect(new Set(breaks)).toEqual(new Set(['avoid']));
    expect(await page.locator('h1').evaluate((h1) => getComputedStyle(h1).color)).toBe('rgb(26, 29, 31)');
  });

  it('the page of a set on paper has no controls and no secret link', async () => {
    const { setId } = await secretSet();
    await linkTo(setId);
    const { page } = await visit(server, `${server.url}/o/demo/screenshot_sets/${setId}?tab=shared`, {
      viewport: { width: 794, height: 1123 },
    });
    expect(await page.getByLabel('Address of For Anna').isVisible()).toBe(true);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('form, button, input').filter({ visible: true }).count()).toBe(0);
    expect(await cutBoxes(page)).toEqual([]);
  });
});

describe('a picture that was taken again', () => {
  it('the page of a set shows the newest picture, and that it was taken again', async () => {
    const { setId, shotIds } = await secretSet();
    const retake = await seedRetake(server, setId, shotIds[0] ?? '', 'approved');
    const fixed = await seedRetake(server, setId, shotIds[2] ?? '', 'approved');
    const { page, faults } = await visit(server, `${server.url}/o/demo/screenshot_sets/${setId}`);
    const figure = page.locator(`#screenshot-${shotIds[0]}`);
    expect(await figure.locator('img').getAttribute('src')).toContain(retake.token);
    expect(await figure.locator('time').getAttribute('datetime')).toBe('2026-11-22T10:00:00.000Z');
    expect(await page.locator(`#screenshot-${shotIds[2]} img`).getAttribute('src')).toContain(fixed.token);
    expect(await page.getByRole('link', { name: 'Failed' }).count()).toBe(0);
    await page.goto(`${server.url}/o/demo/screenshot_sets/${retake.setId}`);
    expect(await page.locator('#head').textContent()).toContain('This set is a retake of an earlier set');
    expect(faults).toEqual([]);
  });
});
