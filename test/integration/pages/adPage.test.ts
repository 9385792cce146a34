import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { insertUpload } from '../../support/insertRows.ts';
import { seedPicture, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';

const server = preparePages();

const adAddress = (id: string) => `${server.url}/o/demo/ads/${id}`;

async function seedAd(values: { content?: string; warnings?: string; metadata?: string } = {}): Promise<string> {
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
    const warnings = JSON.stringify([{ code: 'size_assumed', message: 'The size was assumed.' }]);
    const id = await seedAd({ warnings, metadata: JSON.stringify({ order: '4711' }) });
    await seedFrames(id);
    const page = await read(server, adAddress(id));
    expect(page.locator('.frames figcaption').allTextContents()).toEqual(['0.0 s', '1.5 s']);
    const facts = page.locator('dl').first().textContent();
    expect(page.locator('.warnings li').allTextContents()).toEqual(['The size was assumed.']);
    expect(page.locator('details.note dd').textContent()).toBe('4711');
    for (const fact of ['300 × 250 CSS pixels', 'html5_zip', 'stepped', 'a dialog was closed'])
      expect(facts).toContain(fact);
    await page.proceed(page.getByRole('link', { name: 'Autumn launch' }).first());
    expect(page.url).toContain('/campaigns/');
    await page.open(adAddress(id));
    await page.proceed(page.locator('.list .main a'));
    expect(page.url).toContain('/screenshot_sets/');
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
    const facts = page.locator('dl').first().textContent();
    expect(facts).toContain(`${name} uploaded, 48,213 bytes`);
  });

  it('the page shows a tag as text, and only the beginning of a large one', async () => {
    const content = `<script>alert(1)</script>${'x'.repeat(10_000)}`;
    const id = await seedAd();
    await server.store.db.updateTable('ads').set({ kind: 'html_tag', content }).where('id', '=', id).execute();
    const page = await read(server, adAddress(id));
    expect(page.locator('pre').textContent()).toBe(content.slice(0, 4_000));
    expect(page.getByText('The first 4000 of 10025 characters').count()).toBe(1);
  });
});
