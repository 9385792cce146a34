import { describe, expect, it } from 'vitest';
import { notify } from '../../../src/db/notifications.ts';
import { visit } from './browser.ts';
import { seedPicture, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

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
    const { page } = await visit(server, setAddress(setId));
    await page.getByText('Cancel this set').click();
    await finishShot(setId, shotIds[1] ?? '', '1080x2400');
    await page.locator(`#screenshot-${shotIds[1]} img`).waitFor();
    expect(await page.locator('details.confirm').getAttribute('open')).toBe('');
  });

  it('the control with the keyboard focus keeps it when a live update replaces its part of the page', async () => {
    const { page, confirm, finish } = await openRunningSet();
    await confirm.focus();
    await finish();
    await page.getByRole('button', { name: 'Cancel 1 picture', includeHidden: true }).waitFor({ state: 'attached' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel this set');
  });

  it('a control that is pressed while a live update arrives still works', async () => {
    const { page, shotIds, confirm, finish } = await openRunningSet();
    await confirm.hover();
    await page.mouse.down();
    await finish();
    await page.locator(`#screenshot-${shotIds[0]} img`).waitFor();
    await page.mouse.up();
    expect(await page.locator('details.confirm').getAttribute('open')).toBe('');
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
  return { page, shotIds, confirm: page.getByText('Cancel this set'), finish };
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
