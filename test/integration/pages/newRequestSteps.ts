/** The steps of a new request in a browser. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright';
import { axeFaults, sidewaysScroll } from '../../support/axe.ts';
import { follow, opened } from './browser.ts';
import { type PagesServer, seedPicture } from './pagesServer.ts';
import { gif } from './requestForm.ts';
import { seedPlacement } from './seedPlacement.ts';

/** Two images, each time with other bytes, and a file that is no ad. */
export async function writeAdFiles(folder: string): Promise<void> {
  for (const name of ['one.gif', 'two.gif'])
    await writeFile(path.join(folder, name), Buffer.from(await gif(name).arrayBuffer()));
  await writeFile(path.join(folder, 'notes.pdf'), '%PDF-1.7 not an ad');
}

export const cardsOf = (page: Page) => page.locator('#ads > [data-ad]');

/** Plays the capture program. */
export async function renderAds({ store, organizationId }: PagesServer): Promise<void> {
  const preview_token = await seedPicture(store.db, organizationId, '300x250');
  await store.db
    .updateTable('ads')
    .set({ status: 'uploaded', width: 300, height: 250, preview_token })
    .where('status', '=', 'pending')
    .execute();
}

/** @param page the empty form. @param folder as {@link writeAdFiles} left it. @returns the faults of the look of all steps. */
export async function faultsOfSteps(server: PagesServer, page: Page, folder: string): Promise<string[]> {
  const faults: string[] = [];
  const look = async (step: string) => {
    const wide = await sidewaysScroll(page);
    if (wide !== undefined) faults.push(`${step}: scrolls sideways: ${wide}`);
    faults.push(...(await axeFaults(page)).map((fault) => `${step}: ${fault}`));
  };
  const files = ['one.gif', 'notes.pdf', 'two.gif'].map((name) => path.join(folder, name));
  await page.getByLabel('Files', { exact: true }).setInputFiles(files);
  await cardsOf(page).nth(1).waitFor();
  await renderAds(server);
  await page.getByRole('img', { name: 'Preview of two.gif' }).waitFor();
  await page.getByText('Options', { exact: true }).click();
  await look('with ads');
  await page.getByLabel('Sites', { exact: true }).fill('not an address');
  await follow(page.getByRole('button', { name: 'Request pictures' }));
  await page.getByRole('alert').getByRole('link', { name: 'Line 1' }).waitFor();
  await look('with a fault');
  await page.getByText('Or a media plan').click();
  await page.getByLabel('Paste the cells').fill('Ad\tSite\tNote\none.gif\tnews.example\t-\nlost.gif\tno site\t-');
  await follow(page.getByRole('button', { name: 'Read the plan' }));
  await page.getByLabel('Site, row 3').waitFor();
  await look('with a media plan');
  await opened(page, async () => page.goto(`${server.url}/o/demo/new/slots/${await seedPlacement(server)}`));
  await page.getByRole('link', { name: 'Slot 2' }).first().click();
  await page.getByRole('button', { name: 'Use this slot' }).waitFor();
  await look('the slot page');
  return faults;
}
