import { describe, expect, it } from 'vitest';
import { createKey } from '../../support/keys.ts';
import { readReview, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { type ReadPage, read } from './reading.ts';

const server = preparePages();

const SHOT = { site: 'https://news.example/', device: 'desktop' } as const;
const FAILED = { ...SHOT, status: 'no_slots', reason: 'No slot.' } as const;

function select(page: ReadPage, ...ids: string[]): void {
  for (const id of ids) page.locator(`#set-${id} input`).check();
}

describe('actions on several sets', () => {
  it('a person approves several sets after a page that says what will happen', async () => {
    const one = await seedSet(server, { campaign: 'Bulk one', status: 'in_review', shots: [SHOT] });
    const two = await seedSet(server, { campaign: 'Bulk two', status: 'in_review', shots: [SHOT] });
    const other = await seedSet(server, { campaign: 'Bulk other', status: 'approved', shots: [SHOT] });
    const page = await read(server, `${server.url}/o/demo/screenshot_sets?q=bulk`);
    select(page, one.setId, two.setId, other.setId);
    await page.proceed(page.getByRole('button', { name: 'Approve' }));
    expect(page.locator('h1').textContent()).toBe('Approve 2 sets?');
    expect(page.getByText('1 set will stay as it is').isVisible()).toBe(true);
    expect(await readReview(server, one.setId)).toMatchObject({ status: 'in_review' });
    page.getByLabel('Notes for all sets').fill('Good.');
    await page.proceed(page.getByRole('button', { name: 'Approve 2 sets' }));
    expect(page.locator('h1').textContent()).toBe('2 of 2 sets approved');
    for (const { setId } of [one, two])
      expect(await readReview(server, setId)).toMatchObject({ status: 'approved', notes: 'Good.' });
    expect(await readReview(server, other.setId)).toMatchObject({ notes: null });
    await page.proceed(page.getByRole('link', { name: 'Back to the list' }));
    expect(new URL(page.url).search).toBe('?q=bulk');
  });

  it('a set that changed in between gets its own result, and the others are done', async () => {
    const one = await seedSet(server, { campaign: 'Race one', status: 'in_review', shots: [SHOT] });
    const two = await seedSet(server, { campaign: 'Race two', status: 'in_review', shots: [SHOT] });
    const page = await read(server, `${server.url}/o/demo/screenshot_sets?q=race`);
    select(page, one.setId, two.setId);
    await page.proceed(page.getByRole('button', { name: 'Reject' }));
    await server.store.db
      .updateTable('screenshot_sets')
      .set({ status: 'approved' })
      .where('id', '=', one.setId)
      .execute();
    await page.proceed(page.getByRole('button', { name: 'Reject 2 sets' }));
    expect(page.locator('h1').textContent()).toBe('1 of 2 sets rejected');
    expect(page.locator('.items li').filter({ hasText: 'Race one' }).textContent()).toContain(
      'is approved, so the set cannot be rejected',
    );
    expect(await readReview(server, two.setId)).toMatchObject({ status: 'rejected' });
  });

  it('failures of several sets are taken again as their next rounds, and running sets are canceled', async () => {
    const failed = await seedSet(server, { campaign: 'Mixed one', status: 'approved', shots: [SHOT, FAILED] });
    const running = await seedSet(server, {
      campaign: 'Mixed two',
      status: 'capturing',
      shots: [{ ...SHOT, status: 'pending' }],
    });
    const page = await read(server, `${server.url}/o/demo/screenshot_sets?q=mixed`);
    select(page, failed.setId, running.setId);
    await page.proceed(page.getByRole('button', { name: 'Retake failures' }));
    await page.proceed(page.getByRole('button', { name: 'Retake failures of 1 set' }));
    expect(server.enqueued.at(-1)).toMatchObject({ name: 'launch' });
    await page.open(`${server.url}/o/demo/screenshot_sets?q=mixed`);
    expect(page.locator(`#set-${failed.setId}`).textContent()).toMatch(/v2.*Capturing/s);
    expect(page.locator('tbody tr').count()).toBe(2);
    select(page, running.setId);
    await page.proceed(page.getByRole('button', { name: 'Cancel' }));
    await page.proceed(page.getByRole('button', { name: 'Cancel 1 set' }));
    expect(await readReview(server, running.setId)).toMatchObject({ cancelRequested: true });
  });

  it('nothing selected, sets of others and keys that may only read change nothing', async () => {
    const { setId } = await seedSet(server, { status: 'in_review', shots: [SHOT] });
    const { api_key: reader } = await createKey(server.store.db, 'demo', { scopes: ['read'] });
    const ask = (key: string, path: string, form?: Record<string, string>) =>
      fetch(`${server.url}/o/demo/screenshot_sets${path}`, {
        headers: { authorization: key },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      });
    expect((await ask(server.apiKey, '/bulk?action=approve')).status).toBe(422);
    expect((await ask(server.apiKey, `/bulk?action=delete&set=${setId}`)).status).toBe(422);
    expect((await ask(server.apiKey, '/bulk', { action: 'approve', set: crypto.randomUUID() })).status).toBe(422);
    expect((await ask(reader, '/bulk', { action: 'approve', set: setId })).status).toBe(403);
    expect(await (await ask(reader, '')).text()).not.toContain('class="bulk"');
    expect(await readReview(server, setId)).toMatchObject({ status: 'in_review' });
  });
});
