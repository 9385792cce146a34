/** Inserts organizations, ads and sets as the API's requests do, and enqueues the work that follows. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { OptionsJson } from '../../src/contract/storedOptions.ts';
import type { Database, Queryable } from '../../src/db/database.ts';
import type { Enqueuer } from '../../src/db/queue.ts';
import { sealSecret } from '../../src/db/secrets/sealing.ts';
import type { DeviceName } from '../../src/domain/devices.ts';
import { sha256Of } from '../../src/lib/sha256.ts';

export interface TestOrganization {
  readonly id: string;
  readonly slug: string;
  readonly campaignId: string;
}

export async function insertOrganization(
  db: Database,
  options: { slug?: string; review?: 'manual' | 'automatic' } = {},
): Promise<TestOrganization> {
  const { slug = `org-${randomBytes(4).toString('hex')}`, review = 'automatic' } = options;
  const id = randomUUID();
  const campaignId = randomUUID();
  await db
    .insertInto('organizations')
    .values({
      id,
      slug,
      review,
      webhook_secret: sealSecret(
        db,
        `whsec_${randomBytes(24).toString('base64')}`,
        `organizations.webhook_secret of ${id}`,
      ),
    })
    .execute();
  await db.insertInto('campaigns').values({ id: campaignId, organization_id: id, name: 'Spring' }).execute();
  return { id, slug, campaignId };
}

export interface Subscriber {
  readonly webhook_url?: string;
  readonly webhook_topics?: string[];
  readonly s3_bucket?: string;
  readonly s3_key_prefix?: string;
  readonly s3_connector?: string;
}

/** `content` selects the behavior of the fake capture. */
export async function insertAd(
  db: Database,
  organization: TestOrganization,
  given: {
    id?: string;
    content?: string;
    source?: 'create_ad' | 'screenshot_request' | 'draft';
    subscribers?: Subscriber[];
    /** Id of the upload that is the creative. */
    upload?: string;
  } = {},
): Promise<string> {
  const { id = randomUUID(), content = 'fine', source = 'screenshot_request', subscribers = [], upload } = given;
  const media =
    upload === undefined ? { kind: 'html_tag' as const, content } : { kind: 'upload' as const, content: upload };
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('ads')
      .values({
        ...{ id, source, ...media, name: 'Ad', upload_id: upload ?? null },
        organization_id: organization.id,
        campaign_id: organization.campaignId,
      })
      .execute();
    await insertSubscribers(transaction, organization, { ad_id: id }, subscribers);
  });
  return id;
}

/** Inserts the row of an upload that an ad uses. @returns its id. */
export async function insertUpload(
  db: Database,
  organization: TestOrganization,
  { name, bytes }: { name: string; bytes: Buffer },
): Promise<string> {
  const id = randomUUID();
  const content = { format: 'image' as const, content_type: 'image/png', bytes: bytes.length, sha256: sha256Of(bytes) };
  await db
    .insertInto('uploads')
    .values({ id, organization_id: organization.id, name, expires_at: null, ...content })
    .execute();
  return id;
}

export interface TestPicture {
  readonly adId: string;
  readonly site?: string;
  readonly device?: DeviceName;
  readonly markerMs?: number | null;
  /** Default: null, the default options. */
  readonly options?: OptionsJson;
}

export async function insertSet(
  db: Database,
  organization: TestOrganization,
  { pictures, subscribers = [] }: { pictures: TestPicture[]; subscribers?: Subscriber[] },
): Promise<string> {
  const id = randomUUID();
  const rows = pictures.map(
    ({ adId, site = 'https://news.example/', device = 'desktop', markerMs = null, options }, seq) => ({
      ...{ id: randomUUID(), set_id: id, seq, ad_id: adId, device },
      ...{ site_url: site, site_key: site, marker_ms: markerMs },
      options: options === undefined ? null : JSON.stringify(options),
    }),
  );
  // One transaction, as in a request: a controller that runs must never admit a set without its screenshots.
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('screenshot_sets')
      .values({ id, organization_id: organization.id, campaign_id: organization.campaignId })
      .execute();
    await transaction.insertInto('screenshots').values(rows).execute();
    await insertSubscribers(transaction, organization, { set_id: id }, subscribers);
  });
  return id;
}

export async function insertPlacement(
  db: Database,
  { id: organization_id }: TestOrganization,
  { site = 'https://news.example/', sizes = [{ width: 300, height: 250 }] } = {},
): Promise<string> {
  const id = randomUUID();
  const request = { site_url: site, device: 'desktop' as const, sizes: JSON.stringify(sizes) };
  await db
    .insertInto('placements')
    .values({ id, organization_id, ...request, expires_at: new Date(Date.now() + 86_400_000) })
    .execute();
  return id;
}

async function insertSubscribers(
  db: Queryable,
  { id: organization_id }: TestOrganization,
  subject: { ad_id: string } | { set_id: string },
  subscribers: Subscriber[],
): Promise<void> {
  for (const [seq, subscriber] of subscribers.entries()) {
    await db
      .insertInto('subscribers')
      .values({ id: randomUUID(), organization_id, seq, ...subject, ...subscriber })
      .execute();
  }
}

export async function launch(db: Database, queue: Enqueuer, { id }: TestOrganization): Promise<void> {
  await db.transaction().execute((tx) => queue.enqueue(tx, 'launch', { organization_id: id }));
}

/** @returns whether the captures of all pages have started. A capture that never started ends in another way than one that hangs. */
export async function haveAllBegun(db: Database): Promise<boolean> {
  const indexes = await db.selectFrom('job_indexes').select('started_at').execute();
  return indexes.length > 0 && indexes.every(({ started_at }) => started_at !== null);
}
