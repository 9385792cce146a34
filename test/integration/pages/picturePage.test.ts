import { describe, expect, it } from 'vitest';
import { answerShare } from '../../../src/core/sharing/answers.ts';
import { createShareLink } from '../../../src/core/sharing/shareLinks.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { inDays } from '../../../src/domain/shareLinks.ts';
import { createKey } from '../../support/keys.ts';
import { seedPicture, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';
import { RequestForm } from './requestForm.ts';

const server = preparePages();

const NEWS = 'https://news.example/front';
const address = (id: string | undefined) => `${server.url}/o/demo/screenshots/${id}`;
const seed = () =>
  seedSet(server, {
    status: 'approved',
    shots: [
      { site: NEWS, device: 'desktop' },
      { site: NEWS, device: 'mobile' },
      { site: NEWS, device: 'ipad', status: 'no_slots', reason: 'The page has no ad slot.' },
    ],
  });

describe('the page of a picture', () => {
  it('without scripts, a person goes from the set to the picture, its record and its neighbors', async () => {
    const { setId, shotIds } = await seed();
    const page = await read(server, `${server.url}/o/demo/screenshot_sets/${setId}`);
    await page.proceed(page.locator('.shot a.frame').first());
    expect(page.url).toBe(address(shotIds[0]));
    expect(page.locator('h1').textContent()?.trim()).toBe('news.example Desktop');
    const record = page.locator('.provenance dl');
    expect(page.locator('#about').textContent()).toMatch(/Taken\s*21 Nov 2026, 09:30:05 UTC/);
    expect(record.textContent()).toMatch(/browser version\s*156\.0\.8078\.73/);
    await page.proceed(page.getByRole('link', { name: 'Next' }));
    expect(page.locator('h1').textContent()?.trim()).toBe('news.example Android phone');
    await page.proceed(page.getByRole('link', { name: 'Next' }));
    expect(page.locator('.note.fault').textContent()).toContain('The page has no ad slot.');
    await page.proceed(page.locator('.crumb a'));
    expect(page.url).toContain(`/screenshot_sets/${setId}#screenshot-${shotIds[2]}`);
  });

  it('a picture without a slot says in plain words what the page takes, and offers what helps', async () => {
    const { shotIds } = await seed();
    const problem = '300×250 goes in only at 83 %';
    const record = { candidates: [{ size: [970, 250] }, { size: [300, 250], problem }] };
    await server.store.db
      .updateTable('screenshots')
      .set({ record: JSON.stringify(record), reason: 'None of the 2 slots takes it: div#gpt-1: too small.' })
      .where('id', '=', shotIds[2] ?? '')
      .execute();
    const page = await read(server, address(shotIds[2]));
    const fault = page.locator('.note.fault');
    expect(fault.locator('.reason').textContent()).toBe('This page has slots for 970×250 and 300×250.');
    expect(fault.getByText('div#gpt-1').isVisible()).toBe(false);
    const { url } = await page.proceed(fault.getByRole('button', { name: 'Allow scaling' }));
    expect(url).toBe(address(shotIds[2]));
    const retaken = server.store.db
      .selectFrom('screenshots')
      .select('options')
      .where('retake_of', '=', shotIds[2] ?? '');
    expect((await retaken.executeTakeFirstOrThrow()).options).toMatchObject({ allow_scaling: true });
  });

  it('without scripts, a picture without a slot shows the page, and each slot leads to why it was refused', async () => {
    const { setId, shotIds } = await seed();
    const page_token = await seedPicture(server.store.db, server.organizationId, '1440x3000');
    const slot = (y: number, height: number, problem: string) => ({
      ...{ element: 'div#ad', box: { x: 980, y, width: 300, height }, size: [300, height], score: 1, problem },
    });
    const candidates = [slot(200, 100, 'too small for 300×250'), slot(900, 0, 'it is not shown')];
    const record = JSON.stringify({ device: 'desktop', ratio: 1, candidates, candidates_found: 2 });
    const values = { page_token, record, reason: 'None of the 2 slots takes it.' };
    await server.store.db
      .updateTable('screenshots')
      .set(values)
      .where('id', '=', shotIds[2] ?? '')
      .execute();
    const page = await read(server, `${server.url}/o/demo/screenshot_sets/${setId}?tab=failed`);
    await page.proceed(page.locator('a.seen'));
    expect(page.url).toBe(address(shotIds[2]));
    expect(page.locator('.stage img').getAttribute('alt')).toBe(`The page ${NEWS}`);
    const boxes = page.locator('svg.candidates rect.box');
    expect(boxes.allAttributes('y')).toEqual(['900', '200']);
    const fragment = page.getByRole('link', { name: 'Slot 1: 300×100' }).getAttribute('href');
    expect(page.locator(`.slots > li${fragment}`).textContent()).toContain(
      'It cannot hold the ad: too small for 300×250.',
    );
    await page.proceed(page.getByRole('button', { name: 'Use this slot anyway' }).first());
    const retaken = server.store.db.selectFrom('screenshots').select('options');
    const { options } = await retaken.where('retake_of', '=', shotIds[2] ?? '').executeTakeFirstOrThrow();
    expect(options).toMatchObject({ slot: { index: 1 } });
  });

  it('without scripts, the slots of the page are drawn over the picture where they are', async () => {
    const { shotIds } = await seed();
    const page = await read(server, address(shotIds[0]));
    const overlay = page.locator('svg.candidates');
    expect(overlay.getAttribute('aria-label')).toBe('2 of 3 slots are in this picture');
    const boxes = overlay
      .locator('rect.box')
      .all()
      .map((box) => ['x', 'y', 'width', 'height'].map((name) => box.getAttribute(name)));
    // The page was scrolled by 400. The chosen slot is drawn last, over the others.
    expect(boxes).toEqual([
      ['980', '500', '300', '250'],
      ['980', '180', '300', '250'],
    ]);
    const slots = page.locator('.slots > li');
    expect(slots.count()).toBe(3);
    expect(slots.nth(0).textContent()).toContain('identified by Google Publisher Tag, standard ad size');
    expect(slots.nth(2).textContent()).toContain('below the picture');
    expect(slots.nth(2).textContent()).toContain('It cannot hold the ad: too small for 300×250.');
    expect(slots.nth(2).locator('button').count()).toBe(0);
    expect(slots.nth(1).locator('button').textContent()).toBe('Use this slot instead');
    expect(page.locator('style, [style]').count()).toBe(0);
  });

  it('without scripts, a person rejects a picture with a reason, is at the next one, and withdraws the decision', async () => {
    const { shotIds } = await seed();
    const page = await read(server, address(shotIds[0]));
    const reason = page.getByLabel('Reason or note');
    reason.fill('Wrong <b>creative</b>');
    const { url } = await page.proceed(page.getByRole('button', { name: 'Reject' }));
    expect(url).toContain(`${address(shotIds[1])}?done=rejected-1`);
    await page.open(address(shotIds[0]));
    expect(page.locator('.picture-head .badge').textContent()).toBe('Rejected');
    expect(page.locator('#details').textContent()).toMatch(/by first key, \d/);
    expect(reason.inputValue()).toBe('Wrong <b>creative</b>');
    await page.proceed(page.locator('[aria-pressed="true"]').filter({ hasText: 'Reject' }));
    expect(page.locator('.picture-head .badge').count()).toBe(0);
    await page.open(address(shotIds[2]));
    expect(page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    reason.fill('The site changed.');
    await page.proceed(page.getByRole('button', { name: 'Save the note' }));
    expect(reason.inputValue()).toBe('The site changed.');
  });

  it('the history of a picture is one list of versions, decisions, answers and resolved comments, newest first', async () => {
    const { setId, shotIds } = await seed();
    const [id = ''] = shotIds;
    const form = await RequestForm.open(server);
    const review = { decision: 'rejected', comment: 'Wrong page' };
    const other = { organizationId: server.organizationId, setId, label: '', downloads: false, answers: true };
    const { db } = server.store;
    await db.transaction().execute(async (tx) => {
      const link = await createShareLink(tx, { ...other, expiresAt: inDays(new Date(), 7) }, OPERATOR);
      const client = { name: 'Carla', email: 'carla@client.example' };
      const [visit, answer] = [
        { shareId: link.id, address: null, tokens: [], secret: server.secret },
        'approved' as const,
      ];
      await answerShare(tx, visit, { ...client, answer, screenshot_id: shotIds[1] });
      await answerShare(tx, visit, { ...client, answer });
    });
    await form.postTo(`/o/demo/screenshots/${id}/review`, review);
    await form.postTo(`/o/demo/screenshots/${id}/retake`, { url: 'https://news.example/other', device: 'iphone' });
    await form.postTo(`/o/demo/screenshots/${id}/comments`, { body: 'Cut off' });
    const comment = await db
      .selectFrom('comments')
      .select('id')
      .where('screenshot_id', '=', id)
      .executeTakeFirstOrThrow();
    await form.postTo(`/o/demo/comments/${comment.id}/resolve`, { resolved: 'yes' });
    await form.postTo(`/o/demo/screenshots/${id}/review`, { ...review, comment: 'Wrong page, still' });
    const page = await read(server, address(id));
    const told = page
      .locator('#history li')
      .all()
      .map((item) => item.textContent()?.replaceAll(/\s+/g, ' ').trim());
    expect(told.map((text) => text?.replace(/\d+ \w+ 20.* UTC/, 'then'))).toEqual([
      'Note changed by first key, then Wrong page, still',
      'Comment resolved by first key, then Cut off',
      'Requested again, another page, another device by first key, then',
      'Rejected by first key, then Wrong page',
      'Client: approved by Carla, then',
      'Requested then',
      'Captured then',
    ]);
  });

  it('without scripts, two pictures are beside each other', async () => {
    const { shotIds } = await seed();
    const page = await read(server, address(shotIds[0]));
    page.getByLabel('Compare with').selectOption('news.example, Android phone, Summer sale 300×250');
    const { url } = await page.proceed(page.getByRole('button', { name: 'Compare' }));
    expect(new URL(url).search).toBe(`?with=${shotIds[1]}`);
    const sources = page.locator('.sides img').allAttributes('src');
    expect(sources).toEqual([expect.stringContaining('1440x900'), expect.stringContaining('1080x2400')]);
  });

  it('a key that may only read sees the review and no form', async () => {
    const { setId, shotIds } = await seed();
    const { api_key: apiKey } = await createKey(server.store.db, 'demo', { scopes: ['read'] });
    const page = await read({ ...server, apiKey }, address(shotIds[0]));
    expect(page.locator('#details').textContent()).toContain('Review');
    expect(page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(page.locator('main form[method="post"]').count()).toBe(0);
    await read({ ...server, apiKey }, `${server.url}/o/demo/screenshot_sets/${setId}`);
    expect(page.locator('main form[method="post"]').count()).toBe(0);
  });

  it('a picture of another organization and an unknown id have no page', async () => {
    const headers = { authorization: `Bearer ${server.apiKey}` };
    const response = await fetch(address('00000000-0000-4000-8000-000000000000'), { headers });
    expect(response.status).toBe(404);
  });
});
