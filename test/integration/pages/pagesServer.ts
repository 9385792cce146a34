/** The pages on a server of their own, over a real database, with pictures made here. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';
import sharp from 'sharp';
import { requestId } from '../../../src/api/server/caller.ts';
import { errorHandler, unknownPath } from '../../../src/api/server/errorHandler.ts';
import { readInstallation } from '../../../src/core/jobs/installation.ts';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { openStore, type Store } from '../../../src/db/database.ts';
import { type Notifications, openNotifications } from '../../../src/db/notifications.ts';
import type { DeviceName } from '../../../src/domain/devices.ts';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../../src/domain/uploads.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { createPages, type PagesOptions } from '../../../src/pages/pages.ts';
import { createErrorPages } from '../../../src/pages/routes/errorPages.ts';
import { testDatabase } from '../../support/database.ts';
import { startListener } from '../../support/listeners.ts';
import { memoryArtifacts } from '../../support/publicApi.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { TEST_LOG } from '../../support/testLog.ts';

export interface PagesServer {
  readonly url: string;
  readonly store: Store;
  readonly secret: Buffer;
  readonly organizationId: string;
  /** A key of the organization `demo` with all scopes. */
  readonly apiKey: string;
  /** Entries that were put into the work queue, in order. */
  readonly enqueued: object[];
  close(): Promise<void>;
}

export async function startPages(more: Partial<PagesOptions> = {}): Promise<PagesServer> {
  const database = await testDatabase();
  const store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  const notifications = openNotifications(database.url);
  await notifications.ready;
  const { api_key: apiKey } = await createOrganization(store.db, { slug: 'demo' });
  const organization = await store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const { secret } = await readInstallation(store.db);
  const enqueued: object[] = [];
  const app = express();
  // The pages need their address, so the listener starts first.
  const listener = await startListener(createServer(app));
  const { url } = listener;
  app.use(requestId);
  app.get('/i/:token.png', servePicture);
  app.get('/i/:token/:width.webp', serveThumbnail);
  const pageOptions = { ...optionsOf({ store, secret, url, enqueued, notifications }), ...more };
  app.use(createPages(pageOptions));
  app.use(unknownPath, createErrorPages(pageOptions));
  app.use(errorHandler(TEST_LOG));
  return {
    url,
    store,
    secret,
    apiKey,
    enqueued,
    organizationId: organization.id,
    close: async () => {
      await listener.close();
      await notifications.close();
      await store.close();
      await database.close();
    },
  };
}

interface Given {
  readonly store: Store;
  readonly secret: Buffer;
  readonly url: string;
  readonly enqueued: object[];
  readonly notifications: Notifications;
}

function optionsOf({ store, secret, url, enqueued, notifications }: Given): PagesOptions {
  return {
    store,
    artifacts: memoryArtifacts(new Map()),
    limits: DEFAULT_LIMITS,
    uploadLimits: DEFAULT_UPLOAD_LIMITS,
    secret,
    publicUrl: url,
    log: TEST_LOG,
    guard: createGuard({ allow: [] }),
    subscribe: notifications.subscribe,
    queue: {
      enqueue: async (_tx, name, payload) => {
        enqueued.push({ name, ...payload });
      },
    },
  };
}

/** The fields that a reviewer can change in a set. */
export async function readReview({ store }: PagesServer, setId: string) {
  const { status, review_notes, cancel_requested_at } = await store.db
    .selectFrom('screenshot_sets')
    .select(['status', 'review_notes', 'cancel_requested_at'])
    .where('id', '=', setId)
    .executeTakeFirstOrThrow();
  return { status, notes: review_notes, cancelRequested: cancel_requested_at !== null };
}

const drawn = new Map<string, Promise<Buffer>>();

/** Draws each size once, because drawing takes more time than all else in these tests. */
function drawOnce(size: string, draw: () => Promise<Buffer>): Promise<Buffer> {
  const picture = drawn.get(size) ?? draw();
  drawn.set(size, picture);
  return picture;
}

/** Something like a page with an ad in it, of the size that the token begins with: `<width>x<height>-…`. */
function drawPicture(request: express.Request): Promise<Buffer> {
  const size = String(request.params['token']).split('-')[0] ?? '';
  return drawOnce(size, () => {
    // Other tokens, such as those of logos, say nothing about their size, although one may begin with a digit.
    const [width = 100, height = 100] = /^\d+x\d+$/.test(size) ? size.split('x').map(Number) : [];
    const line = Math.round(width / 40);
    const bars = Array.from({ length: 40 }, (_, i) => {
      const y = Math.round(height * 0.16) + i * line * 3;
      return `<rect x="${line * 2}" y="${y}" width="${width * (0.5 + ((i * 37) % 11) / 80)}" height="${line}" fill="#c9cdd2"/>`;
    });
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>
      <rect width="100%" height="${Math.round(height * 0.1)}" fill="#27384a"/>${bars.join('')}
      <rect x="${width * 0.68}" y="${height * 0.2}" width="${width * 0.26}" height="${width * 0.22}" fill="#e4572e"/></svg>`;
    return sharp(Buffer.from(svg)).png().toBuffer();
  });
}

async function servePicture(request: express.Request, response: express.Response): Promise<void> {
  response.type('png').end(await drawPicture(request));
}

async function serveThumbnail(request: express.Request, response: express.Response): Promise<void> {
  const { token, width } = request.params;
  const size = `${String(token).split('-')[0]} ${String(width)}`;
  const shrink = async () =>
    sharp(await drawPicture(request))
      .resize({ width: Number(/\d+$/.exec(String(width))?.[0]), withoutEnlargement: true })
      .webp()
      .toBuffer();
  response.type('webp').end(await drawOnce(size, shrink));
}

export interface SeededShot {
  readonly site: string;
  readonly device: DeviceName;
  readonly markerMs?: number | null;
  readonly status?: 'pending' | 'uploaded' | 'no_slots' | 'blocked' | 'generic_error' | 'canceled';
  readonly reason?: string;
  readonly ad?: string;
}

const SIZES: Readonly<Record<string, string>> = { desktop: '1440x900', mobile: '1080x2400', ipad: '1620x2160' };

export interface SeededSet {
  readonly campaign?: string;
  /** An existing campaign in place of a new one. */
  readonly campaignId?: string;
  readonly status?: 'draft' | 'capturing' | 'in_review' | 'approved' | 'failed' | 'canceled';
  readonly instructions?: string;
  readonly shots: readonly SeededShot[];
}

export interface Seeded {
  readonly setId: string;
  readonly adIds: readonly string[];
  readonly shotIds: readonly string[];
}

/** Stores a set as the service would have. */
export async function seedSet({ store: { db }, organizationId }: PagesServer, given: SeededSet): Promise<Seeded> {
  const campaignId = given.campaignId ?? randomUUID();
  const setId = randomUUID();
  const owner = { organization_id: organizationId, campaign_id: campaignId };
  await db
    .insertInto('campaigns')
    .values({
      id: campaignId,
      organization_id: organizationId,
      name: given.campaign ?? `Autumn launch ${campaignId.slice(0, 8)}`,
    })
    .onConflict((on) => on.doNothing())
    .execute();
  const status = given.status ?? 'capturing';
  const settled_at = status === 'draft' || status === 'capturing' ? null : new Date();
  await db
    .insertInto('screenshot_sets')
    .values({ id: setId, ...owner, status, instructions: given.instructions ?? null, review_notes: null, settled_at })
    .execute();
  const names = [...new Set(given.shots.map((shot) => shot.ad ?? 'Summer sale 300×250'))];
  const ads = new Map(names.map((name) => [name, randomUUID()]));
  for (const [name, id] of ads) {
    await db
      .insertInto('ads')
      .values({
        ...{ id, ...owner, name, lookup_key: null, kind: 'url', content: 'https://cdn.example/ad.zip' },
        ...{ status: 'uploaded', reason: null, category: 'display', width: 300, height: 250, preview_token: null },
        source: 'screenshot_request',
      })
      .execute();
  }
  const shotIds: string[] = [];
  for (const [seq, shot] of given.shots.entries()) {
    shotIds.push(
      await seedShot({ db, organizationId, setId, seq, adId: ads.get(shot.ad ?? 'Summer sale 300×250') ?? '' }, shot),
    );
  }
  return { setId, adIds: [...ads.values()], shotIds };
}

interface Where {
  readonly db: Store['db'];
  readonly organizationId: string;
  readonly setId: string;
  readonly seq: number;
  readonly adId: string;
}

async function seedShot({ db, organizationId, setId, seq, adId }: Where, shot: SeededShot): Promise<string> {
  const id = randomUUID();
  const status = shot.status ?? 'uploaded';
  const token = status === 'uploaded' ? await seedPicture(db, organizationId, SIZES[shot.device] ?? '300x250') : null;
  await db
    .insertInto('screenshots')
    .values({
      ...{ id, set_id: setId, seq, ad_id: adId, site_url: shot.site, site_key: shot.site, device: shot.device },
      ...{ marker_ms: shot.markerMs ?? null, status, reason: shot.reason ?? null, image_token: token, job_index: 0 },
      captured_at: token === null ? null : new Date('2026-11-21T09:30:05Z'),
      record: token === null ? null : JSON.stringify(RECORD),
    })
    .execute();
  return id;
}

const TAKEN_SLOT = {
  element: 'div#div-gpt-ad-1',
  box: { x: 980, y: 580, width: 300, height: 250 },
  size: [300, 250],
  score: 92.5,
  evidence: ['gpt', 'iab_size'],
  reasons: ['takes 300×250 exactly (+50)', 'visible (+15)'],
};

/** The page was scrolled by 400. */
const RECORD = {
  kind: 'placement_preview',
  final_url: 'https://news.example/',
  device: 'desktop',
  ratio: 1,
  slot: TAKEN_SLOT,
  score: 92.5,
  candidates: [
    TAKEN_SLOT,
    {
      ...TAKEN_SLOT,
      element: 'aside > div.ad',
      box: { x: 980, y: 900, width: 300, height: 250 },
      score: 61,
      evidence: ['network'],
    },
    {
      ...TAKEN_SLOT,
      element: 'div#footer-ad',
      box: { x: 240, y: 4000, width: 970, height: 90 },
      size: [970, 90],
      score: 12,
      problem: 'too small for 300×250',
    },
  ],
  candidates_found: 3,
  scale: 1,
  ad_box: { x: 980, y: 180, width: 300, height: 250 },
  page_mode: 'composed',
  browser_version: '156.0.8078.73',
  options: { allow_scaling: false, slot: null, other_ads: 'hide', full_page: false },
  warnings: [],
};

export async function seedPicture(db: Store['db'], organizationId: string, size: string): Promise<string> {
  const token = `${size}-${randomUUID()}`;
  const [width = 0, height = 0] = size.split('x').map(Number);
  await db
    .insertInto('images')
    .values({ token, organization_id: organizationId, artifact_key: token, width, height, bytes: 1, sha256: '' })
    .execute();
  return token;
}

export interface SeededDelivery {
  readonly setId: string;
  readonly target: string;
  readonly status: 'pending' | 'delivered' | 'retries_exhausted';
  readonly error?: string;
}

export async function seedDelivery(
  { store: { db }, organizationId }: PagesServer,
  given: SeededDelivery,
): Promise<string> {
  const [id, eventId, subscriberId] = [randomUUID(), randomUUID(), randomUUID()];
  const owner = { organization_id: organizationId };
  await db
    .insertInto('events')
    .values({ id: eventId, ...owner, topic: 'screenshot_set.approved', body: '{}' })
    .execute();
  await db
    .insertInto('subscribers')
    .values({
      ...{ id: subscriberId, ...owner, ad_id: null, set_id: given.setId, seq: 0, webhook_url: given.target },
      ...{ webhook_topics: null, s3_bucket: null, s3_region: null, s3_key_prefix: null, s3_connector: null },
    })
    .execute();
  await db
    .insertInto('deliveries')
    .values({
      ...{ id, ...owner, event_id: eventId, subscriber_id: subscriberId, ad_id: null, set_id: given.setId },
      ...{ channel: 'webhook', target: given.target, status: given.status, attempts: 1 },
    })
    .execute();
  await db
    .insertInto('delivery_attempts')
    .values({
      ...{
        delivery_id: id,
        attempt: 1,
        started_at: new Date('2026-11-21T09:31:00Z'),
        duration_ms: 42,
        status_code: given.error ? 500 : 200,
      },
      ...{ outcome: given.error ? 'failed' : 'success', error: given.error ?? null, response_snippet: null },
    })
    .execute();
  return id;
}
