/** Parts of pages that change without a reload, and what they leave as it is. */
import { expect, it } from 'vitest';
import { findS3Connector, finishConnectorCheck, setS3Connector } from '../../../src/core/buckets/connectorQueries.ts';
import { type NextStep, storeAttempt } from '../../../src/core/webhooks/deliveryQueue.ts';
import { notify } from '../../../src/db/notifications.ts';
import { required } from '../../support/required.ts';
import { follow, preparePagesInBrowser, visit } from './browser.ts';
import { readReview, seedDelivery, seedPicture, seedSet } from './pagesServer.ts';
import { RequestForm } from './requestForm.ts';
import { failShot, finishShot, NEWS, readRetake, seedFailures, settle, useSecondSlot } from './retaking.ts';

const server = preparePagesInBrowser();

const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const SHOT = { site: NEWS, device: 'desktop' } as const;
const PENDING = { ...SHOT, status: 'pending' } as const;

it('the inbox follows its sets: one that waits for a review, and the decisions about it', async () => {
  const { setId, shotIds } = await seedSet(server, { campaign: 'Inbox', shots: [SHOT] });
  const { page } = await visit(server, `${server.url}/o/demo/campaigns`);
  const item = page.locator('#inbox li', { hasText: 'Inbox' });
  expect(await item.count()).toBe(0);
  await settle(server, setId, 'in_review');
  await item.getByText('0 of 1 reviewed').waitFor();
  const { db } = server.store;
  await db.updateTable('screenshots').set({ decision: 'approved' }).where('id', '=', required(shotIds[0])).execute();
  await notify(db, { set: setId });
  await item.getByText('1 of 1 reviewed').waitFor();
});

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

  await finishShot(server, { setId, id: shotIds[0] });
  await picture(0).waitFor();
  expect(await page.locator('#head').textContent()).toContain('1 taken, 1 in progress');
  expect(await picture(1).count()).toBe(0);

  await finishShot(server, { setId, id: shotIds[1], size: '1080x2400' });
  await settle(server, setId);
  await picture(1).waitFor();
  await page.locator('#head .badge.approved').waitFor();
  expect(await page.locator('body').getAttribute('data-same')).toBe('yes');
  expect(faults).toEqual([]);
});

it('an open menu and an open box stay open during live updates', async () => {
  const { page, shotIds, finish } = await openRunningSet();
  await page.getByLabel('More').click();
  await finish();
  await page.locator(`#screenshot-${shotIds[0]} img`).waitFor();
  expect(await page.locator('#head .menu').getAttribute('open')).toBe('');
  await page.reload();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByLabel('For whom').fill('Anna');
  await finish();
  expect(await page.locator('#share').isVisible()).toBe(true);
  expect(await page.getByLabel('For whom').inputValue()).toBe('Anna');
});

it('the control with the keyboard focus keeps it when a live update replaces its part of the page', async () => {
  const { page, shotIds, finish } = await openRunningSet();
  await page.getByRole('button', { name: 'Share' }).focus();
  await finish();
  await page.getByRole('button', { name: 'Cancel 1 picture' }).first().waitFor();
  await page.locator(`#screenshot-${shotIds[0]} img`).waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Share');
});

it('the keyboard stays on Reject when the comment of another reviewer comes before it', async () => {
  const shots = [{ site: NEWS, device: 'desktop' as const }];
  const { setId, shotIds } = await seedSet(server, { status: 'in_review', shots });
  const { page } = await visit(server, setAddress(setId));
  await page.getByRole('button', { name: 'Reject news.example' }).focus();
  const other = await RequestForm.open(server);
  await other.postTo(`/o/demo/screenshots/${shotIds[0]}/comments`, { body: 'Look' });
  await page.getByRole('link', { name: '1 comment' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toContain('Reject');
});

it('a page that was open during the capture can review and share when the set is ready', async () => {
  const { page, setId, shotIds } = await openRunningSet();
  for (const [at, size] of ['1440x900', '1080x2400'].entries())
    await finishShot(server, { setId, id: shotIds[at], size });
  await settle(server, setId, 'in_review');
  await page.getByRole('button', { name: 'Finish review' }).click();
  await page.locator('#finish').getByText('2 of 2 pictures count as approved').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Approve all of news.example' }).click();
  await page.locator('.toast').getByText('2 pictures are approved.').waitFor();
  expect(await readReview(server, setId)).toMatchObject({ status: 'in_review' });
});

it('the decision of another reviewer updates the counts, and a text that was not sent stays', async () => {
  const shots = (['desktop', 'mobile'] as const).map((device) => ({ site: NEWS, device }));
  const { setId, shotIds } = await seedSet(server, { status: 'in_review', shots });
  const { page, faults } = await visit(server, `${setAddress(setId)}?tab=activity`);
  await page.getByLabel('New comment').fill('Half a sentence');
  await page.getByLabel('New comment').blur();
  const other = await RequestForm.open(server);
  await other.postTo(`/o/demo/screenshot_sets/${setId}/reviews`, { decide: `approved:${shotIds[0]}` });
  await page.locator('.so-far').getByText('1 of 2 reviewed').waitFor();
  expect(await page.locator('#head progress').getAttribute('value')).toBe('1');
  expect(await page.getByLabel('New comment').inputValue()).toBe('Half a sentence');
  expect(faults).toEqual([]);
});

it('a page in the background has no stream, and shows what happened as soon as a person returns to it', async () => {
  const shots = [{ site: NEWS, device: 'desktop' as const }];
  const { setId, shotIds } = await seedSet(server, { status: 'approved', shots });
  const { page, faults } = await visit(server, setAddress(setId));
  const show = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'));
  await show(true);
  await ended;
  const other = await RequestForm.open(server);
  await other.postTo(`/o/demo/screenshot_sets/${setId}/reviews`, { decide: `approved:${shotIds[0]}` });
  await show(false);
  await page.locator(`#screenshot-${shotIds[0]} .badge.approved`).waitFor();
  await other.postTo(`/o/demo/screenshot_sets/${setId}/reviews`, { decide: `rejected:${shotIds[0]}` });
  await page.locator(`#screenshot-${shotIds[0]} .badge.rejected`).waitFor();
  expect(faults).toEqual([]);
});

it('a new comment appears while a person writes one', async () => {
  const { setId, shotIds } = await seedSet(server, { status: 'approved', shots: [{ site: NEWS, device: 'desktop' }] });
  const { page } = await visit(server, `${server.url}/o/demo/screenshots/${shotIds[0]}`);
  const field = page.getByLabel('New comment');
  await field.fill('Half a sentence');
  const other = await RequestForm.open(server);
  await other.postTo(`/o/demo/screenshots/${shotIds[0]}/comments`, { body: 'Look' });
  await page.locator('#open-threads').getByText('Look').waitFor();
  const { id } = await server.store.db
    .selectFrom('comments')
    .select('id')
    .where('set_id', '=', setId)
    .executeTakeFirstOrThrow();
  await other.postTo(`/o/demo/comments/${id}/resolve`, { resolved: 'yes' });
  await page.getByText('1 resolved').waitFor();
  expect(await page.locator('#open-threads').isVisible()).toBe(false);
  expect(await field.inputValue()).toBe('Half a sentence');
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
});

it('a control that is pressed while a live update arrives still works', async () => {
  const { page, shotIds, finish } = await openRunningSet();
  await page.getByRole('button', { name: 'Share' }).hover();
  await page.mouse.down();
  await finish();
  await page.locator(`#screenshot-${shotIds[0]} img`).waitFor();
  await page.mouse.up();
  await page.locator('#share').waitFor();
});

it('a row changes without a reload, and new sets are offered', async () => {
  const { setId } = await seedSet(server, {
    campaign: 'Live one',
    status: 'capturing',
    shots: [PENDING],
  });
  const { page, faults } = await visit(server, `${server.url}/o/demo/screenshot_sets?q=live`);
  await page.evaluate(() => document.body.setAttribute('data-same', 'yes'));
  const { db } = server.store;
  await db.updateTable('screenshots').set({ status: 'no_slots' }).where('set_id', '=', setId).execute();
  await db.updateTable('screenshot_sets').set({ status: 'failed' }).where('id', '=', setId).execute();
  await notify(db, { set: setId });
  await page.locator(`#set-${setId} .badge.failed`).waitFor();
  expect(await page.locator('#newer').isVisible()).toBe(false);

  const next = await seedSet(server, { campaign: 'Live two', shots: [SHOT] });
  await seedSet(server, { campaign: 'Other', shots: [SHOT] });
  await notify(db, { set: next.setId, organization: server.organizationId });
  await page.getByRole('link', { name: 'New sets: show' }).waitFor();
  expect(await page.locator('tbody tr').count()).toBe(1);
  expect(await page.locator('body').getAttribute('data-same')).toBe('yes');
  await follow(page.getByRole('link', { name: 'New sets: show' }));
  expect(await page.locator('tbody tr').count()).toBe(2);
  expect(faults).toEqual([]);
});

it('the page of an ad shows the preview without a reload', async () => {
  const { db } = server.store;
  const { adIds } = await seedSet(server, { shots: [SHOT] });
  const id = adIds[0] ?? '';
  await db.updateTable('ads').set({ status: 'pending' }).where('id', '=', id).execute();
  const { page } = await visit(server, `${server.url}/o/demo/ads/${id}`);
  expect(await page.locator('.preview').count()).toBe(0);
  const preview_token = await seedPicture(db, server.organizationId, '300x250');
  await db.updateTable('ads').set({ status: 'uploaded', preview_token }).where('id', '=', id).execute();
  await notify(db, { ad: id });
  await page.locator('.preview img').waitFor();
});

it('a delivery is sent again, and its page follows the next attempt without a reload', async () => {
  const { setId } = await seedSet(server, { shots: [] });
  const failed = await seedDelivery(server, { setId, target: 'https://you.example/', status: 'retries_exhausted' });
  const { page, faults } = await visit(server, `${server.url}/o/demo/deliveries/${failed}`);
  await follow(page.getByRole('button', { name: 'Send again' }));
  await page.getByText('The service will send it in a moment.').waitFor();
  await record(failed, 'retry');
  await page.getByText('Next attempt:').waitFor();
  await follow(page.getByRole('button', { name: 'Send again' }));
  await page.getByText('The service will send it in a moment.').waitFor();
  await record(failed, 'delivered');
  await page.getByText('Thanks 2').waitFor();
  expect(await page.locator('.badge').first().innerText()).toBe('Delivered');
  expect(faults).toEqual([]);
});

it('the page of a picture shows a retake with another slot as soon as it is taken, without a reload', async () => {
  const seeded = await seedFailures(server);
  const { page, faults } = await visit(server, `${server.url}/o/demo/screenshots/${seeded.shotIds[0]}`);
  await page.getByText('Slots of the page').click();
  await follow(page.getByRole('button', { name: 'Use this slot instead' }).first());
  await page.getByText('Slots of the page').click();
  await page.keyboard.press('e');
  await page.locator('#slot-1 summary').click();
  await page.getByLabel('Reason or note').fill('Half a sentence');
  const picture = page.locator('.stage img');
  const [before, chosen] = [await picture.getAttribute('src'), page.locator('svg.candidates .chosen')];
  expect(await chosen.getAttribute('data-slot')).toBe('1');
  const { id = '', shots } = await readRetake(server, seeded);
  await useSecondSlot(server, shots[0]?.id);
  await finishShot(server, { setId: id, id: shots[0]?.id });
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

it('the page of a set shows a retake as soon as it is taken, without a reload', async () => {
  const seeded = await seedFailures(server);
  const { page, faults } = await visit(server, `${setAddress(seeded.setId)}?tab=failed`);
  await follow(page.getByRole('button', { name: 'Retake all 2' }));
  await page.getByText('Retaking 2 pictures').waitFor();
  await page.evaluate(() => document.body.setAttribute('data-same', 'yes'));
  const { id = '', shots } = await readRetake(server, seeded);
  await finishShot(server, { setId: id, id: shots[0]?.id });
  await page.locator(`#screenshot-${seeded.shotIds[2]} img`).waitFor();
  await page.getByText('1 of 2 finished').waitFor();
  await failShot(server, id, shots[1]?.id);
  await page.getByRole('link', { name: 'Failed 1' }).waitFor();
  expect(await page.locator(`#screenshot-${seeded.shotIds[3]}`).count()).toBe(0);
  expect(await page.locator('body').getAttribute('data-same')).toBe('yes');
  expect(await page.locator('.so-far').textContent()).toBe('3 taken, 1 failed');
  expect(faults).toEqual([]);
});

it('the check of a connector shows its result without a reload', async () => {
  const { store, organizationId } = server;
  await setS3Connector(store.db, 'demo', { region: 'eu-central-1', accessKeyId: 'AKIA1', secretAccessKey: 'x' });
  const { page, faults } = await visit(server, `${server.url}/o/demo/settings/connectors`);
  await page.getByLabel('Bucket', { exact: true }).fill('pictures');
  await follow(page.getByRole('button', { name: 'Check the connector' }));
  await page.getByText('Checking').waitFor();
  const row = required(await findS3Connector(store.db, { organizationId, name: 's3' }));
  const message = 'The access key of the connector lacks the permission s3:PutObject for the bucket pictures.';
  await finishConnectorCheck(store.db, row, { status: 'failed', message });
  await notify(store.db, { connector: organizationId });
  await page.getByText(message).waitFor();
  expect(faults).toEqual([]);
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
  const finish = () => finishShot(server, { setId, id: shotIds[0] });
  return { page, setId, shotIds, finish };
}

async function record(id: string, outcome: 'retry' | 'delivered'): Promise<void> {
  const delivery = await server.store.db
    .selectFrom('deliveries')
    .select(['id', 'replays as round', 'attempts', 'set_id', 'ad_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const statusCode = outcome === 'retry' ? 503 : 200;
  const result = { outcome, durationMs: 12, statusCode, responseSnippet: `Thanks ${delivery.round}` };
  const next: NextStep = outcome === 'retry' ? { state: 'waiting', waitMs: 60_000 } : { state: 'delivered' };
  await storeAttempt(server.store.db, delivery, { result, next });
}
