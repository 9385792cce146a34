import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../src/commands/dev/ports.ts';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { openStore } from '../../../../src/db/database.ts';
import type { ScreenshotStatus, SetStatus } from '../../../../src/domain/states.ts';
import { createKey } from '../../../support/keys.ts';
import { type Json, memoryArtifacts, PUBLIC_URL, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { TEST_KEY_RING } from '../../../support/testKeys.ts';
import { expectLoggedErrors } from '../../../support/testLog.ts';

const pictures = new Map<string, Buffer>();
let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi({ artifacts: memoryArtifacts(pictures) });
});
afterAll(() => api.close());

const media = { type: 'url', content: 'https://cdn.example/banner.png' };
const shot = (url: string) => ({ site: { url }, device: { name: 'mobile' } });
const NOBODY = '00000000-0000-4000-8000-000000000000';

const newAd = async (body: object = {}): Promise<Json> =>
  (await api.post('ads', { campaign: { name: 'Reading' }, ad: { media }, ...body })).json;

async function newSet(sites: string[], campaign = 'Reading'): Promise<Json> {
  const requests = [{ ad: { media, name: 'Shown' }, screenshots: sites.map(shot) }];
  return (await api.post('screenshot_requests', { campaign: { name: campaign }, screenshot_requests: requests })).json;
}

async function image(): Promise<string> {
  const token = randomUUID().replaceAll('-', '');
  const { id } = await api.store.db
    .selectFrom('organizations')
    .select('id')
    .where('slug', '=', 'acme')
    .executeTakeFirstOrThrow();
  const row = {
    token,
    organization_id: id,
    artifact_key: `p/${token}.png`,
    width: 1080,
    height: 2400,
    bytes: 3,
    sha256: 'ab',
  };
  await api.store.db.insertInto('images').values(row).execute();
  pictures.set(row.artifact_key, Buffer.from('png'));
  return token;
}

/** Gives the set's screenshots these statuses in their order, and the set its own. */
async function settle(id: string, statuses: ScreenshotStatus[], set: SetStatus, approvedAt?: Date): Promise<void> {
  const { db } = api.store;
  for (const [seq, status] of statuses.entries()) {
    const uploaded = status === 'uploaded';
    const values = {
      status,
      reason: uploaded ? null : 'Because.',
      image_token: uploaded ? await image() : null,
      captured_at: uploaded ? new Date('2026-01-02T03:04:05.678Z') : null,
    };
    await db.updateTable('screenshots').set(values).where('set_id', '=', id).where('seq', '=', seq).execute();
  }
  await db
    .updateTable('screenshot_sets')
    .set({ status: set, approved_at: approvedAt ?? null })
    .where('id', '=', id)
    .execute();
}

describe('one ad', () => {
  test('a pending ad has null in the fields that are not known yet', async () => {
    const made = await newAd();
    const reply = await api.get(`ads/${made.id}`);
    const unknown = { preview_image_url: null, width: null, height: null };
    expect([reply.status, reply.json]).toEqual([200, { ...made, ...unknown, warnings: [] }]);
    expect((await api.get(`ads/${made.id.toUpperCase()}`)).json).toEqual(reply.json);
  });

  test('a captured ad has its preview and size', async () => {
    const made = await newAd();
    const token = await image();
    const values = { status: 'uploaded', category: 'display', width: 300, height: 250, preview_token: token } as const;
    await api.store.db.updateTable('ads').set(values).where('id', '=', made.id).execute();
    expect((await api.get(`ads/${made.id}`)).json).toEqual({
      ...made,
      status: 'uploaded',
      category: 'display',
      preview_image_url: `${PUBLIC_URL}/i/${token}.png`,
      width: 300,
      height: 250,
      warnings: [],
    });
  });

  test('a failed ad has its reason and no size', async () => {
    const made = await newAd();
    const values = { status: 'not_found', reason: 'The address answered 404.' } as const;
    await api.store.db.updateTable('ads').set(values).where('id', '=', made.id).execute();
    expect((await api.get(`ads/${made.id}`)).json).toEqual({
      ...made,
      ...values,
      preview_image_url: null,
      warnings: [],
    });
  });
});

test('one campaign is the same object as in the list, and an unknown one is not found', async () => {
  const { campaign_id: id } = await newAd({ campaign: { name: 'Read by id' } });
  const listed = (await api.get('campaigns?name=Read+by+id')).json.data[0];
  const reply = await api.get(`campaigns/${id}`);
  expect([reply.status, reply.json]).toEqual([200, listed]);
  expect(reply.json).toMatchObject({ type: 'campaign', id, name: 'Read by id' });
  expect((await api.get(`campaigns/${NOBODY}`)).status).toBe(404);
});

test('one screenshot is that of its set, with the set and the time of its approval', async () => {
  const made = await newSet(['shot.example']);
  const read = async () => (await api.get(`screenshot_sets/${made.id}`)).json.screenshots[0];
  const pending = await read();
  const about = { type: 'screenshot', screenshot_set_id: made.id };
  const path = `screenshots/${pending.id}`;
  expect((await api.get(path)).json).toEqual({ ...pending, ...about, approved_at: null });
  await settle(made.id, ['uploaded'], 'approved', new Date('2026-01-03'));
  const approved = { ...(await read()), ...about, approved_at: '2026-01-03T00:00:00.000+00:00' };
  expect((await api.get(path)).json).toEqual(approved);
  expect((await api.get(`screenshots/${NOBODY}`)).status).toBe(404);
});

describe('one set', () => {
  test('a set has its screenshots in the order of the request', async () => {
    const made = await newSet(['one.example', 'two.example']);
    const { json } = await api.get(`screenshot_sets/${made.id}`);
    expect(json).toMatchObject({ ...made, instructions: null, review_notes: null });
    expect(json.screenshots).toMatchObject([
      {
        status: 'pending',
        site: { url: 'one.example' },
        device: { name: 'mobile' },
        frame: { marker: null },
        image_url: null,
        width: null,
        height: null,
        captured_at: null,
        ad: { type: 'ad', name: 'Shown', status: 'pending' },
      },
      { site: { url: 'two.example' } },
    ]);
    expect(Object.keys(json.screenshots[0]).sort()).toEqual(
      [
        'id',
        'status',
        'site',
        'device',
        'frame',
        'image_url',
        'width',
        'height',
        'animation',
        'captured_at',
        'warnings',
        'ad',
        'retake_of',
        'retaken_by',
        'review',
      ].sort(),
    );
  });

  test('a set has its pictures, its failures and the review notes with the service’s line', async () => {
    const made = await newSet(['a.example', 'b.example', 'c.example']);
    await settle(made.id, ['uploaded', 'no_slots', 'blocked'], 'approved', new Date('2026-01-03'));
    await api.store.db
      .updateTable('screenshot_sets')
      .set({ review_notes: 'Fine.' })
      .where('id', '=', made.id)
      .execute();
    const { json } = await api.get(`screenshot_sets/${made.id}`);
    expect(json.review_notes).toBe(
      'Fine.\n2 of 3 could not be placed: the page has no slot for the ad (no_slots, 1); the site refused the visit (blocked, 1).',
    );
    expect(json.screenshots[0]).toMatchObject({
      width: 1080,
      height: 2400,
      captured_at: '2026-01-02T03:04:05.678+00:00',
    });
    expect(json.screenshots[0].image_url).toMatch(/^https:\/\/shots\.example\/i\/[0-9a-f]{32}\.png$/);
    const failed = { status: 'no_slots', reason: 'Because.', image_url: null, page_image_url: null };
    expect(json.screenshots[1]).toMatchObject(failed);
    expect(Object.keys(json.screenshots[0])).not.toContain('page_image_url');
  });

  test('a failed screenshot shows its page, and the slots with the reasons why each cannot hold the ad', async () => {
    const set = await newSet(['https://c.example/']);
    await settle(set.id, ['no_slots'], 'failed');
    const page_token = await image();
    const box = { x: 10, y: 20, width: 160, height: 600 };
    const facts = {
      element: '#rail',
      box,
      score: 3,
      likelihood: 0,
      evidence: ['gpt'],
      reasons: [],
      problem: 'too small',
    };
    const record = JSON.stringify({
      candidates: [
        { ...facts, size: [160, 600] },
        { element: '#old', box, score: 1 },
      ],
    });
    const { db } = api.store;
    await db.updateTable('screenshots').set({ page_token, record }).where('set_id', '=', set.id).execute();
    const [listed] = (await api.get(`screenshot_sets/${set.id}`)).json.screenshots;
    const { json } = await api.get(`screenshots/${listed.id}`);
    expect(json.page_image_url).toBe(`${PUBLIC_URL}/i/${page_token}.png`);
    expect(listed.page_image_url).toBe(json.page_image_url);
    // Records of earlier releases have no format.
    expect(json.candidates).toEqual([{ ...facts, format: 'display', size: { width: 160, height: 600 } }]);
  });

  test('an unknown id gets 404', async () => {
    for (const path of [`ads/${NOBODY}`, `screenshot_sets/${NOBODY}`, 'ads/x']) {
      const reply = await api.get(path);
      expect([reply.status, reply.json.status, Object.keys(reply.json.errors)]).toEqual([404, 'failure', ['id']]);
    }
  });
});

describe('lists', () => {
  test('lists are paged, newest first, with their total', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push((await newAd({ campaign: { name: 'Paged' } })).id);
    const campaign_id = (await api.get(`ads/${ids[0]}`)).json.campaign_id;
    const { json } = await api.get(`ads?campaign_id=${campaign_id}&page=2&per_page=2`);
    expect(json).toMatchObject({ page: 2, per_page: 2, total: 5 });
    expect(json.data.map((ad: Json) => ad.id)).toEqual([ids[2], ids[1]]);
    expect((await api.get('ads')).json).toMatchObject({ page: 1, per_page: 100 });
    expect((await api.get('campaigns?name=Paged')).json.data).toMatchObject([
      { type: 'campaign', id: campaign_id, name: 'Paged' },
    ]);
  });

  test('the list of ads can be filtered by lookup key', async () => {
    const { id } = await newAd({ ad: { media, lookup_key: 'find me +&' } });
    const { json } = await api.get(`ads?lookup_key=${encodeURIComponent('find me +&')}`);
    expect(json.data.map((ad: Json) => ad.id)).toEqual([id]);
  });

  test('the list of sets counts their screenshots', async () => {
    const made = await newSet(['a.example', 'b.example', 'c.example', 'd.example'], 'Counted');
    await settle(made.id, ['uploaded', 'no_slots', 'canceled'], 'capturing');
    const { json } = await api.get(`screenshot_sets?campaign_id=${made.campaign_id}&status=capturing`);
    expect(json.data).toEqual([
      {
        ...made,
        status: 'capturing',
        name: null,
        schedule_id: null,
        instructions: null,
        review_notes: null,
        retake_of: null,
        retaken_by: null,
        review: null,
        counts: { total: 4, uploaded: 1, pending: 1, failed: 1, canceled: 1 },
      },
    ]);
  });

  test.each([
    ['page=0', ['page']],
    ['page=x', ['page']],
    ['page=-1', ['page']],
    ['page=1.5', ['page']],
    ['page=99999999999', ['page']],
    ['per_page=0', ['per_page']],
    ['per_page=501', ['per_page']],
    ['per_page=501&page=0', ['page', 'per_page']],
    ['page=1&page=2', ['page']],
  ])('lists reject the query %s', async (query, expected) => {
    for (const path of ['ads', 'campaigns', 'screenshot_sets', 'screenshots', 'deliveries']) {
      const reply = await api.get(`${path}?${query}`);
      expect([reply.status, Object.keys(reply.json.errors).sort()]).toEqual([422, expected]);
    }
  });

  test('lists accept 500 items a page and ignore unknown parameters', async () => {
    expect((await api.get('ads?per_page=500&foo=1&__proto__=2')).status).toBe(200);
    expect((await api.get('ads?page=1000000&per_page=500')).json.data).toEqual([]);
  });

  test('lists show nothing of another organization', async () => {
    await createOrganization(api.store.db, { slug: 'elsewhere' });
    const { api_key } = await createKey(api.store.db, 'elsewhere');
    for (const path of ['ads', 'campaigns', 'screenshot_sets', 'screenshots', 'deliveries']) {
      const reply = await api.send({ path: `/api/v1/orgs/elsewhere/${path}`, headers: { authorization: api_key } });
      expect(reply.json).toEqual({ data: [], page: 1, per_page: 100, total: 0 });
    }
  });
});

describe('the pictures of approved sets', () => {
  const list = async (query = '') => (await api.get(`screenshots${query}`)).json;
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  let old: Json;
  let recent: Json;
  beforeAll(async () => {
    [old, recent] = [await newSet(['old.example']), await newSet(['r1.example', 'r2.example', 'r3.example'])];
    await settle(old.id, ['uploaded'], 'approved', hoursAgo(30));
    await settle(recent.id, ['uploaded', 'no_slots', 'uploaded'], 'approved', hoursAgo(1));
    const rejected = await newSet(['rejected.example']);
    await settle(rejected.id, ['uploaded'], 'rejected');
  });
  const sites = (json: Json) => json.data.map((one: Json) => one.site.url);

  test('the default list has the pictures of the last 24 hours that succeeded', async () => {
    expect(sites(await list())).toEqual(['r1.example', 'r3.example']);
  });

  test('the parameters from, to and order select pictures of other times', async () => {
    const from = hoursAgo(40).toISOString();
    expect(sites(await list(`?from=${from}&order=asc`))).toEqual(['old.example', 'r1.example', 'r3.example']);
    expect(sites(await list(`?from=${from}&order=desc`))).toEqual(['r1.example', 'r3.example', 'old.example']);
    expect(sites(await list(`?from=${from}&to=${hoursAgo(29).toISOString().replace('Z', '+00:00')}`))).toEqual([
      'old.example',
    ]);
    expect(sites(await list(`?from=${from}&per_page=1&page=2`))).toEqual(['r3.example']);
  });

  test('pictures name their set and time, and on request the media of their ads', async () => {
    const plain = (await list()).data[0];
    expect(plain).toMatchObject({
      type: 'screenshot',
      screenshot_set_id: recent.id,
      status: 'uploaded',
      ad: { type: 'ad' },
    });
    expect(plain.ad).not.toHaveProperty('creative');
    expect((await list('?include=ad.creative')).data[0].ad.creative).toEqual(media);
  });

  test.each([
    ['from=2026-02-01&to=2026-01-01', 'from'],
    ['from=yesterday', 'from'],
    ['to=2026-13-01', 'to'],
    ['order=up', 'order'],
    ['include=ad', 'include'],
  ])('the list of pictures rejects the query %s', async (query, field) => {
    const reply = await api.get(`screenshots?${query}`);
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
  });
});

describe('reviewing', () => {
  const act = (id: string, verb: string, body?: unknown) => api.post(`screenshot_sets/${id}/${verb}`, body ?? {});

  test('a review answers with the set in its new state', async () => {
    const made = await newSet(['a.example']);
    await settle(made.id, ['uploaded'], 'in_review');
    const reply = await act(made.id, 'approve', { notes: 'Good.' });
    expect([reply.status, reply.json.status, reply.json.review_notes]).toEqual([200, 'approved', 'Good.']);
    expect(reply.json).toEqual((await api.get(`screenshot_sets/${made.id}`)).json);
  });

  test('a review needs no body, and its rejection names the status of the set', async () => {
    const made = await newSet(['a.example']);
    const headers = { authorization: api.organization.api_key };
    const path = `/api/v1/orgs/acme/screenshot_sets/${made.id}`;
    expect((await api.send({ method: 'POST', path: `${path}/cancel`, headers })).status).toBe(200);
    const reply = await act(made.id, 'reject');
    expect([reply.status, reply.json]).toEqual([
      409,
      expect.objectContaining({
        code: 'conflict',
        errors: { status: ['is canceled, so the set cannot be rejected.'] },
      }),
    ]);
  });

  test.each([{ notes: 5 }, { notes: 'a\0' }, { notes: 'x'.repeat(10_001) }])(
    'invalid review notes are rejected: %#',
    async (body) => {
      const made = await newSet(['a.example']);
      const reply = await act(made.id, 'approve', body);
      expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, ['notes']]);
    },
  );
});

describe('deliveries', () => {
  test('deliveries are listed with their attempts, and can be replayed', async () => {
    const { db } = api.store;
    const made = await newAd({ subscribers: [{ webhook: { url: 'https://hook.example/x' } }] });
    const subscriber = await db
      .selectFrom('subscribers')
      .selectAll()
      .where('ad_id', '=', made.id)
      .executeTakeFirstOrThrow();
    const { organization_id } = subscriber;
    const event = { id: randomUUID(), organization_id, topic: 'ad.uploaded', body: '{}' } as const;
    await db.insertInto('events').values(event).execute();
    const id = randomUUID();
    const ids = { id, organization_id, event_id: event.id, subscriber_id: subscriber.id, ad_id: made.id };
    const state = { channel: 'webhook', target: 'https://hook.example/x', status: 'gone', attempts: 1 } as const;
    await db
      .insertInto('deliveries')
      .values({ ...ids, ...state, finished_at: new Date() })
      .execute();
    const attempt = {
      delivery_id: id,
      attempt: 1,
      started_at: new Date(),
      duration_ms: 12,
      status_code: 410,
      outcome: 'gone',
    };
    await db.insertInto('delivery_attempts').values(attempt).execute();

    const { json } = await api.get(`deliveries?ad_id=${made.id}&status=gone`);
    expect(json.total).toBe(1);
    expect(json.data[0]).toMatchObject({
      type: 'delivery',
      id,
      event_id: `evt_${event.id}`,
      topic: 'ad.uploaded',
      ...state,
      next_attempt_at: null,
      screenshot_set_id: null,
      log: [{ attempt: 1, duration_ms: 12, status_code: 410, outcome: 'gone', error: null }],
    });
    const replayed = await api.post(`deliveries/${id}/replay`, {});
    expect([replayed.status, replayed.json.status]).toEqual([202, 'pending']);
    expect((await api.post(`deliveries/${NOBODY}/replay`, {})).status).toBe(404);
  });
});

describe('a picture', () => {
  test('a picture needs no key, never changes and is read once', async () => {
    const token = await image();
    const reply = await api.send({ path: `/i/${token}.png` });
    expect([reply.status, reply.text]).toEqual([200, 'png']);
    expect(reply.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '3',
      etag: '"ab"',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect((await api.send({ path: `/i/${token}` })).text).toBe('png');
    const again = await api.send({ path: `/i/${token}.png`, headers: { 'if-none-match': 'W/"x", "ab"' } });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await api.send({ method: 'HEAD', path: `/i/${token}.png` });
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '3', '']);
  });

  test('an unknown or deleted picture is not found', async () => {
    const token = await image();
    pictures.clear();
    for (const path of [`/i/${token}.png`, '/i/unknown.png', '/i/a%00b.png', '/i/..%2f..%2fetc%2fpasswd']) {
      const reply = await api.send({ path });
      expect([reply.status, reply.json.status]).toEqual([404, 'failure']);
      expect(reply.headers['cache-control']).toBe('no-store');
    }
  });

  test('a picture in a bucket is a redirect to a new signed address', async () => {
    const other = await startPublicApi({ artifacts: memoryArtifacts(new Map(), 'https://bucket.example') });
    const { id } = await other.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
    const row = {
      token: 'tok',
      organization_id: id,
      artifact_key: 'k.png',
      width: 1,
      height: 1,
      bytes: 1,
      sha256: 'cd',
    };
    await other.store.db.insertInto('images').values(row).execute();
    const reply = await other.send({ path: '/i/tok.png' });
    expect([reply.status, reply.headers.location]).toEqual([302, 'https://bucket.example/k.png']);
    expect(reply.headers['cache-control']).toMatch(/^private, max-age=\d+$/);
    await other.close();
  });
});

test('the reference is served as OpenAPI 3.1', async () => {
  const document = await api.send({ path: '/openapi.json' });
  expect([document.status, document.json.openapi]).toEqual([200, '3.1.0']);
});

test('an unreachable database gives a 503 that says to try again', async () => {
  expectLoggedErrors(/request failed/);
  const nowhere = openStore({ url: `postgres://x:y@127.0.0.1:${await freePort()}/z`, keyRing: TEST_KEY_RING });
  const other = await startPublicApi({ store: nowhere });
  const reply = await other.get('ads');
  expect([reply.status, reply.headers['retry-after'], reply.json.status]).toEqual([503, '2', 'failure']);
  expect(reply.text).not.toMatch(/ECONNREFUSED|postgres/);
  await nowhere.close();
  await other.close();
});

test('an internal error gives a 500 that contains only the id of its log line', async () => {
  expectLoggedErrors(/request failed/);
  const broken = { ...memoryArtifacts(new Map()), get: () => Promise.reject(new Error('secret words')) };
  const other = await startPublicApi({ artifacts: { ...broken, downloadUrl: () => Promise.resolve(undefined) } });
  const { id } = await other.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const row = { token: 'tok', organization_id: id, artifact_key: 'k.png', width: 1, height: 1, bytes: 1, sha256: 'cd' };
  await other.store.db.insertInto('images').values(row).execute();
  const reply = await other.send({ path: '/i/tok.png', headers: { 'x-request-id': 'find-me' } });
  expect([reply.status, reply.json]).toEqual([
    500,
    {
      ...{ status: 'failure', code: 'internal', request_id: 'find-me' },
      errors: { service: [expect.stringContaining('find-me')] },
    },
  ]);
  expect(other.lines).toContainEqual(
    expect.objectContaining({ request_id: 'find-me', err: expect.objectContaining({ message: 'secret words' }) }),
  );
  await other.close();
});
