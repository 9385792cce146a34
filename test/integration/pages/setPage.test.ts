import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notify } from '../../../src/store/database/notifications.ts';
import { openBrowser, openPage, signIn } from './browser.ts';
import { type PagesServer, readReview, seedDelivery, seedPicture, seedSet, startPages } from './pagesServer.ts';

let server: PagesServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startPages(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const NEWS = 'https://news.example/front';
const BLOG = 'https://blog.example/post';

describe('the page of a set', () => {
  it('the page of a set shows its pictures by site and device after pasting a key', async () => {
    const { setId } = await seedSet(server, {
      status: 'approved',
      shots: [
        { site: NEWS, device: 'desktop' },
        { site: NEWS, device: 'mobile' },
        { site: BLOG, device: 'desktop' },
        { site: BLOG, device: 'desktop', ad: 'Leaderboard' },
      ],
    });
    const { page, faults } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    expect(page.url()).toBe(setAddress(setId));
    expect(await page.locator('.site > header h2').allTextContents()).toEqual(['news.example', 'blog.example']);
    expect(await page.locator('.site').first().locator('.device').count()).toBe(2);
    await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
    const widths = await page
      .locator('.screenshot img')
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
    expect(widths).toEqual([1440, 1080, 1440, 1440]);
    expect(faults).toEqual([]);
  });

  it('the page of a set shows the frames of several markers as a film strip, ordered by marker', async () => {
    const at = (markerMs: number) => ({ site: NEWS, device: 'desktop' as const, markerMs });
    const { setId } = await seedSet(server, { status: 'approved', shots: [at(2000), at(0), at(1500)] });
    const { page } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    expect(await page.locator('.strip.film .marker').allTextContents()).toEqual(['0.0 s', '1.5 s', '2.0 s']);
  });

  it('the page of a set shows each failure with its reason and advice', async () => {
    const { setId } = await seedSet(server, {
      status: 'approved',
      shots: [
        { site: NEWS, device: 'desktop' },
        { site: BLOG, device: 'desktop', status: 'no_slots', reason: 'The page has 2 slots, the largest 120×60.' },
        { site: BLOG, device: 'mobile', status: 'no_slots', reason: 'The page has 2 slots, the largest 120×60.' },
      ],
    });
    const { page } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    const failures = page.locator('#failures');
    expect(await failures.locator('h2').textContent()).toBe('2 of 3 failed');
    expect(await failures.locator('li').count()).toBe(1);
    expect(await failures.textContent()).toContain('The page has 2 slots, the largest 120×60.');
    expect(await failures.textContent()).toContain('Choose a page of the site that has a slot');
  });

  it('the page of a set shows the warnings of a picture beside that picture only', async () => {
    const shots = [NEWS, BLOG].map((site) => ({ site, device: 'desktop' as const }));
    const { setId, shotIds } = await seedSet(server, { status: 'approved', shots });
    const warnings = JSON.stringify([
      { code: 'scaled', message: 'The ad is shown at 80 %.' },
      { code: 'image_not_loaded', message: 'An image did not load.' },
    ]);
    await server.store.db
      .updateTable('screenshots')
      .set({ warnings })
      .where('id', '=', shotIds[1] ?? '')
      .execute();
    const { page } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    const texts = page.locator(`#screenshot-${shotIds[1]} .warnings li`);
    expect(await texts.allTextContents()).toEqual(['The ad is shown at 80 %.', 'An image did not load.']);
    expect(await page.locator('.warnings').count()).toBe(1);
  });

  it('the page of a set opens the provenance record of a picture', async () => {
    const { setId } = await seedSet(server, { status: 'approved', shots: [{ site: NEWS, device: 'desktop' }] });
    const { page } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    await page.getByText('Placement preview record').click();
    const record = page.locator('.provenance dl');
    expect(await record.textContent()).toMatch(/captured\s*21 Nov 2026, 09:30:05 UTC/);
    expect(await record.textContent()).toMatch(/browser\s*156\.0\.8078\.73/);
    expect(await record.getByText('exact size').isVisible()).toBe(true);
  });

  it('the page updates without a reload while pictures are made, and stops when the set is settled', async () => {
    const pending = { site: NEWS, status: 'pending' } as const;
    const { setId, shotIds } = await seedSet(server, {
      shots: [
        { ...pending, device: 'desktop' },
        { ...pending, device: 'mobile' },
      ],
    });
    const { page, faults } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    await page.evaluate(() => document.body.setAttribute('data-same', 'yes'));
    const picture = (i: number) => page.locator(`#screenshot-${shotIds[i]} img`);
    expect(await picture(0).count()).toBe(0);
    expect(await page.locator('#head progress').getAttribute('value')).toBe('0');

    await finishShot(setId, shotIds[0] ?? '', '1440x900');
    await picture(0).waitFor();
    expect(await page.locator('#head').textContent()).toContain('1 captured, 1 in progress');
    expect(await picture(1).count()).toBe(0);

    await finishShot(setId, shotIds[1] ?? '', '1080x2400');
    await settle(setId);
    await picture(1).waitFor();
    await page.locator('.head .state.approved').waitFor();
    expect(await page.locator('body').getAttribute('data-same')).toBe('yes');
    expect(faults).toEqual([]);
  });

  it('the page keeps details open during live updates', async () => {
    const { setId, shotIds } = await seedSet(server, {
      shots: [
        { site: NEWS, device: 'desktop' },
        { site: NEWS, device: 'mobile', status: 'pending' },
      ],
    });
    const { page } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    await page.getByText('Placement preview record').first().click();
    await finishShot(setId, shotIds[1] ?? '', '1080x2400');
    await page.locator(`#screenshot-${shotIds[1]} img`).waitFor();
    expect(await page.locator(`#screenshot-${shotIds[0]} details`).getAttribute('open')).toBe('');
  });

  it('the page of a set shows the same without scripts', async () => {
    const { setId } = await seedSet(server, { status: 'in_review', shots: [{ site: NEWS, device: 'desktop' }] });
    const { page } = await openPage(browser, { javaScriptEnabled: false });
    await signIn(page, server, setAddress(setId));
    expect(await page.locator('.screenshot img').count()).toBe(1);
    await page.getByLabel('Notes for the review').fill('Looks right.');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.head .state.approved').waitFor();
    expect(await page.locator('.head').textContent()).toContain('Looks right.');
    expect(await readReview(server, setId)).toEqual({
      status: 'approved',
      notes: 'Looks right.',
      cancelRequested: false,
    });
  });

  it('a reviewer can reject a set with notes and cancel a running one', async () => {
    const reviewed = await seedSet(server, { status: 'in_review', shots: [{ site: NEWS, device: 'desktop' }] });
    const running = await seedSet(server, { shots: [{ site: NEWS, device: 'desktop', status: 'pending' }] });
    const { page } = await openPage(browser);
    await signIn(page, server, setAddress(reviewed.setId));
    await page.getByLabel('Notes for the review').fill('Wrong creative.');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.waitForURL(setAddress(reviewed.setId));
    expect(await readReview(server, reviewed.setId)).toMatchObject({ status: 'rejected', notes: 'Wrong creative.' });
    await page.goto(setAddress(running.setId));
    await page.getByRole('button', { name: 'Cancel this set' }).click();
    await page.getByText('canceling').waitFor();
    expect(await readReview(server, running.setId)).toEqual({
      status: 'capturing',
      notes: null,
      cancelRequested: true,
    });
  });

  it('the page lists deliveries with their attempts and sends one again', async () => {
    const { setId } = await seedSet(server, { status: 'approved', shots: [{ site: NEWS, device: 'desktop' }] });
    const target = 'https://hooks.example/tearsheet?secret=hush';
    const id = await seedDelivery(server, { setId, target, status: 'retries_exhausted', error: 'answered 500' });
    const { page } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    const deliveries = page.locator('#deliveries');
    expect(await deliveries.textContent()).not.toContain('hush');
    expect(await deliveries.locator('.state').textContent()).toBe('Failed after 1 attempt');
    await deliveries.locator('summary', { hasText: '1 attempt' }).click();
    expect(await deliveries.locator('tbody').textContent()).toContain('failed: answered 500');
    await deliveries.getByRole('button', { name: 'Send again' }).click();
    await page.waitForURL(setAddress(setId));
    expect(server.enqueued.at(-1)).toEqual({ name: 'deliver', delivery_id: id });
  });

  it('the page shows names, reasons, notes and addresses that contain code as text', async () => {
    const attack = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
    const { setId } = await seedSet(server, {
      status: 'approved',
      campaign: attack,
      instructions: attack,
      shots: [
        { site: NEWS, device: 'desktop', ad: attack },
        { site: 'javascript:alert(3)', device: 'desktop', status: 'blocked', reason: attack },
        {
          site: `https://x.example/${attack}`,
          device: 'mobile',
          status: 'generic_error',
          reason: `</script>${attack}`,
        },
      ],
    });
    await seedDelivery(server, { setId, target: `https://h.example/${attack}`, status: 'delivered', error: attack });
    const { page, faults } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    expect(await page.locator('h1').textContent()).toBe(attack);
    expect(await page.locator('img[src="x"], script:not([src]), a[href^="javascript"]').count()).toBe(0);
    expect(await page.locator('.failures .reason').first().textContent()).toBe(attack);
    await page.goto(`${server.url}/o/demo`);
    expect(await page.locator('.sets li').first().locator('strong').textContent()).toBe(attack);
    expect(faults).toEqual([]);
  });

  it('the writing direction of a name ends with the name', async () => {
    const { setId } = await seedSet(server, {
      shots: [
        { site: NEWS, device: 'desktop', ad: 'Spring \u202E' },
        { site: NEWS, device: 'desktop', ad: 'Autumn \u202E', status: 'blocked', reason: 'It refused.' },
      ],
    });
    const { page } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    const left = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().x);
    expect(await page.locator('.strip h4 bdi').first().textContent()).toBe('Spring \u202E');
    expect(await page.locator('.failures .address bdi').first().textContent()).toBe('Autumn \u202E');
    expect(await left('.strip h4 bdi')).toBeLessThan(await left('.strip h4 .meta'));
  });

  it('the page allows no inline code, no other servers and no embedding in a frame', async () => {
    const { setId } = await seedSet(server, { shots: [{ site: NEWS, device: 'desktop', status: 'pending' }] });
    const { page } = await openPage(browser);
    await signIn(page, server, setAddress(setId));
    const response = await page.reload();
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'document.body.dataset.injected = "yes"';
      document.body.append(script);
      return document.body.dataset['injected'] ?? 'no';
    });
    expect(ran).toBe('no');
  });
});

async function finishShot(setId: string, id: string, size: string): Promise<void> {
  const { db } = server.store;
  const token = await seedPicture(db, server.organizationId, size);
  await db.transaction().execute(async (tx) => {
    const taken = { status: 'uploaded', image_token: token, captured_at: new Date() } as const;
    await tx.updateTable('screenshots').set(taken).where('id', '=', id).execute();
    await notify(tx, { set: setId });
  });
}

async function settle(setId: string): Promise<void> {
  await server.store.db.transaction().execute(async (tx) => {
    await tx
      .updateTable('screenshot_sets')
      .set({ status: 'approved', settled_at: new Date() })
      .where('id', '=', setId)
      .execute();
    await notify(tx, { set: setId });
  });
}
