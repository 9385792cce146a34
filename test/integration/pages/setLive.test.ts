import { describe, expect, it } from 'vitest';
import { notify } from '../../../src/db/notifications.ts';
import { visit } from './browser.ts';
import { readReview, seedPicture, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { RequestForm } from './requestForm.ts';

const server = preparePages();

const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const NEWS = 'https://news.example/front';

describe('the page of a set while it is captured', () => {
  it('the page updates without a reload while pictures are made, and stops when the set is settled', async () => {
    const pending = { site: NEWS, status: 'pending' } as const;
    const { setId, shotIds } = await seedSet(server, {
      shots: [
        { ...pending, device: 'desktop' },
        { ...pending, device: 'mobile' },
      ],
    });
    const { page, faults } = await visit(server, setAddress(setId));
    await page.evaluate(() => document.body.setAttribute('data-same', 'yes'));
    const picture = (i: number) => page.locator(`#screenshot-${shotIds[i]} img`);
    expect(await picture(0).count()).toBe(0);
    expect(await page.locator('#head progress').getAttribute('value')).toBe('0');

    await finishShot(setId, shotIds[0] ?? '', '1440x900');
    await picture(0).waitFor();
    expect(await page.locator('#head').textContent()).toContain('1 taken, 1 in progress');
    expect(await picture(1).count()).toBe(0);

    await finishShot(setId, shotIds[1] ?? '', '1080x2400');
    await settle(setId);
    await picture(1).waitFor();
    await page.locator('#head .badge.approved').waitFor();
    expect(await page.locator('body').getAttribute('data-same')).toBe('yes');
    expect(faults).toEqual([]);
  });

  it('an open menu and an open box stay open during live updates', async () => {
    const { page, shotIds, finish } = await openRunningSet();
    await page.getByLabel('More').click();
    await finish();
    await page.locator(`#screenshot-${shotIds[0]} img`).waitFor();
    expect(await page.locator('#head .menu').getAttribute('open')).toBe('');
    await page.reload();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByLabel('For whom').fill('Anna');
    await finish();
    expect(await page.locator('#share').isVisible()).toBe(true);
    expect(await page.getByLabel('For whom').inputValue()).toBe('Anna');
  });

  it('the control with the keyboard focus keeps it when a live update replaces its part of the page', async () => {
    const { page, shotIds, finish } = await openRunningSet();
    await page.getByRole('button', { name: 'Share' }).focus();
    await finish();
    await page.getByRole('button', { name: 'Cancel 1 picture' }).first().waitFor();
    await page.locator(`#screenshot-${shotIds[0]} img`).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Share');
  });

  it('the keyboard stays on Reject when the comment of another reviewer comes before it', async () => {
    const shots = [{ site: NEWS, device: 'desktop' as const }];
    const { setId, shotIds } = await seedSet(server, { status: 'in_review', shots });
    const { page } = await visit(server, setAddress(setId));
    await page.getByRole('button', { name: 'Reject news.example' }).focus();
    const other = await RequestForm.open(server);
    await other.postTo(`/o/demo/screenshots/${shotIds[0]}/comments`, { body: 'Look' });
    await page.getByRole('link', { name: '1 comment' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toContain('Reject');
  });

  it('a page that was open during the capture can review and share when the set is ready', async () => {
    const { page, setId, shotIds } = await openRunningSet();
    for (const [at, size] of ['1440x900', '1080x2400'].entries()) await finishShot(setId, shotIds[at] ?? '', size);
    await settle(setId, 'in_review');
    await page.getByRole('button', { name: 'Finish review' }).click();
    await page.locator('#finish').getByText('2 of 2 pictures count as approved').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Approve all of news.example' }).click();
    await page.locator('.toast').getByText('2 pictures are approved.').waitFor();
    expect(await readReview(server, setId)).toMatchObject({ status: 'in_review' });
  });

  it('the decision of another reviewer updates the counts, and a text that was not sent stays', async () => {
    const shots = (['desktop', 'mobile'] as const).map((device) => ({ site: NEWS, device }));
    const { setId, shotIds } = await seedSet(server, { status: 'in_review', shots });
    const { page, faults } = await visit(server, `${setAddress(setId)}?tab=activity`);
    await page.getByLabel('New comment').fill('Half a sentence');
    await page.getByLabel('New comment').blur();
    const other = await RequestForm.open(server);
    await other.postTo(`/o/demo/screenshot_sets/${setId}/reviews`, { decide: `approved:${shotIds[0]}` });
    await page.locator('.so-far').getByText('1 of 2 reviewed').waitFor();
    expect(await page.locator('#head progress').getAttribute('value')).toBe('1');
    expect(await page.getByLabel('New comment').inputValue()).toBe('Half a sentence');
    expect(faults).toEqual([]);
  });

  it('a control that is pressed while a live update arrives still works', async () => {
    const { page, shotIds, finish } = await openRunningSet();
    await page.getByRole('button', { name: 'Share' }).hover();
    await page.mouse.down();
    await finish();
    await page.locator(`#screenshot-${shotIds[0]} img`).waitFor();
    await page.mouse.up();
    await page.locator('#share').waitFor();
  });
});

/** A set with two pictures to take. */
async function openRunningSet() {
  const pending = { site: NEWS, status: 'pending' } as const;
  const { setId, shotIds } = await seedSet(server, {
    shots: [
      { ...pending, device: 'desktop' },
      { ...pending, device: 'mobile' },
    ],
  });
  const { page } = await visit(server, setAddress(setId));
  const finish = () => finishShot(setId, shotIds[0] ?? '', '1440x900');
  return { page, setId, shotIds, finish };
}

async function finishShot(setId: string, id: string, size: string): Promise<void> {
  const { db } = server.store;
  const token = await seedPicture(db, server.organizationId, size);
  await db.transaction().execute(async (tx) => {
    const taken = { status: 'uploaded', image_token: token, captured_at: new Date() } as const;
    await tx.updateTable('screenshots').set(taken).where('id', '=', id).execute();
    await notify(tx, { set: setId });
  });
}

async function settle(setId: string, status: 'approved' | 'in_review' = 'approved'): Promise<void> {
  await server.store.db.transaction().execute(async (tx) => {
    await tx.updateTable('screenshot_sets').set({ status, settled_at: new Date() }).where('id', '=', setId).execute();
    await notify(tx, { set: setId });
  });
}
