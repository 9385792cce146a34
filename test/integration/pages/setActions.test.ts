import type { Browser } from 'playwright';
import { describe, expect, it } from 'vitest';
import { follow, openPage, signIn } from './browser.ts';
import { type PagesServer, readReview, seedDelivery, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

let server: PagesServer;
let browser: Browser;
preparePages((started) => {
  ({ server, browser } = started);
});

const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const NEWS = 'https://news.example/front';

describe('actions on the page of a set', () => {
  it('the page of a set shows the same without scripts', async () => {
    const { setId } = await seedSet(server, { status: 'in_review', shots: [{ site: NEWS, device: 'desktop' }] });
    const { page } = await openPage(browser, { javaScriptEnabled: false });
    await signIn(page, server, setAddress(setId));
    expect(await page.locator('.shot img').count()).toBe(1);
    await page.getByLabel('Notes for the review').fill('Looks right.');
    await follow(page.getByRole('button', { name: 'Approve' }));
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
    await follow(page.getByRole('button', { name: 'Reject' }));
    await page.waitForURL(setAddress(reviewed.setId));
    expect(await readReview(server, reviewed.setId)).toMatchObject({ status: 'rejected', notes: 'Wrong creative.' });
    await page.goto(setAddress(running.setId));
    await page.getByText('Cancel this set').click();
    expect(await readReview(server, running.setId)).toMatchObject({ cancelRequested: false });
    await follow(page.getByRole('button', { name: 'Cancel 1 picture' }));
    await page.getByText('canceling').waitFor();
    expect(await readReview(server, running.setId)).toEqual({
      status: 'capturing',
      notes: null,
      cancelRequested: true,
    });
  });

  it('a reviewer sees only the pictures that nobody reviewed yet', async () => {
    const { setId, shotIds } = await seedSet(server, {
      status: 'in_review',
      shots: (['desktop', 'mobile', 'ipad'] as const).map((device) => ({ site: NEWS, device })),
    });
    const { page } = await openPage(browser);
    await signIn(page, server, `${server.url}/o/demo/screenshots/${shotIds[0]}`);
    await follow(page.getByRole('button', { name: 'Approve' }));
    await page.goto(setAddress(setId));
    const links = page.locator('.pills').last();
    expect(await links.textContent()).toBe('Show All 3Not reviewed 2Approved 1Rejected 0');
    await follow(page.getByRole('link', { name: 'Not reviewed 2' }));
    expect(await page.locator('.shot .what').allTextContents()).toEqual(['mobile', 'ipad']);
    await follow(page.getByRole('link', { name: 'Device' }));
    expect(new URL(page.url()).search).toBe('?group=device&show=open');
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
    await follow(deliveries.getByRole('button', { name: 'Send again' }));
    await page.waitForURL(setAddress(setId));
    const row = server.store.db.selectFrom('deliveries').select(['status', 'replays']).where('id', '=', id);
    expect(await row.executeTakeFirst()).toEqual({ status: 'pending', replays: 1 });
  });
});
