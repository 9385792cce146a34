import { describe, expect, it } from 'vitest';
import { createKey } from '../../support/keys.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';
import { RequestForm } from './requestForm.ts';
import { seedRetake } from './seedRetake.ts';

const server = preparePages();

const NEWS = 'https://news.example/front';
const DEVICES = ['desktop', 'mobile', 'ipad'] as const;
const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const pictureAddress = (id: string) => `${server.url}/o/demo/screenshots/${id}`;

/** A set in review and a second reviewer. */
async function twoReviewers() {
  const shots = DEVICES.map((device) => ({ site: NEWS, device }));
  const { setId, shotIds } = await seedSet(server, { status: 'in_review', shots });
  const [first = '', second = '', third = ''] = shotIds;
  const { api_key: key } = await createKey(server.store.db, 'demo', { name: 'Anna' });
  const anna = await RequestForm.open(server, key);
  const reject = (id: string, comment = 'Wrong logo') =>
    anna.postTo(`/o/demo/screenshots/${id}/review`, { decision: 'rejected', comment });
  return { setId, ids: [first, second, third] as const, reject };
}

async function decisions(setId: string): Promise<(string | null)[]> {
  const of = server.store.db.selectFrom('screenshots').select('decision').where('set_id', '=', setId).orderBy('seq');
  return (await of.execute()).map(({ decision }) => decision);
}

async function noteOf(id: string): Promise<string | null | undefined> {
  const of = server.store.db.selectFrom('reviews').select('comment').where('screenshot_id', '=', id);
  return (await of.orderBy('id', 'desc').limit(1).executeTakeFirst())?.comment;
}

describe('two reviewers of one set', () => {
  it('without scripts, the second one sees who decided what, and is asked', async () => {
    const { setId, ids, reject } = await twoReviewers();
    const page = await read(server, pictureAddress(ids[0]));
    await reject(ids[0]);
    await page.proceed(page.getByRole('button', { name: 'Approve' }));
    expect(page.locator('h1').textContent()).toBe('Others have decided about 1 picture');
    expect(page.locator('.shot').textContent()).toMatch(/Rejected by Anna, .*Wrong logo/s);
    expect(await decisions(setId)).toEqual(['rejected', null, null]);
    await page.proceed(page.getByRole('button', { name: 'Approve it anyway' }));
    expect(page.url).toContain('done=approved-1');
    expect(await decisions(setId)).toEqual(['approved', null, null]);
    // The form did not contain another note, so that of the other reviewer stays.
    expect(await noteOf(ids[0])).toBe('Wrong logo');
  });

  it('the same decision needs no question, and a note that another reviewer wrote stays', async () => {
    const { setId, ids, reject } = await twoReviewers();
    const page = await read(server, pictureAddress(ids[0]));
    await reject(ids[0]);
    const { url } = await page.proceed(page.getByRole('button', { name: 'Reject' }));
    expect(url).toContain('done=rejected-1');
    expect([await decisions(setId), await noteOf(ids[0])]).toEqual([['rejected', null, null], 'Wrong logo']);
  });

  it('a note replaces the note of another reviewer only after a question', async () => {
    const { ids, reject } = await twoReviewers();
    const page = await read(server, pictureAddress(ids[0]));
    await reject(ids[0], 'Wrong\nlogo');
    page.getByLabel('Reason or note').fill('Cut off');
    await page.proceed(page.getByRole('button', { name: 'Save the note' }));
    expect(await noteOf(ids[0])).toBe('Wrong\nlogo');
    await page.proceed(page.getByRole('button', { name: 'Save the note anyway' }));
    expect(await noteOf(ids[0])).toBe('Cut off');
    await reject(ids[0], 'Wrong\nlogo');
    await page.open(pictureAddress(ids[0]));
    page.getByLabel('Reason or note').fill('Wrong\nlogo, and cut off');
    await page.proceed(page.getByRole('button', { name: 'Save the note' }));
    expect(await noteOf(ids[0])).toBe('Wrong\r\nlogo, and cut off');
  });

  it('without scripts, all selected pictures are decided if the reviewer says so', async () => {
    const { setId, ids, reject } = await twoReviewers();
    const page = await read(server, setAddress(setId));
    await reject(ids[1]);
    for (const box of page.locator('[name="pick"]').all()) box.check();
    await page.proceed(page.locator('.selection').getByRole('button', { name: 'Approve' }));
    await page.proceed(page.getByRole('button', { name: 'Approve all 3 anyway' }));
    expect(await decisions(setId)).toEqual(['approved', 'approved', 'approved']);
  });

  it('a decision is not about a retake that the reviewer has not seen', async () => {
    const { setId, ids } = await twoReviewers();
    const page = await read(server, pictureAddress(ids[0]));
    const retake = await seedRetake(server, setId, ids[0], 'in_review');
    await page.proceed(page.getByRole('button', { name: 'Approve' }));
    expect(page.locator('h1').textContent()).toBe('1 picture was retaken');
    expect(page.locator('.shot').textContent()).toContain('Retaken since you opened the page');
    expect([await decisions(setId), await decisions(retake.setId)]).toEqual([[null, null, null], [null]]);
    await page.proceed(page.getByRole('button', { name: 'Approve it anyway' }));
    expect([await decisions(setId), await decisions(retake.setId)]).toEqual([[null, null, null], ['approved']]);
  });
});
