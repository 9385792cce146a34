/** What a client asks for in these tests, and what must have come of it in the end. */
import sharp from 'sharp';
import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { World } from './world.ts';

interface Ad {
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
  readonly preview_image_url: string | null;
  readonly width: number | null;
}

interface ScreenshotSet {
  readonly id: string;
  readonly status: string;
  readonly screenshots: readonly {
    readonly status: string;
    readonly reason?: string;
    readonly image_url: string | null;
    readonly width: number | null;
    readonly height: number | null;
  }[];
}

export type Gate = 'tag' | 'picture' | 'page a' | 'page b';

/** One ad of create-ad; one set: two ads, each on two pages. */
export interface Asked {
  readonly ad: string;
  readonly set: string;
  /** The name under which these gates hold this request alone. */
  gate(name: Gate): string;
}

const PICTURES = 4;
/** Several captures share the machine with other tests. */
const PATIENCE_MS = 90_000;

export async function ask(world: World, name: string, shut: readonly Gate[] = []): Promise<Asked> {
  const gate = (which: Gate) => `${name}/${which}`.replaceAll(/[^a-z0-9/]+/gi, '-');
  for (const which of shut) world.gates.shut(gate(which));
  const through = (which: Gate, target: string) => world.gates.through(gate(which), target);
  const { cdn } = world.publishers;
  const [blog, jpeg, gif] = [world.publishers.url('blog'), `${cdn}/media/marlow.jpg`, `${cdn}/media/orbit.gif`];
  const tag = `<img src="${through('tag', jpeg)}" width="300" height="250" alt="">`;
  const screenshots = (['page a', 'page b'] as const).map((page) => ({
    site: { url: through(page, blog) },
    device: { name: 'desktop' },
  }));
  const subscribers = [{ webhook: { url: world.receiver.url } }];
  const [ad, set] = await Promise.all([
    world.call<Ad>('POST', '/ads', {
      campaign: { name },
      ad: { lookup_key: 'alone', name: 'An ad alone', media: { type: 'url', content: jpeg } },
      subscribers,
    }),
    world.call<ScreenshotSet>('POST', '/screenshot_requests', {
      campaign: { name },
      screenshot_requests: [
        { ad: { lookup_key: 'tag', name: 'A tag', media: { type: 'html_tag', content: tag } }, screenshots },
        {
          ad: { lookup_key: 'gif', name: 'A picture', media: { type: 'url', content: through('picture', gif) } },
          screenshots,
        },
      ],
      subscribers,
    }),
  ]);
  return { ad: ad.id, set: set.id, gate };
}

/** Everything that was accepted is there: once, whole, and told of. */
export async function expectFinished(world: World, { ad, set }: Asked): Promise<void> {
  await expectPictures(world, set);
  await expectPreview(world, ad);
  await expectTold(world, 'screenshot_set.approved', set);
  await expectTold(world, 'ad.uploaded', ad);
  await expectRows(world, { ad, set });
}

async function expectPictures(world: World, id: string): Promise<void> {
  const set = await eventually(async () => {
    const now = await world.call<ScreenshotSet>('GET', `/screenshot_sets/${id}`);
    if (['draft', 'capturing'].includes(now.status))
      throw new Error(`The set is ${now.status}: ${JSON.stringify(now)}`);
    return now;
  }, PATIENCE_MS);
  expect(set.screenshots.map(({ status, reason }) => reason ?? status)).toEqual(Array(PICTURES).fill('uploaded'));
  expect(set.status).toBe('approved');
  expect(new Set(set.screenshots.map(({ image_url }) => image_url)).size).toBe(PICTURES);
  for (const { image_url, width, height } of set.screenshots) {
    expect(await pngSize(image_url)).toEqual({ width, height });
  }
}

async function expectPreview(world: World, id: string): Promise<void> {
  const ad = await eventually(async () => {
    const now = await world.call<Ad>('GET', `/ads/${id}`);
    if (now.status === 'pending') throw new Error('The ad is pending.');
    return now;
  }, PATIENCE_MS);
  expect(ad.reason ?? ad.status).toBe('uploaded');
  expect((await pngSize(ad.preview_image_url)).width).toBe(ad.width);
}

async function pngSize(address: string | null): Promise<{ width: number; height: number }> {
  const response = await fetch(address ?? '', { signal: AbortSignal.timeout(10_000) });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/png');
  const { data, info } = await sharp(Buffer.from(await response.arrayBuffer())).toBuffer({ resolveWithObject: true });
  expect(data.length).toBeGreaterThan(0);
  return { width: info.width, height: info.height };
}

/** At least once, and always under one webhook-id. */
async function expectTold(world: World, topic: string, id: string): Promise<void> {
  const ids = await eventually(() => {
    const accepted = world.receiver.accepted(topic, id);
    if (accepted.length === 0) throw new Error(`No ${topic} of ${id} was received.`);
    return accepted;
  }, PATIENCE_MS);
  expect(new Set(ids).size).toBe(1);
}

async function expectRows(world: World, { ad, set }: Pick<Asked, 'ad' | 'set'>): Promise<void> {
  const [counted] = await world.rows(
    `select
       (select count(*)::int from screenshots where set_id = $1) as screenshots,
       (select count(*)::int from screenshots s join images i on i.token = s.image_token where s.set_id = $1) as images,
       (select count(*)::int from screenshot_jobs where set_id = $1) as set_jobs,
       (select count(*)::int from job_creatives where ad_id = $2) as ad_jobs,
       (select count(*)::int from screenshots where set_id = $1 and status = 'pending') as pending`,
    [set, ad],
  );
  expect(counted).toEqual({ screenshots: PICTURES, images: PICTURES, set_jobs: 1, ad_jobs: 1, pending: 0 });
  const events = await world.rows(
    `select e.topic, count(*)::int as events, min(d.deliveries)::int as deliveries
     from events e cross join lateral (select count(*) as deliveries from deliveries where event_id = e.id) d
     where e.body::jsonb #>> '{data,object,id}' in ($1, $2) group by e.topic order by e.topic`,
    [set, ad],
  );
  expect(events).toEqual([
    { topic: 'ad.uploaded', events: 1, deliveries: 1 },
    { topic: 'screenshot_set.approved', events: 1, deliveries: 1 },
  ]);
  // The receiver has it before the row says so.
  await eventually(async () => {
    const open = await world.rows(
      "select status from deliveries where status <> 'delivered' and (set_id = $1 or ad_id = $2)",
      [set, ad],
    );
    expect(open).toEqual([]);
  }, PATIENCE_MS);
}
