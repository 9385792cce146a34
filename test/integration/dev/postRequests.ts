/** Posts the requests of these tests and checks their results. */
import sharp from 'sharp';
import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { DevEnvironment } from './devEnvironment.ts';

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

export type GateName = 'tag' | 'picture' | 'page a' | 'page b';

/** One ad by create-ad, and one set with two ads on two pages each. */
export interface PostedRequests {
  readonly ad: string;
  readonly set: string;
  /** The name of a gate that holds only this request. */
  gate(name: GateName): string;
}

const PICTURES = 4;
/** Long, because several captures share the machine with other tests. */
const TIMEOUT_MS = 300_000;

export async function postRequests(
  env: DevEnvironment,
  name: string,
  shut: readonly GateName[] = [],
): Promise<PostedRequests> {
  const gate = (which: GateName) => `${name}/${which}`.replaceAll(/[^a-z0-9/]+/gi, '-');
  for (const which of shut) env.requestGate.hold(gate(which));
  const through = (which: GateName, target: string) => env.requestGate.urlFor(gate(which), target);
  const { cdn } = env.publishers;
  const [blog, jpeg, gif] = [env.publishers.url('blog'), `${cdn}/media/marlow.jpg`, `${cdn}/media/orbit.gif`];
  const tag = `<img src="${through('tag', jpeg)}" width="300" height="250" alt="">`;
  const screenshots = (['page a', 'page b'] as const).map((page) => ({
    site: { url: through(page, blog) },
    device: { name: 'desktop' },
  }));
  const subscribers = [{ webhook: { url: env.receiver.url } }];
  const [ad, set] = await Promise.all([
    env.call<Ad>('POST', '/ads', {
      campaign: { name },
      ad: { lookup_key: 'alone', name: 'An ad alone', media: { type: 'url', content: jpeg } },
      subscribers,
    }),
    env.call<ScreenshotSet>('POST', '/screenshot_requests', {
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

/** Checks that all accepted work is complete, exists once, and was announced by webhook. */
export async function expectFinished(env: DevEnvironment, { ad, set }: PostedRequests): Promise<void> {
  await expectPictures(env, set);
  await expectPreview(env, ad);
  await expectWebhook(env, 'screenshot_set.approved', set);
  await expectWebhook(env, 'ad.uploaded', ad);
  await expectRows(env, { ad, set });
}

async function expectPictures(env: DevEnvironment, id: string): Promise<void> {
  const set = await eventually(async () => {
    const now = await env.call<ScreenshotSet>('GET', `/screenshot_sets/${id}`);
    if (['draft', 'capturing'].includes(now.status))
      throw new Error(`The set is ${now.status}: ${JSON.stringify(now)}`);
    return now;
  }, TIMEOUT_MS);
  expect(set.screenshots.map(({ status, reason }) => reason ?? status)).toEqual(Array(PICTURES).fill('uploaded'));
  expect(set.status).toBe('approved');
  expect(new Set(set.screenshots.map(({ image_url }) => image_url)).size).toBe(PICTURES);
  for (const { image_url, width, height } of set.screenshots) {
    expect(await pngSize(image_url)).toEqual({ width, height });
  }
}

async function expectPreview(env: DevEnvironment, id: string): Promise<void> {
  const ad = await eventually(async () => {
    const now = await env.call<Ad>('GET', `/ads/${id}`);
    if (now.status === 'pending') throw new Error('The ad is pending.');
    return now;
  }, TIMEOUT_MS);
  expect(ad.reason ?? ad.status).toBe('uploaded');
  expect((await pngSize(ad.preview_image_url)).width).toBe(ad.width);
}

async function pngSize(address: string | null): Promise<{ width: number; height: number }> {
  const response = await fetch(address ?? '', { signal: AbortSignal.timeout(60_000) });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/png');
  const { data, info } = await sharp(Buffer.from(await response.arrayBuffer())).toBuffer({ resolveWithObject: true });
  expect(data.length).toBeGreaterThan(0);
  return { width: info.width, height: info.height };
}

/** Waits for the webhook and checks that all its deliveries have one webhook-id. */
async function expectWebhook(env: DevEnvironment, topic: string, id: string): Promise<void> {
  const ids = await eventually(() => {
    const accepted = env.receiver.accepted(topic, id);
    if (accepted.length === 0) throw new Error(`No ${topic} of ${id} was received.`);
    return accepted;
  }, TIMEOUT_MS);
  expect(new Set(ids).size).toBe(1);
}

async function expectRows(env: DevEnvironment, { ad, set }: Pick<PostedRequests, 'ad' | 'set'>): Promise<void> {
  const [counted] = await env.rows(
    `select
       (select count(*)::int from screenshots where set_id = $1) as screenshots,
       (select count(*)::int from screenshots s join images i on i.token = s.image_token where s.set_id = $1) as images,
       (select count(*)::int from screenshot_jobs where set_id = $1) as set_jobs,
       (select count(*)::int from job_creatives where ad_id = $2) as ad_jobs,
       (select count(*)::int from screenshots where set_id = $1 and status = 'pending') as pending`,
    [set, ad],
  );
  expect(counted).toEqual({ screenshots: PICTURES, images: PICTURES, set_jobs: 1, ad_jobs: 1, pending: 0 });
  const events = await env.rows(
    `select e.topic, count(*)::int as events, min(d.deliveries)::int as deliveries
     from events e cross join lateral (select count(*) as deliveries from deliveries where event_id = e.id) d
     where e.body::jsonb #>> '{data,object,id}' in ($1, $2) group by e.topic order by e.topic`,
    [set, ad],
  );
  expect(events).toEqual([
    { topic: 'ad.uploaded', events: 1, deliveries: 1 },
    { topic: 'screenshot_set.approved', events: 1, deliveries: 1 },
  ]);
  // The receiver gets the webhook before the row changes.
  await eventually(async () => {
    const open = await env.rows(
      "select status from deliveries where status <> 'delivered' and (set_id = $1 or ad_id = $2)",
      [set, ad],
    );
    expect(open).toEqual([]);
  }, TIMEOUT_MS);
}
