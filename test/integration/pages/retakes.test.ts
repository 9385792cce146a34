import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { notify } from '../../../src/db/notifications.ts';
import { follow, openPage, proceed, read, signIn, visit } from './browser.ts';
import { type Seeded, seedPicture, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { RequestForm } from './requestForm.ts';

const server = preparePages();

const NEWS = 'https://news.example/front';
const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const failedTab = (id: string) => `${setAddress(id)}?tab=failed`;
const seed = () =>
  seedSet(server, {
    status: 'approved',
    shots: [
      { site: NEWS, device: 'desktop' },
      { site: NEWS, device: 'mobile' },
      { site: 'https://blog.example/', device: 'desktop', status: 'no_slots', reason: 'The page has no ad slot.' },
      { site: 'https://shop.example/', device: 'desktop', status: 'blocked', reason: 'The site answered 403.' },
    ],
  });

/** The screenshots of the newest set that takes pictures of this set again. */
async function readRetake({ setId }: Pick<Seeded, 'setId'>, column: 'retake_of' | 'duplicate' = 'retake_of') {
  const { db } = server.store;
  const newest = db.selectFrom('screenshot_sets').select('id').orderBy('created_at', 'desc').limit(1);
  const retake = column === 'retake_of' ? newest.where('retake_of', '=', setId) : newest.where('retake_of', 'is', null);
  const set = await retake.executeTakeFirst();
  const shots = await db
    .selectFrom('screenshots')
    .select(['id', 'retake_of', 'site_url', 'device', 'options'])
    .where('set_id', '=', set?.id ?? null)
    .orderBy('seq')
    .execute();
  return { id: set?.id, shots };
}

describe('taking pictures again', () => {
  it('without scripts, a person takes all failures of one kind again from the page of the set', async () => {
    const seeded = await seed();
    const page = await read(server, failedTab(seeded.setId));
    expect(await page.locator('.kind').count()).toBe(2);
    const { url } = await proceed(page.locator('.kind').last().getByRole('button', { name: 'Retake' }));
    expect(url).toBe(setAddress(seeded.setId));
    const { id, shots } = await readRetake(seeded);
    expect(shots.map(({ retake_of }) => retake_of)).toEqual([seeded.shotIds[3]]);
    expect(server.enqueued.at(-1)).toMatchObject({ name: 'launch' });
    expect(await page.getByRole('link', { name: 'Failed 1' }).count()).toBe(1);
    expect(await page.locator('#head').textContent()).toContain('Retaking 1 picture 0 of 1 finished');
    expect(await page.locator(`#head a[href$="${id}"]`).count()).toBe(1);
    expect(await page.locator(`#screenshot-${seeded.shotIds[3]}`).textContent()).toContain('Being retaken');
  });

  it('one button takes all failures again, and says so if nothing is left', async () => {
    const seeded = await seed();
    const { page } = await visit(server, failedTab(seeded.setId));
    const stale = await page.context().newPage();
    await stale.goto(failedTab(seeded.setId));
    await follow(page.getByRole('button', { name: 'Retake all 2' }));
    await page.getByText('Retaking 2 pictures').waitFor();
    expect((await readRetake(seeded)).shots.length).toBe(2);
    await follow(stale.getByRole('button', { name: 'Retake all 2' }));
    expect(await stale.locator('[role="alert"]').textContent()).toBe(
      'No such picture is left. Choose others, or open the set to see those that were retaken.',
    );
  });

  it('a person takes the pictures of one page again at another address, after a fault in the form', async () => {
    const seeded = await seed();
    const page = await read(server, setAddress(seeded.setId));
    await proceed(page.getByRole('link', { name: 'Retake' }));
    await page.getByLabel('All 4', { exact: true }).check();
    await page.getByLabel('Only this page').selectOption(NEWS);
    await page.getByLabel('Another page').fill('ftp://news.example');
    await page.getByLabel('Another slot').fill('#sidebar');
    await proceed(page.getByRole('button', { name: 'Retake', exact: true }));
    expect(await page.locator('#url-fault').textContent()).toContain('must be an absolute address');
    expect(await page.getByLabel('Another slot').inputValue()).toBe('#sidebar');
    expect(await page.getByLabel('All 4', { exact: true }).isChecked()).toBe(true);
    await page.getByLabel('Another page').fill('https://news.example/sport');
    const { url } = await proceed(page.getByRole('button', { name: 'Retake', exact: true }));
    expect(url).toBe(setAddress(seeded.setId));
    const { shots } = await readRetake(seeded);
    expect(shots.map(({ retake_of, site_url, device }) => [retake_of, site_url, device])).toEqual([
      [seeded.shotIds[0], 'https://news.example/sport', 'desktop'],
      [seeded.shotIds[1], 'https://news.example/sport', 'mobile'],
    ]);
    expect(shots[0]?.options).toMatchObject({ slot: { selector: '#sidebar' } });
  });

  it('two presses at once take each failure again once, and a choice without pictures takes none', async () => {
    const { setId } = await seed();
    const form = await RequestForm.open(server);
    const press = (fields: Readonly<Record<string, string>>) =>
      form.postTo(`/o/demo/screenshot_sets/${setId}/retake`, { which: 'failures', ...fields });
    const none = await press({ only_site: NEWS });
    expect([none.status, none.text.includes('No such picture is left')]).toEqual([409, true]);
    const both = await Promise.all([press({ status: 'no_slots' }), press({ status: 'no_slots' })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const again = await press({ status: 'no_slots', allow_scaling: 'yes' });
    expect(again.status).toBe(409);
  });

  it('a duplicate is a set of its own', async () => {
    const seeded = await seed();
    const page = await read(server, `${setAddress(seeded.setId)}/retake`);
    await page.getByLabel('All 4, as a new set').check();
    const { url } = await proceed(page.getByRole('button', { name: 'Retake', exact: true }));
    expect(await page.getByText('Waiting to start').count()).toBe(1);
    const { id, shots } = await readRetake(seeded, 'duplicate');
    expect(url).toBe(setAddress(id ?? ''));
    expect(shots.map(({ retake_of }) => retake_of)).toEqual([null, null, null, null]);
  });

  it('without scripts, a person takes a picture again with another slot of its page', async () => {
    const seeded = await seed();
    const { page } = await openPage({ javaScriptEnabled: false });
    const address = `${server.url}/o/demo/screenshots/${seeded.shotIds[0]}`;
    await signIn(page, server, address);
    await follow(page.getByRole('button', { name: 'Use this slot instead' }).first());
    expect(page.url()).toBe(address);
    const { shots } = await readRetake(seeded);
    expect(shots.map(({ retake_of, options }) => [retake_of, options?.slot])).toEqual([
      [seeded.shotIds[0], { index: 2 }],
    ]);
    expect(await page.locator('#details').textContent()).toContain('Being retaken');
    expect(await page.getByRole('button', { name: 'Use this slot instead' }).count()).toBe(0);
    expect(await page.locator('.versions li').count()).toBe(2);
  });

  it('the page of a picture shows a retake with another slot as soon as it is taken, without a reload', async () => {
    const seeded = await seed();
    const { page, faults } = await visit(server, `${server.url}/o/demo/screenshots/${seeded.shotIds[0]}`);
    await follow(page.getByRole('button', { name: 'Use this slot instead' }).first());
    await page.keyboard.press('e');
    await page.locator('#slot-1 summary').click();
    await page.getByLabel('Reason or note').fill('Half a sentence');
    const picture = page.locator('.stage img');
    const [before, chosen] = [await picture.getAttribute('src'), page.locator('svg.candidates .chosen')];
    expect(await chosen.getAttribute('data-slot')).toBe('1');
    const { id = '', shots } = await readRetake(seeded);
    await useSecondSlot(shots[0]?.id ?? '');
    await finish(id, shots[0]?.id ?? '');
    await page.locator('.slots .chosen strong').getByText('2', { exact: true }).waitFor();
    await page.locator('svg.candidates .chosen[data-slot="2"]').waitFor();
    expect(await picture.getAttribute('src')).not.toBe(before);
    expect(await page.getByLabel('Reason or note').inputValue()).toBe('Half a sentence');
    // Opened parts stay open, and the buttons of scripts work on the new picture.
    expect(await page.locator('svg.candidates').isVisible()).toBe(true);
    expect(await page.locator('#slot-1 code').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Actual pixels' }).click();
    expect(await page.locator('.stage').getAttribute('class')).toContain('zoomed');
    await page.getByRole('button', { name: 'Pin to the picture' }).click();
    await page.locator('.stage').click({ position: { x: 40, y: 300 } });
    expect(await page.locator('.pins circle.new').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it('a picture is taken again on another device, and the form keeps what was typed after a fault', async () => {
    const seeded = await seed();
    const page = await read(server, `${server.url}/o/demo/screenshots/${seeded.shotIds[2]}`);
    await page.getByLabel('Another device').selectOption('iphone');
    await page.getByLabel('Keep the other ads').check();
    await page.getByLabel('Another page').fill('not an address');
    await proceed(page.getByRole('button', { name: 'Retake', exact: true }));
    expect(await page.locator('#url-fault').count()).toBe(1);
    expect(await page.getByLabel('Another device').inputValue()).toBe('iphone');
    await page.getByLabel('Another page').fill('');
    await proceed(page.getByRole('button', { name: 'Retake', exact: true }));
    const { shots } = await readRetake(seeded);
    expect(shots.map(({ retake_of, device }) => [retake_of, device])).toEqual([[seeded.shotIds[2], 'iphone']]);
    expect(shots[0]?.options).toMatchObject({ other_ads: 'keep' });
  });

  it('the page of a set shows a retake as soon as it is taken, without a reload', async () => {
    const seeded = await seed();
    const { page, faults } = await visit(server, failedTab(seeded.setId));
    await follow(page.getByRole('button', { name: 'Retake all 2' }));
    await page.getByText('Retaking 2 pictures').waitFor();
    await page.evaluate(() => document.body.setAttribute('data-same', 'yes'));
    const { id = '', shots } = await readRetake(seeded);
    await finish(id, shots[0]?.id ?? '');
    await page.locator(`#screenshot-${seeded.shotIds[2]} img`).waitFor();
    await page.getByText('1 of 2 finished').waitFor();
    await fail(id, shots[1]?.id ?? '');
    await page.getByRole('link', { name: 'Failed 1' }).waitFor();
    expect(await page.locator(`#screenshot-${seeded.shotIds[3]}`).count()).toBe(0);
    expect(await page.locator('body').getAttribute('data-same')).toBe('yes');
    expect(await page.locator('.so-far').textContent()).toBe('3 taken, 1 failed');
    expect(faults).toEqual([]);
  });

  it('a rejected retake of a failure is shown as rejected, with the reason of the reviewer', async () => {
    const seeded = await seed();
    const form = await RequestForm.open(server);
    await form.postTo(`/o/demo/screenshots/${seeded.shotIds[2]}/retake`, {});
    const { id = '', shots } = await readRetake(seeded);
    await finish(id, shots[0]?.id ?? '');
    await form.postTo(`/o/demo/screenshots/${shots[0]?.id}/review`, { decision: 'rejected', comment: 'Wrong page' });
    const page = await read(server, setAddress(seeded.setId));
    const cell = page.locator(`#screenshot-${seeded.shotIds[2]}`);
    expect(await cell.textContent()).toMatch(/Rejected.*Wrong page/s);
    expect(await cell.locator('img').count()).toBe(1);
    expect(await page.getByRole('link', { name: 'Failed 1' }).count()).toBe(1);
    await read(server, server.url + (await cell.locator('a.frame').getAttribute('href')));
    expect(await page.locator('h1 .badge').textContent()).toBe('Rejected');
    expect(await page.locator('main').textContent()).not.toContain('The page has no ad slot.');
  });
});

async function finish(setId: string, id: string): Promise<void> {
  const { db } = server.store;
  const token = await seedPicture(db, server.organizationId, '1440x900');
  const taken = { status: 'uploaded', image_token: token, captured_at: new Date() } as const;
  await db.updateTable('screenshots').set(taken).where('id', '=', id).execute();
  await notify(db, { set: setId });
}

/** The record of the picture before, with the ad in the second slot. */
async function useSecondSlot(id: string): Promise<void> {
  await sql`update screenshots s set record = jsonb_set(o.record, '{slot}', o.record->'candidates'->1)
    from screenshots o where s.id = ${id} and o.id = s.retake_of`.execute(server.store.db);
}

async function fail(setId: string, id: string): Promise<void> {
  const { db } = server.store;
  await db.updateTable('screenshots').set({ status: 'blocked', reason: 'Again.' }).where('id', '=', id).execute();
  await db.updateTable('screenshot_sets').set({ status: 'approved' }).where('id', '=', setId).execute();
  await notify(db, { set: setId });
}
