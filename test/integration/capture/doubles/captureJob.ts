/** A job for one capture: in the real internal API on its own database, behind a proxy that misbehaves on demand. */
import { sql } from 'kysely';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { issueJobToken } from '../../../../src/api/auth/jobToken.ts';
import type { CaptureObserver, InternalApiOptions } from '../../../../src/api/internal/options.ts';
import type { NewSiteRule } from '../../../../src/contract/siteRules.ts';
import { optionsToJson } from '../../../../src/contract/storedOptions.ts';
import { admitWaiting } from '../../../../src/core/jobs/admission.ts';
import { settleJob } from '../../../../src/core/jobs/settlement.ts';
import { createSiteRule } from '../../../../src/core/siteRules/siteRules.ts';
import type { Database } from '../../../../src/db/database.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import type { DeviceName } from '../../../../src/domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { uploadKey } from '../../../../src/domain/uploads.ts';
import { captureClient } from '../../../support/captureClient.ts';
import { insertAd, insertOrganization, insertPlacement, insertSet, insertUpload } from '../../../support/insertRows.ts';
import { startTestInternalApi, type TestInternalApi } from '../../../support/testInternalApi.ts';
import { startMisbehavingProxy } from './misbehavingProxy.ts';

const LIMITS = { maxPods: 10, maxPodsPerOrganization: 10, parallelism: 1, setDeadlineSeconds: 600 };

export interface PageOrder {
  readonly site: string;
  readonly device: DeviceName;
  /** `[ad, marker]` */
  readonly pictures: readonly (readonly [string, number | null])[];
}

export interface JobOrder {
  /** The content of each ad, by its id. The engine double reads its behavior from the content. */
  readonly ads?: Readonly<Record<string, string>>;
  /** Each page is one index; of five pages, the first two are index 0. Without pages, the job only renders the ads. */
  readonly pages?: readonly PageOrder[];
  /** A job of this placement, instead of ads and pages. */
  readonly placement?: { readonly site: string; readonly sizes: { width: number; height: number }[] };
  /** Site rules of its organization. */
  readonly rules?: readonly Partial<NewSiteRule>[];
  readonly options?: Partial<InternalApiOptions>;
  /** The uploaded files of some of the ads, by the ids of the ads. */
  readonly files?: Readonly<Record<string, { readonly name: string; readonly bytes: Buffer }>>;
}

export type CaptureJob = Awaited<ReturnType<typeof createCaptureJob>>;

/**
 * The tests of a file share one database and its connections, because a database for each test takes more processor time than
 * the tests themselves.
 * @returns starts a job and deletes the rows of the job before it. Each job has an internal API of its own, which closes when
 *   the test ends.
 */
export function prepareCaptureJobs(): (order: JobOrder) => Promise<CaptureJob> {
  let api: TestInternalApi;
  beforeAll(async () => {
    api = await startTestInternalApi();
  });
  afterAll(() => api.close());
  return (order) => createCaptureJob(api, order);
}

const TABLES = [
  'declared_uploads',
  'creative_frames',
  'job_creatives',
  'job_indexes',
  'screenshots',
  'placements',
  'events',
  'screenshot_jobs',
  'screenshot_sets',
  'ads',
  'site_rules',
  'uploads',
  'images',
  'campaigns',
  'organizations',
] as const;

/** A request of the test before may still insert rows. Without the checks of foreign keys they do not stop the deletion. */
async function deleteRows(db: Database): Promise<void> {
  for (const table of TABLES)
    await db.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction);
      await transaction.deleteFrom(table).execute();
    });
}

async function createCaptureJob(
  shared: TestInternalApi,
  { ads = {}, pages = [], placement, rules = [], options = {}, files = {} }: JobOrder,
) {
  const phases: Readonly<Record<string, number>>[] = [];
  const observe: CaptureObserver = { phases: (given) => phases.push(given) };
  const proxy = await startMisbehavingProxy(() => api.url);
  const api = await shared.startApi({ internalUrl: proxy.url, observe, ...options });
  onTestFinished(async () => {
    await proxy.close();
    await api.close();
  });
  const { db } = shared.store;
  await deleteRows(db);
  const organization = await insertOrganization(db);
  for (const { host = 'news.example', ...rule } of rules)
    await db.transaction().execute((tx) => createSiteRule(tx, organization.id, { host, ...rule }, OPERATOR));
  const source = pages.length === 0 ? 'create_ad' : 'screenshot_request';
  const artifacts = options.artifacts ?? shared.artifacts;
  for (const [id, content] of Object.entries(ads)) {
    const file = files[id];
    const upload = file && (await insertUpload(db, organization, file));
    if (file && upload) await artifacts.put(uploadKey(upload), file.bytes, 'application/octet-stream');
    await insertAd(db, organization, { id, content, source, ...(upload && { upload }) });
  }
  const pictures = pages.flatMap((page) => page.pictures.map(([adId, markerMs]) => ({ ...page, adId, markerMs })));
  if (pages.length > 0) await insertSet(db, organization, { pictures });
  if (placement !== undefined) await insertPlacement(db, organization, placement);
  const { admitted } = await db.transaction().execute((tx) => admitWaiting(tx, LIMITS, { reached: [] }));
  const jobId = admitted[0]?.jobId ?? '';
  // The capture ends after its own job.
  await db.updateTable('screenshot_jobs').set({ small: false }).execute();
  const token = issueJobToken(shared.secret, jobId, new Date(Date.now() + 600_000));
  const updateCreative = (ad: string) => db.updateTable('job_creatives').where('ad_id', '=', ad);

  return {
    ...proxy,
    artifacts,
    env: {
      TEARSHEET_INTERNAL_URL: proxy.url,
      TEARSHEET_JOB: jobId,
      JOB_COMPLETION_INDEX: '0',
      TEARSHEET_TOKEN: token,
      TEARSHEET_POD: 'pod-1',
    },
    /** Calls the API as another capture, and not through the proxy. */
    otherCapture: captureClient(api.url, jobId, token),
    /** The seconds of each phase, for each capture that finished. */
    phases,
    ad: (id: string) => db.selectFrom('ads').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    creative: (ad: string) =>
      db.selectFrom('job_creatives').selectAll().where('ad_id', '=', ad).executeTakeFirstOrThrow(),
    placement: () =>
      db
        .selectFrom('placements')
        .leftJoin('images', 'images.token', 'image_token')
        .selectAll('placements')
        .select(['images.width', 'images.height', 'images.artifact_key'])
        .executeTakeFirstOrThrow(),
    /** In the order of the pages and their pictures. */
    screenshots: () =>
      db
        .selectFrom('screenshots')
        .leftJoin('images', 'images.token', 'image_token')
        .select(['status', 'reason', 'captured_at', 'record', 'width', 'height', 'images.sha256', 'page_token'])
        .orderBy('seq')
        .execute(),
    rules: () => db.selectFrom('site_rules').selectAll().orderBy('host').execute(),
    images: () => db.selectFrom('images').selectAll().execute(),
    removeScreenshotOf: (ad: string) => db.deleteFrom('screenshots').where('ad_id', '=', ad).execute(),
    removedFiles: async () => (await db.selectFrom('removed_files').select('key').execute()).map(({ key }) => key),
    async settle() {
      const context = { publicUrl: api.url, queue: { enqueue: async () => undefined }, resolved: [], reached: [] };
      await db.transaction().execute((tx) => settleJob(tx, { jobId, cause: 'complete' }, context));
    },
    /** Index 1 holds the claim on this creative from now on. */
    async moveClaim(ad: string) {
      const claim_expires_at = new Date(Date.now() + 600_000);
      await updateCreative(ad).set({ claimed_by_index: 1, claimed_by_attempt: 1, claim_expires_at }).execute();
    },
    /** The screenshots are one group, of which some ads have a result already. */
    async group({ except = [] }: { readonly except?: readonly string[] } = {}) {
      const options = JSON.stringify({ ...optionsToJson(DEFAULT_OPTIONS), group: 'Takeover' });
      await db.updateTable('screenshots').set({ options }).execute();
      if (except.length > 0)
        await db
          .updateTable('screenshots')
          .set({ status: 'no_slots' })
          .where('ad_id', 'in', [...except])
          .execute();
    },
    /** The uploaded file of the ad is the page of the screenshots. */
    async giveAsPage(ad: string) {
      const { upload_id: page_upload_id } = await db
        .selectFrom('ads')
        .select('upload_id')
        .where('id', '=', ad)
        .executeTakeFirstOrThrow();
      const options = JSON.stringify(optionsToJson({ ...DEFAULT_OPTIONS, givenPage: page_upload_id, location: 'de' }));
      await db.updateTable('screenshots').set({ options, page_upload_id }).execute();
    },
    async expireClaim(ad: string) {
      await updateCreative(ad)
        .set({ claim_expires_at: new Date(0) })
        .execute();
    },
  };
}
