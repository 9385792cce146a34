import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { notify } from '../../../src/db/notifications.ts';
import { insertUpload } from '../../support/insertRows.ts';
import { follow, read, visit } from './browser.ts';
import { seedPicture, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

const server = preparePages();

const adAddress = (id: string) => `${server.url}/o/demo/ads/${id}`;

async function seedAd(
  values: {
    status?: 'pending' | 'generic_error';
    reason?: string;
    content?: string;
    warnings?: string;
    metadata?: string;
  } = {},
): Promise<string> {
  const { adIds } = await seedSet(server, { shots: [{ site: 'https://news.example/', device: 'desktop' }] });
  const id = adIds[0] ?? '';
  await server.store.db
    .updateTable('ads')
    .set({ status: 'uploaded', ...values })
    .where('id', '=', id)
    .execute();
  return id;
}

async function seedFrames(adId: string): Promise<void> {
  const { db } = server.store;
  const jobId = randomUUID();
  const job = { id: jobId, name: `ads-${jobId.slice(0, 8)}`, organization_id: server.organizationId, set_id: null };
  await db
    .insertInto('screenshot_jobs')
    .values({ ...job, indexes: 1, parallelism: 1, deadline_at: new Date(), outcome: null })
    .execute();
  const creative = {
    status: 'rendered',
    format: 'html5_zip',
    mode: 'stepped',
    notes: JSON.stringify(['a dialog was closed']),
  } as const;
  await db
    .insertInto('job_creatives')
    .values({
      ...{ job_id: jobId, ad_id: adId, wanted: '[]', ...creative, width: 300, height: 250, resolved_at: new Date() },
      ...{ failure: null, reason: null, claimed_by_index: null, claimed_by_attempt: null },
    })
    .execute();
  for (const marker_ms of [0, 1_500]) {
    const image_token = await seedPicture(db, server.organizationId, '300x250');
    await db
      .insertInto('creative_frames')
      .values([1, 2].map((ratio) => ({ job_id: jobId, ad_id: adId, marker_ms, ratio, image_token })))
      .execute();
  }
}

describe('the page of an ad', () => {
  it('the page of an ad shows its frames, its size, how it was captured, and its sets', async () => {
    const id = await seedAd();
    await seedFrames(id);
    const { page, faults } = await visit(server, adAddress(id));
    expect(await page.locator('.frames figcaption').allTextContents()).toEqual(['0.0 s', '1.5 s']);
    const facts = (await page.locator('dl').textContent()) ?? '';
    for (const fact of ['300 × 250 CSS pixels', 'html5_zip', 'stepped', 'a dialog was closed'])
      expect(facts).toContain(fact);
    await follow(page.getByRole('link', { name: 'Autumn launch' }).first());
    expect(page.url()).toContain('/campaigns/');
    await page.goBack();
    await follow(page.locator('.list .main a'));
    expect(page.url()).toContain('/screenshot_sets/');
    expect(faults).toEqual([]);
  });

  it('the page of an ad shows the preview without a reload', async () => {
    const id = await seedAd({ status: 'pending' });
    const { page } = await visit(server, adAddress(id));
    expect(await page.locator('.preview').count()).toBe(0);
    const { db } = server.store;
    const preview_token = await seedPicture(db, server.organizationId, '300x250');
    await db.updateTable('ads').set({ status: 'uploaded', preview_token }).where('id', '=', id).execute();
    await notify(db, { ad: id });
    await page.locator('.preview img').waitFor();
  });

  it('the page of an ad that was uploaded names the file', async () => {
    const { db } = server.store;
    const organization = { id: server.organizationId, slug: 'demo', campaignId: '' };
    const name = 'banner <300x250>.zip';
    const upload = await insertUpload(db, organization, { name, bytes: Buffer.alloc(48_213) });
    const id = await seedAd();
    await sql`update ads set kind = 'upload', content = ${upload}, upload_id = ${upload}::uuid where id = ${id}`.execute(
      db,
    );
    const page = await read(server, adAddress(id));
    const facts = (await page.locator('dl').textContent()) ?? '';
    expect(facts).toContain(`${name} uploaded, 48,213 bytes`);
  });

  it('the page of a failed ad says why and what to do', async () => {
    const id = await seedAd({ status: 'generic_error', reason: 'The zip has no index.html.' });
    const page = await read(server, adAddress(id));
    const note = (await page.locator('.note.fault').textContent()) ?? '';
    expect(note).toContain('The zip has no index.html.');
    expect(note).toContain('Correct the file');
  });

  it('the page of an ad shows its metadata as text', async () => {
    const id = await seedAd({ metadata: JSON.stringify({ 'order <b>': '<script>4711</script>' }) });
    const { page, faults } = await visit(server, adAddress(id));
    await page.getByText('Metadata').click();
    const [key, value] = ['dt', 'dd'].map((name) => page.locator(`details.note ${name}`));
    expect([await key?.innerText(), await value?.innerText()]).toEqual(['order <b>', '<script>4711</script>']);
    expect(faults).toEqual([]);
  });

  it('the page of an ad shows its warnings', async () => {
    const warnings = JSON.stringify([{ code: 'size_assumed', message: 'The size <300×250> was assumed.' }]);
    const id = await seedAd({ warnings });
    const page = await read(server, adAddress(id));
    expect(await page.locator('.warnings li').allTextContents()).toEqual(['The size <300×250> was assumed.']);
  });

  it('the page shows a tag as text, and only the beginning of a large one', async () => {
    const content = `<script>alert(1)</script>${'x'.repeat(10_000)}`;
    const id = await seedAd();
    await server.store.db.updateTable('ads').set({ kind: 'html_tag', content }).where('id', '=', id).execute();
    const { page, faults } = await visit(server, adAddress(id));
    await page.getByText('Details').click();
    expect((await page.locator('pre').textContent())?.startsWith('<script>alert(1)</script>')).toBe(true);
    expect(await page.getByText('The first 4000 of 10025 characters').isVisible()).toBe(true);
    expect(faults).toEqual([]);
  });
});
