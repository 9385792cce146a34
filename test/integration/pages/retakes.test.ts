import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readReview, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { type ReadPage, read } from './reading.ts';
import { RequestForm } from './requestForm.ts';
import { failShot, finishShot, readRetake, seedFailures } from './retaking.ts';
import { seedRetake } from './seedRetake.ts';

const server = preparePages();

const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const failedTab = (id: string) => `${setAddress(id)}?tab=failed`;
const seed = () => seedFailures(server);

describe('taking pictures again', () => {
  it('without scripts, a person takes all failures of one kind again from the page of the set', async () => {
    const seeded = await seed();
    const page = await read(server, failedTab(seeded.setId));
    expect(page.locator('.kind').count()).toBe(2);
    const { url } = await page.proceed(page.locator('.kind').last().getByRole('button', { name: 'Retake' }));
    expect(url).toBe(setAddress(seeded.setId));
    const { id, shots } = await readRetake(server, seeded);
    expect(shots.map(({ retake_of }) => retake_of)).toEqual([seeded.shotIds[3]]);
    expect(server.enqueued.at(-1)).toMatchObject({ name: 'launch' });
    expect(page.getByRole('link', { name: 'Failed 1' }).count()).toBe(1);
    expect(page.locator('#head').textContent()).toContain('Retaking 1 picture v2, 0 of 1 finished');
    expect(page.locator(`#head form[action$="${id}/cancel"]`).count()).toBe(1);
    expect(page.locator(`#screenshot-${seeded.shotIds[3]}`).textContent()).toContain('Being retaken');
  });

  it('one button takes all failures again, and says so if nothing is left', async () => {
    const seeded = await seed();
    const page = await read(server, failedTab(seeded.setId));
    const stale = await read(server, failedTab(seeded.setId));
    await page.proceed(page.getByRole('button', { name: 'Retake all 2' }));
    expect(page.getByText('Retaking 2 pictures').count()).toBe(1);
    expect((await readRetake(server, seeded)).shots.length).toBe(2);
    await stale.proceed(stale.getByRole('button', { name: 'Retake all 2' }));
    expect(stale.locator('[role="alert"]').textContent()).toBe(
      'No such picture is left. Choose others, or open the set to see those that were retaken.',
    );
  });

  it('a person takes the pictures of one page again at another address, after a fault in the form', async () => {
    const seeded = await seed();
    const page = await read(server, setAddress(seeded.setId));
    await page.proceed(page.getByRole('button', { name: 'Retake all of news.example' }));
    page.getByLabel('Another page').fill('ftp://news.example');
    page.getByLabel('Another slot').fill('#sidebar');
    await page.proceed(page.getByRole('button', { name: 'Retake', exact: true }));
    expect(page.locator('#url-fault').textContent()).toContain('must be an absolute address');
    expect(page.getByLabel('Another slot').inputValue()).toBe('#sidebar');
    page.getByLabel('Another slot').fill('format:anchor');
    expect(page.locator('h1').textContent()).toBe('Retake 2 pictures');
    page.getByLabel('Another page').fill('https://news.example/sport');
    const { url } = await page.proceed(page.getByRole('button', { name: 'Retake', exact: true }));
    expect(url).toBe(setAddress(seeded.setId));
    const { shots } = await readRetake(server, seeded);
    expect(shots.map(({ retake_of, site_url, device }) => [retake_of, site_url, device])).toEqual([
      [seeded.shotIds[0], 'https://news.example/sport', 'desktop'],
      [seeded.shotIds[1], 'https://news.example/sport', 'mobile'],
    ]);
    expect(shots[0]?.options).toMatchObject({ slot: { format: 'anchor' } });
  });

  it('two presses at once take each failure again once, and a choice without pictures takes none', async () => {
    const { setId } = await seed();
    const form = await RequestForm.open(server);
    const press = (fields: Readonly<Record<string, string>>) =>
      form.postTo(`/o/demo/screenshot_sets/${setId}/retake`, { which: 'failures', ...fields });
    const none = await press({ status: 'not_found' });
    expect([none.status, none.text.includes('No such picture is left')]).toEqual([409, true]);
    const both = await Promise.all([press({ status: 'no_slots' }), press({ status: 'no_slots' })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const again = await press({ status: 'no_slots', allow_scaling: 'yes' });
    expect(again.status).toBe(409);
  });

  it('without scripts, a person takes a picture again with another slot of its page', async () => {
    const seeded = await seed();
    const address = `${server.url}/o/demo/screenshots/${seeded.shotIds[0]}`;
    const page = await read(server, address);
    page.getByText('Slots of the page').click();
    await page.proceed(page.getByRole('button', { name: 'Use this slot instead' }).first());
    expect(page.url).toBe(address);
    const { shots } = await readRetake(server, seeded);
    expect(shots.map(({ retake_of, options }) => [retake_of, options?.slot])).toEqual([
      [seeded.shotIds[0], { index: 2 }],
    ]);
    expect(page.locator('#details').textContent()).toContain('Being retaken');
    expect(page.locator('#slots button').count()).toBe(0);
    expect(page.locator('#history li').first().textContent()).toMatch(/Requested again, another slot\s+by first key/);
  });

  it('without scripts, a file is shown in place of a site that blocks the visit, and a click places the ad', async () => {
    const seeded = await seed();
    const [, , , blocked = ''] = seeded.shotIds;
    const path = `/o/demo/screenshots/${blocked}`;
    const page = await read(server, server.url + path);
    expect(page.getByLabel('Use a screenshot or a saved page instead').count()).toBe(1);
    const noSlot = await read(server, `${server.url}/o/demo/screenshots/${seeded.shotIds[2]}`);
    expect(noSlot.getByLabel('Use a screenshot or a saved page instead').count()).toBe(0);
    const form = await RequestForm.open(server);
    const send = (name: string, bytes: Uint8Array<ArrayBuffer> | string) =>
      form.postFile(`${path}/page`, [['page_file', new File([bytes], name)]]);
    const png = await sharp({ create: { width: 2_880, height: 5_000, channels: 3, background: '#369' } })
      .png()
      .toBuffer();
    const { location } = await send('page.png', new Uint8Array(png));
    const chooser = await read(server, server.url + location);
    expect(chooser.locator('input[type="image"]').getAttribute('width')).toBe('1440');
    const image = await fetch(server.url + chooser.locator('input[type="image"]').getAttribute('src'), {
      headers: { cookie: form.cookie },
    });
    expect(await sharp(Buffer.from(await image.arrayBuffer())).metadata()).toMatchObject({
      width: 1_440,
      height: 2_500,
    });
    const upload = new URL(location ?? '', server.url).searchParams.get('upload');
    const clicked = { next: path, 'at.x': '1430', 'at.y': '700' };
    expect(await form.postTo(`${path}/page/place?upload=${upload}`, clicked)).toMatchObject({
      status: 303,
      location: path,
    });
    const { id = '', shots } = await readRetake(server, seeded);
    // 300 × 250: the ad stays inside the page.
    expect(shots.map(({ retake_of, options }) => [retake_of, options?.slot, options?.given_page])).toEqual([
      [blocked, { area: { x: 1_140, y: 700 } }, upload],
    ]);
    await failShot(server, id, shots[0]?.id);
    const saved = await send('page.html', '<!doctype html><p>A page');
    expect(saved).toMatchObject({ status: 303, location: path });
    const again = await readRetake(server, seeded);
    expect(again.shots.map(({ options }) => options?.slot)).toEqual([null]);
  });

  it('one file takes all failures of a page on a device again, a place in a screenshot those of one size', async () => {
    const shop = { site: 'https://shop.example/', device: 'desktop', status: 'blocked', reason: '403.' } as const;
    const shots = [
      { ...shop, ad: 'One' },
      { ...shop, ad: 'Two' },
      { ...shop, ad: 'Large' },
      { ...shop, device: 'mobile', ad: 'One' } as const,
      { ...shop, status: 'no_slots', ad: 'Three' } as const,
    ];
    const seeded = await seedSet(server, { status: 'approved', shots });
    const { db } = server.store;
    await db.updateTable('ads').set({ width: 728, height: 90 }).where('name', '=', 'Large').execute();
    const tab = await read(server, failedTab(seeded.setId));
    const [one = '', two = '', large = '', phone = ''] = seeded.shotIds;
    const path = `/o/demo/screenshots/${one}`;
    expect(tab.getByRole('link', { name: 'Use a file on Desktop…' }).getAttribute('href')).toBe(`${path}#page_file`);
    expect(tab.getByRole('link', { name: 'Use a file on Android phone…' }).getAttribute('href')).toContain(phone);
    const form = await RequestForm.open(server);
    const png = await sharp({ create: { width: 1_440, height: 900, channels: 3, background: '#369' } })
      .png()
      .toBuffer();
    const file = new File([new Uint8Array(png)], 'page.png');
    const { location } = await form.postFile(`${path}/page`, [['page_file', file]]);
    const upload = new URL(location ?? '', server.url).searchParams.get('upload') ?? '';
    await form.postTo(`${path}/page/place?upload=${upload}`, { next: path, 'at.x': '10', 'at.y': '700' });
    const placed = await readRetake(server, seeded);
    expect(placed.shots.map(({ retake_of }) => retake_of)).toEqual([one, two]);
    // The other failures are still open.
    await form.postFile(`${path}/page`, [['page_file', new File(['<!doctype html><p>A page'], 'page.html')]]);
    expect((await readRetake(server, seeded)).shots.map(({ retake_of }) => retake_of)).toEqual([large]);
  });

  it('a picture is taken again on another device, and the form keeps what was typed after a fault', async () => {
    const seeded = await seed();
    const page = await read(server, `${server.url}/o/demo/screenshots/${seeded.shotIds[2]}`);
    page.getByLabel('Another device').selectOption('iphone');
    page.getByLabel('Keep the other ads').check();
    page.getByLabel('Another page').fill('not an address');
    await page.proceed(page.getByRole('button', { name: 'Retake', exact: true }));
    expect(page.locator('#url-fault').count()).toBe(1);
    expect(page.getByLabel('Another device').inputValue()).toBe('iphone');
    page.getByLabel('Another page').fill('');
    await page.proceed(page.getByRole('button', { name: 'Retake', exact: true }));
    const { shots } = await readRetake(server, seeded);
    expect(shots.map(({ retake_of, device }) => [retake_of, device])).toEqual([[seeded.shotIds[2], 'iphone']]);
    expect(shots[0]?.options).toMatchObject({ other_ads: 'keep' });
  });

  it('a retake is a round of its set: one row, one review, one search, and its own address leads there', async () => {
    const seeded = await seed();
    const retake = async () => seedRetake(server, seeded.setId, seeded.shotIds[2] ?? '', 'in_review');
    const [superseded, { setId }] = [await retake(), await retake()];
    const row = (page: ReadPage) => page.locator(`#set-${seeded.setId}`).textContent();
    const page = await read(server, `${server.url}/o/demo/screenshot_sets?status=in_review&q=${setId}`);
    expect(row(page)).toMatch(/v3.*In review.*1 failed.*3 of 4/s);
    await page.open(setAddress(setId));
    expect(page.url).toBe(`${setAddress(seeded.setId)}?tab=rounds`);
    const rounds = page.locator('#rounds > .group');
    expect(rounds.locator('h2').allInnerTexts()).toEqual(['v3', 'v2', 'v1']);
    expect(rounds.first().textContent()).toMatch(/1 picture.*blog\.example.*Before.*After/s);
    expect(rounds.nth(1).textContent()).toMatch(/Before.*The page has no ad slot.*After/s);
    page.getByRole('button', { name: 'Finish review' }).click();
    await page.proceed(page.getByRole('button', { name: 'Approve the set' }));
    const statusOf = async (id: string) => (await readReview(server, id)).status;
    const statuses = async () => Promise.all([setId, superseded.setId, seeded.setId].map(statusOf));
    expect(await statuses()).toEqual(['approved', 'approved', 'approved']);
    await page.proceed(page.locator('.toast').getByRole('button', { name: 'Undo' }));
    expect(await statuses()).toEqual(['in_review', 'in_review', 'approved']);
  });

  it('a rejected retake of a failure is shown as rejected, with the reason of the reviewer', async () => {
    const seeded = await seed();
    const form = await RequestForm.open(server);
    await form.postTo(`/o/demo/screenshots/${seeded.shotIds[2]}/retake`, {});
    const { id = '', shots } = await readRetake(server, seeded);
    await finishShot(server, { setId: id, id: shots[0]?.id });
    await form.postTo(`/o/demo/screenshots/${shots[0]?.id}/review`, { decision: 'rejected', comment: 'Wrong page' });
    const page = await read(server, setAddress(seeded.setId));
    const cell = page.locator(`#screenshot-${seeded.shotIds[2]}`);
    expect(cell.textContent()).toMatch(/Rejected.*Wrong page/s);
    expect(cell.locator('img').count()).toBe(1);
    expect(page.getByRole('link', { name: 'Failed 1' }).count()).toBe(1);
    await page.open(server.url + cell.locator('a.frame').getAttribute('href'));
    expect(page.locator('h1 .badge').textContent()).toBe('Rejected');
    expect(page.locator('main').textContent()).not.toContain('The page has no ad slot.');
  });
});
