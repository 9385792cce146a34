/** The actions on selected pictures, without scripts. */
import { expect, it } from 'vitest';
import { preparePages } from './preparePages.ts';
import { type ReadPage, read } from './reading.ts';
import { readRetake, seedFailures } from './retaking.ts';

const server = preparePages();

const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;

/** Selects the picture of the phone, and presses a button of the bar. */
async function select(setId: string, action: string): Promise<ReadPage> {
  const page = await read(server, setAddress(setId));
  page.getByLabel('Select news.example, Android phone').check();
  await page.proceed(page.locator('.selection').getByRole('button', { name: action }));
  return page;
}

it('selected pictures are retaken, with another slot', async () => {
  const seeded = await seedFailures(server);
  const page = await select(seeded.setId, 'Retake or change the slot');
  page.getByLabel('Another slot').fill('#rail');
  const { url } = await page.proceed(page.getByRole('button', { name: 'Retake', exact: true }));
  expect(url).toBe(setAddress(seeded.setId));
  const { shots } = await readRetake(server, seeded);
  expect(shots.map(({ retake_of, options }) => [retake_of, options?.slot])).toEqual([
    [seeded.shotIds[1], { selector: '#rail' }],
  ]);
});

it('a link to selected pictures shows no others, also when more are approved', async () => {
  const { setId } = await seedFailures(server);
  const page = await select(setId, 'Share');
  expect(page.locator('h1').textContent()).toBe('Share 1 picture');
  await page.proceed(page.getByRole('button', { name: 'Create the link' }));
  expect(page.locator('.shares').textContent()).toContain('1 chosen picture');
  const shared = await read(server, page.locator('.shares input').first().getAttribute('value') ?? '');
  expect(shared.locator('.shot img').allAttributes('alt')).toEqual([expect.stringContaining('Android phone')]);
});

it('a file of selected pictures has no others', async () => {
  const { setId } = await seedFailures(server);
  const page = await select(setId, 'Download');
  await page.proceed(page.getByRole('button', { name: 'Download' }));
  expect(page.getByText('0 of 1 pictures are in the file.').count()).toBe(1);
});

it('some of the selected pictures are downloaded, in the order of the file', async () => {
  const { setId, shotIds } = await seedFailures(server);
  const page = await read(server, setAddress(setId));
  for (const device of ['Android phone', 'Desktop']) page.getByLabel(`Select news.example, ${device}`).check();
  await page.proceed(page.locator('.selection').getByRole('button', { name: 'Download' }));
  const boxes = page.locator('.order input');
  expect(boxes.allAttributes('value')).toEqual(shotIds.slice(0, 2));
  boxes.first().uncheck();
  await page.proceed(page.getByRole('button', { name: 'Download' }));
  const row = await server.store.db
    .selectFrom('exports')
    .select('options')
    .where('set_id', '=', setId)
    .executeTakeFirst();
  expect(JSON.stringify(row?.options)).toContain(`["${shotIds[1]}"]`);
});

it('selected failures are retaken from their list', async () => {
  const seeded = await seedFailures(server);
  const page = await read(server, `${setAddress(seeded.setId)}?tab=failed`);
  page.getByLabel('Select https://shop.example/, Desktop').check();
  await page.proceed(page.locator('.selection').getByRole('button', { name: 'Retake' }));
  await page.proceed(page.getByRole('button', { name: 'Retake', exact: true }));
  const { shots } = await readRetake(server, seeded);
  expect(shots.map(({ retake_of }) => retake_of)).toEqual([seeded.shotIds[3]]);
});
