/** Creatives from their upload to the pictures, by the API of `tearsheet dev`. */
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { zipOf } from '../../support/zips.ts';
import { DevEnvironment } from './devEnvironment.ts';

let env: DevEnvironment;
beforeAll(async () => {
  env = await DevEnvironment.create();
  await env.start();
});
afterAll(() => env?.close());

const TIMEOUT_MS = 240_000;

interface Ad {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly reason?: string;
  readonly width: number;
  readonly height: number;
  readonly preview_image_url: string;
  readonly html_url: string;
}

async function uploadFile(name: string, bytes: Buffer): Promise<string> {
  const { url, organization, api_key } = env.ready;
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), name);
  const response = await fetch(`${url}/api/v1/orgs/${organization}/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}` },
    body: form,
    signal: AbortSignal.timeout(60_000),
  });
  const upload = (await response.json()) as { id: string; format: string };
  expect([response.status, upload.format]).toEqual([201, 'html5_zip']);
  return upload.id;
}

async function createAd(upload: string): Promise<Ad> {
  const media = { type: 'upload', content: upload };
  const { id } = await env.call<Ad>('POST', '/ads', { campaign: { name: 'Uploads' }, ad: { media } });
  return eventually(async () => {
    const ad = await env.call<Ad>('GET', `/ads/${id}`);
    if (ad.status === 'pending') throw new Error('The ad is pending.');
    return ad;
  }, TIMEOUT_MS);
}

async function getBytes(url: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${env.ready.api_key}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** Fills any frame, so only the name of the zip tells its size. */
const GREEN = '<!doctype html><style>html,body{margin:0;height:100%;background:#0a0}</style>';

it('an uploaded zip is rendered, shown on its page, and placed without another upload; a zip bomb is refused', {
  timeout: 900_000,
}, async () => {
  const bomb = await zipOf({ 'index.html': GREEN, 'bomb.bin': Buffer.alloc(60 * 1024 * 1024) });
  const upload = await uploadFile('banner_300x250.zip', await zipOf({ 'index.html': GREEN }));
  const [ad, refused] = await Promise.all([createAd(upload), createAd(await uploadFile('bomb_300x250.zip', bomb))]);
  expect([refused.status, refused.reason]).toEqual([
    'generic_error',
    expect.stringMatching(/The zip is a zip bomb: "bomb.bin" expands to/),
  ]);
  expect(ad.reason ?? ad.status).toBe('uploaded');
  expect(ad).toMatchObject({ kind: 'upload', name: 'banner_300x250.zip', width: 300, height: 250 });
  const { channels } = await sharp(await getBytes(ad.preview_image_url)).stats();
  expect(channels.slice(0, 3).map(({ mean }) => Math.round(mean))).toEqual([0, 170, 0]);
  const page = (await getBytes(ad.html_url)).toString();
  const [, thumbnail = ''] = /<figure class="preview">.*?<img src="([^"]+)"/s.exec(page) ?? [];
  expect(page).toContain('banner_300x250.zip');
  expect(await sharp(await getBytes(env.ready.url + thumbnail)).metadata()).toMatchObject({
    format: 'webp',
    width: 300,
  });

  const screenshots = [{ site: { url: env.publishers.url('blog') }, device: { name: 'desktop' } }];
  const ads = [{ id: ad.id }, { media: { type: 'upload', content: upload } }];
  const { id } = await env.call<{ id: string }>('POST', '/screenshot_requests', {
    campaign: { name: 'Uploads' },
    screenshot_requests: ads.map((one) => ({ ad: one, screenshots })),
  });
  const shots = await eventually(async () => {
    type Shots = { screenshots: { status: string; reason?: string; ad: { kind: string } }[] };
    const set = await env.call<Shots>('GET', `/screenshot_sets/${id}`);
    if (set.screenshots.some(({ status }) => status === 'pending')) throw new Error('The set is not finished.');
    return set.screenshots;
  }, TIMEOUT_MS);
  const placed = ['uploaded', 'upload'];
  expect(shots.map(({ status, reason, ad: { kind } }) => [reason ?? status, kind])).toEqual([placed, placed]);
});
