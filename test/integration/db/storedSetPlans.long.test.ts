/** Lists of the API, the removal of sets and the work of the controller must not read all rows that were ever stored. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listAds } from '../../../src/core/ads/listAds.ts';
import { countRunning, countWaiting, organizationsWithBacklog, readBacklog } from '../../../src/core/jobs/backlog.ts';
import { deleteOldEntries, listAuditLog } from '../../../src/core/journal/auditLogQueries.ts';
import { deleteExpiredSet, deleteSet, readCampaignUse } from '../../../src/core/removal/deletions.ts';
import { OLD_ROWS } from '../../../src/core/removal/oldRows.ts';
import { takeRemovedFiles } from '../../../src/core/removal/removedFiles.ts';
import { listCampaigns } from '../../../src/core/sets/campaigns.ts';
import { listSets } from '../../../src/core/sets/listSets.ts';
import { findApprovedPlace, listApprovedScreenshots, readScreenshots } from '../../../src/core/sets/readScreenshots.ts';
import { readRetakeSources, readVersions } from '../../../src/core/sets/readVersions.ts';
import { listUploads } from '../../../src/core/uploads/uploadQueries.ts';
import { claimDeliveries, deliveryDepth } from '../../../src/core/webhooks/deliveryQueue.ts';
import { listEvents } from '../../../src/core/webhooks/eventQueries.ts';
import { listDeliveries } from '../../../src/core/webhooks/listDeliveries.ts';
import { findPlace, type ListTable } from '../../../src/db/conditions.ts';
import { testDatabase } from '../../support/database.ts';
import { rowCounter } from '../../support/rowCounter.ts';
import { fillDatabase, storedId } from '../../support/storedSets.ts';
import { testListPlans } from './listPlans.ts';

const SETS = 20_000;
/** A page has 100 rows, 1,000 are counted, and each may have a row in another table. */
const ROWS_MOST = 4_000;
const STEP_MOST = 1_000;
const SLOTS = { free: 512, perOrganization: 64, perReceiver: 16 };

const organizationId = '00000000-0000-4000-8000-000000000001';
const smallOrganizationId = '00000000-0000-4000-8000-000000000002';
const database = await testDatabase();
const pool = new pg.Pool({ connectionString: database.url });
const { db, mostRowsRead } = rowCounter(pool);

beforeAll(async () => {
  await pool.query(`insert into organizations (id, slug, webhook_secret)
    values ('${organizationId}', 'large', 's'), ('${smallOrganizationId}', 'small', 's')`);
  await fillDatabase(pool, organizationId, { sets: SETS, screenshotsPerSet: 2, setsPerCampaign: 20, metadata: true });
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

testListPlans({ db, mostRowsRead, organizationId, sets: SETS, smallOrganizationId });

const page = { page: 1, perPage: 100 };
const of = { organizationId };
const [setId, adId] = [storedId('s', SETS / 2), storedId('a', SETS / 2)];
const screenshotId = storedId('p', `${SETS / 2}-1`);
const ever = { from: new Date(0), to: new Date(), creative: true };

async function behind(table: ListTable, id: string) {
  const place = await findPlace(db, table, { id, organizationId });
  if (place === undefined) throw new Error(`${table} has no row ${id}.`);
  return { organizationId, after: place };
}

describe('a page of the API in an organization with 20,000 sets', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['sets', () => listSets(db, of, page)],
    ['sets, from the middle on', async () => listSets(db, await behind('screenshot_sets', setId), page)],
    ['sets with a rare status', () => listSets(db, { ...of, status: 'in_review' }, page)],
    ['sets with a status that none has', () => listSets(db, { ...of, status: 'failed' }, page)],
    ['sets of some days', () => listSets(db, { ...of, from: new Date(Date.now() - 10_000_000), to: new Date() }, page)],
    ['sets with a word that all have', () => listSets(db, { ...of, text: 'banner' }, page)],
    ['sets with a word that one has', () => listSets(db, { ...of, text: 'b777' }, page)],
    ['sets of a site', () => listSets(db, { ...of, site: 'site7.example' }, page)],
    ['ads', () => listAds(db, of, page)],
    ['ads, from the middle on', async () => listAds(db, await behind('ads', adId), page)],
    ['ads with a lookup key', () => listAds(db, { ...of, lookupKey: 'key-777' }, page)],
    ['ads with a rare status', () => listAds(db, { ...of, status: 'not_found' }, page)],
    ['campaigns', () => listCampaigns(db, of, page)],
    ['uploads', () => listUploads(db, of, page)],
    [
      'uploads, from the middle on',
      async () => listUploads(db, await behind('uploads', storedId('o', SETS / 2)), page),
    ],
    ['events', () => listEvents(db, of, page)],
    ['events of a topic', () => listEvents(db, { ...of, topic: 'ad.uploaded' }, page)],
    ['events of a topic that none has', () => listEvents(db, { ...of, topic: 'webhook.test' }, page)],
    ['events of a set', () => listEvents(db, { ...of, setId }, page)],
    ['events, from the middle on', async () => listEvents(db, await behind('events', storedId('e', '9-1')), page)],
    ['deliveries', () => listDeliveries(db, of, page)],
    [
      'deliveries, from the middle on',
      async () => listDeliveries(db, await behind('deliveries', storedId('d', '9-1')), page),
    ],
    ['failed deliveries', () => listDeliveries(db, { ...of, status: 'retries_exhausted' }, page)],
    ['deliveries with a status that none has', () => listDeliveries(db, { ...of, status: 'gone' }, page)],
    ['deliveries to buckets', () => listDeliveries(db, { ...of, channel: 's3' }, page)],
    ['deliveries of a topic that none has', () => listDeliveries(db, { ...of, topic: 'webhook.test' }, page)],
    ['deliveries of a set', () => listDeliveries(db, { ...of, setId }, page)],
    ['the audit log', () => listAuditLog(db, of, page)],
    ['an action that nobody did', () => listAuditLog(db, { ...of, action: 'api_key.created' }, page)],
    ['an actor without actions', () => listAuditLog(db, { ...of, actor: 'operator' }, page)],
    ['a key without actions', () => listAuditLog(db, { ...of, actor: 'AAAAAAAA' }, page)],
    ['approved screenshots, newest first', () => listApprovedScreenshots(db, { ...of, ...ever, order: 'desc' }, page)],
    ['approved screenshots, oldest first', () => listApprovedScreenshots(db, { ...of, ...ever, order: 'asc' }, page)],
    [
      'approved screenshots, from the middle on',
      async () => {
        const place = await findApprovedPlace(db, { id: screenshotId, organizationId });
        return listApprovedScreenshots(db, { ...of, ...ever, order: 'desc', after: place }, page);
      },
    ],
  ])('reads few rows: %s', async (_name, read) => {
    expect(await mostRowsRead(read)).toBeLessThan(ROWS_MOST);
  });
});

describe('with 20,000 stored sets', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['a set', () => readScreenshots(db, setId)],
    ['the versions of a set', () => readVersions(db, setId)],
    ['the screenshots to retake', () => readRetakeSources(db, setId)],
    ['the backlog', () => readBacklog(db, 5)],
    ['the captures that run', () => countRunning(db)],
    ['the organizations with a backlog', () => organizationsWithBacklog(db)],
    ['the number of waiting sets', () => countWaiting(db)],
    [
      'claiming deliveries that are due',
      () => claimDeliveries(db, { channel: 'webhook', leaseSeconds: 20, running: [], ...SLOTS }),
    ],
    ['the depth of the delivery queue', () => deliveryDepth(db)],
    ['deleting an expired set', () => deleteExpiredSet(db, { organizationId, days: 0 })],
    ['deleting one set', () => deleteSet(db, setId)],
    ['the use of a campaign', () => readCampaignUse(db, storedId('c', 5), 1_000)],
    ['files to delete', () => takeRemovedFiles(db, 50)],
    ...Object.entries(OLD_ROWS).map(([kind, deleteOld]): [string, () => Promise<unknown>] => [
      `old rows: ${kind}`,
      () => deleteOld(db, 100),
    ]),
    ['deleting old entries of the audit log', () => deleteOldEntries(db, { days: 30, most: 200 })],
  ])('few rows are read for: %s', async (_name, run) => {
    expect(await mostRowsRead(run)).toBeLessThan(STEP_MOST);
  });

  test('each foreign key to a table with removed rows has an index, so that a removal reads few rows', async () => {
    const { rows } = await pool.query(`
      select f.conrelid::regclass || ' (' || a.attname || ')' as missing
      from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
      where f.contype = 'f' and f.confrelid = any('{screenshot_sets, screenshots, screenshot_jobs, job_creatives,
          subscribers, deliveries, events, share_links, exports, uploads, images, ads}'::regclass[])
        and not exists (
          select from pg_index i where i.indrelid = f.conrelid and i.indkey[0] = f.conkey[1] and i.indisvalid)`);
    expect(rows).toEqual([]);
  });
});
