import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseQuotas } from '../../../../src/core/organizations/operator.ts';
import { DEVICE_NAMES } from '../../../../src/domain/devices.ts';
import { DEFAULT_LIMITS } from '../../../../src/domain/limits.ts';
import { type Json, PUBLIC_URL, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi({ limits: { ...DEFAULT_LIMITS, entries: 1_000 } });
});
afterAll(() => api.close());

const media = { type: 'url', content: 'https://cdn.example/banner.png' };
const campaign = { name: 'Spring' };
const shot = { site: { url: 'https://news.example/' }, device: { name: 'desktop' } };
const frames = (...markers: unknown[]) => ({ options: { ad: { frames: markers.map((marker) => ({ marker })) } } });
const entry = (ad: unknown = { media }, screenshots: unknown = [shot]) => ({ ad, screenshots });
const ask = (screenshot_requests: unknown, more: object = {}) =>
  api.post('screenshot_requests', { campaign, screenshot_requests, ...more });

async function paths(screenshot_requests: unknown, more: object = {}): Promise<string[]> {
  const reply = await ask(screenshot_requests, more);
  expect([reply.status, reply.json.status]).toEqual([422, 'failure']);
  return Object.keys(reply.json.errors).sort();
}

/** The pictures of an accepted request, as [ad, site, device, marker in ms]. */
async function pictures(reply: { status: number; json: Json }): Promise<[string, string, string, number | null][]> {
  expect([reply.status, reply.json.errors]).toEqual([202, undefined]);
  const rows = await api.store.db
    .selectFrom('screenshots')
    .select(['ad_id', 'site_url', 'device', 'marker_ms'])
    .where('set_id', '=', reply.json.id)
    .orderBy('seq')
    .execute();
  return rows.map((row) => [row.ad_id, row.site_url, row.device, row.marker_ms]);
}

async function newAd(lookup_key: string | null = null, name = 'Spring'): Promise<string> {
  return (await api.post('ads', { campaign: { name }, ad: { lookup_key, media } })).json.id;
}

describe('a request', () => {
  test('a screenshot request is answered with 202 and exactly the fields of its set', async () => {
    const reply = await ask([entry()]);
    expect(reply.status).toBe(202);
    expect(reply.json).toEqual({
      type: 'screenshot_set',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'draft',
      campaign_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
      html_url: `${PUBLIC_URL}/o/acme/screenshot_sets/${reply.json.id}`,
      metadata: {},
      priority: 'normal',
    });
  });

  test('a set has the priority of its request, else that of its organization, and none above the highest', async () => {
    const { db } = api.store;
    await chooseQuotas(db, 'acme', { default_priority: 'low', max_priority: 'normal' });
    expect((await ask([entry()])).json.priority).toBe('low');
    const named = await ask([entry()], { priority: 'normal' });
    expect((await api.get(`screenshot_sets/${named.json.id}`)).json.priority).toBe('normal');
    const tooHigh = await ask([entry()], { priority: 'high' });
    expect([tooHigh.status, tooHigh.json.errors]).toEqual([
      422,
      { priority: ['must be at most "normal" for this organization.'] },
    ]);
    expect(await paths([entry()], { priority: 'urgent' })).toEqual(['priority']);
    await expect(chooseQuotas(db, 'acme', { default_priority: 'high' })).rejects.toMatchObject({ status: 409 });
  });

  test('a screenshot request stores set, ads, screenshots, subscribers and queue entries', async () => {
    const subscribers = [{ webhook: { url: 'https://hook.example/' } }];
    const reply = await ask([entry(), entry({ media, name: 'Two' })], {
      subscribers,
      instructions: 'Above the fold.\n✓',
    });
    const { db } = api.store;
    const set = await db
      .selectFrom('screenshot_sets')
      .selectAll()
      .where('id', '=', reply.json.id)
      .executeTakeFirstOrThrow();
    expect([set.instructions, set.status]).toEqual(['Above the fold.\n✓', 'draft']);
    const storedSubscribers = await db
      .selectFrom('subscribers')
      .selectAll()
      .where('set_id', '=', reply.json.id)
      .execute();
    expect(storedSubscribers).toMatchObject([{ webhook_url: 'https://hook.example/', ad_id: null, seq: 0 }]);
    const ids = (await pictures(reply)).map(([ad]) => ad);
    const ads = await db
      .selectFrom('ads')
      .select(['name', 'source', 'status'])
      .where('id', 'in', ids)
      .orderBy('name')
      .execute();
    expect(ads).toEqual([
      { name: 'Two', source: 'screenshot_request', status: 'pending' },
      { name: 'banner.png', source: 'screenshot_request', status: 'pending' },
    ]);
    const queued = await api.store.pool.query('select name, payload from queued order by ctid desc limit 1');
    expect(queued.rows[0]).toEqual({ name: 'launch', payload: { organization_id: set.organization_id } });
  });

  test('the size of an ad and the options of a screenshot are stored, and default options are stored as null', async () => {
    const options = { ad: { allow_scaling: true }, slot: { selector: '#top' }, page: { other_ads: 'keep' } };
    const reply = await ask([entry({ media, size: { width: 320, height: 50 } }, [shot, { ...shot, options }])]);
    expect(reply.status).toBe(202);
    const stored = await api.store.db
      .selectFrom('screenshots')
      .innerJoin('ads', 'ads.id', 'screenshots.ad_id')
      .select(['screenshots.options', 'ads.given_width', 'ads.given_height'])
      .where('set_id', '=', reply.json.id)
      .orderBy('seq')
      .execute();
    const size = { given_width: 320, given_height: 50 };
    const given = {
      allow_scaling: true,
      slot: { selector: '#top' },
      other_ads: 'keep',
      full_page: false,
      view: 'slot',
      animation: null,
    };
    expect(stored).toEqual([
      { ...size, options: null },
      { ...size, options: given },
    ]);
  });

  test('the same screenshot with the same options twice is one, and with other options it is another', async () => {
    const scaled = { ...shot, options: { ad: { allow_scaling: true } } };
    const reply = await ask([entry({ media }, [shot, scaled, scaled, { ...shot, options: { page: {} } }])]);
    expect(await pictures(reply)).toHaveLength(2);
  });

  test('each device of the list is accepted, and the fault of another device has the list', async () => {
    const reply = await ask([
      entry(
        { media },
        DEVICE_NAMES.map((name) => ({ ...shot, device: { name } })),
      ),
    ]);
    expect((await pictures(reply)).map(([, , device]) => device)).toEqual(DEVICE_NAMES);
    const refused = await ask([entry({ media }, [{ ...shot, device: { name: 'Desktop' } }])]);
    expect(refused.json.errors).toEqual({
      'screenshot_requests.0.screenshots.0.device.name': [`must be one of: ${DEVICE_NAMES.join(', ')}.`],
    });
  });

  test('a custom device is stored with all that the request says, and a retake keeps it', async () => {
    const own = { width: 412, height: 915, ratio: 2.63, touch: true, user_agent: 'Test/1.0' };
    const reply = await ask([entry({ media }, [{ ...shot, device: own }])]);
    const read = async ({ json }: { json: Json }) =>
      (await api.get(`screenshot_sets/${json.id}`)).json.screenshots[0].device;
    const name = 'Own device 412 x 915, 2.63x, touch, Test/1.0';
    expect(await read(reply)).toEqual({ name, ...own });
    await api.post(`screenshot_sets/${reply.json.id}/cancel`, {});
    expect(await read(await api.post(`screenshot_sets/${reply.json.id}/retake`, {}))).toEqual({ name, ...own });
    const other = { device: { width: 800, height: 600 } };
    const changed = await read(await api.post(`screenshot_sets/${reply.json.id}/retake`, other));
    expect(changed).toMatchObject({ width: 800, height: 600, ratio: 1, touch: true });
    const refused = await ask([entry({ media }, [{ ...shot, device: { width: 100, height: 600 } }])]);
    expect(refused.json.errors).toEqual({
      'screenshot_requests.0.screenshots.0.device.width': ['must be from 200 to 3,840.'],
    });
  });

  test('a request of two sites with two markers each makes four pictures', async () => {
    const other = { ...shot, site: { url: 'https://blog.example/' } };
    const reply = await ask([
      entry({ media }, [
        { ...shot, ...frames(0.0, 1.0) },
        { ...other, ...frames(1.0, 2.0) },
      ]),
    ]);
    expect((await pictures(reply)).map(([, site, , marker]) => [site, marker])).toEqual([
      ['https://news.example/', 0],
      ['https://news.example/', 1000],
      ['https://blog.example/', 1000],
      ['https://blog.example/', 2000],
    ]);
  });

  test('a request that names one screenshot twice creates one, with the address of the first', async () => {
    const spelled = (url: string) => ({ ...shot, site: { url } });
    const sites = [
      'News.example',
      'https://news.example:443/',
      'HTTPS://NEWS.EXAMPLE',
      'http://news.example/',
      '//news.example',
    ];
    const reply = await ask([entry({ media }, sites.map(spelled))]);
    expect((await pictures(reply)).map(([, site]) => site)).toEqual(['News.example', 'http://news.example/']);
  });

  test('a request can have the default frame beside frames at markers', async () => {
    const reply = await ask([
      entry({ media }, [shot, { ...shot, ...frames() }, { ...shot, ...frames(0, 0.0004, -0) }]),
    ]);
    expect((await pictures(reply)).map(([, , , marker]) => marker)).toEqual([null, 0]);
  });

  test.each([null, {}, { ad: null }, { ad: {} }, { ad: { frames: null } }, { ad: { frames: [] } }])(
    'a screenshot with the options %j gets the default frame',
    async (options) => {
      expect((await pictures(await ask([entry({ media }, [{ ...shot, options }])])))[0]?.[3]).toBeNull();
    },
  );
});

describe('a marker', () => {
  test.each([
    [0, 0],
    [30, 30_000],
    [12.3456, 12_346],
    [29.99999, 30_000],
  ])('a marker of %d s is taken at %d ms', async (marker, ms) => {
    const reply = await ask([entry({ media }, [{ ...shot, ...frames(marker) }])]);
    expect((await pictures(reply))[0]?.[3]).toBe(ms);
  });

  const path = 'screenshot_requests.0.screenshots.0.options.ad.frames.0.marker';
  test('a missing marker and an invalid frame are faults', async () => {
    const broken = { options: { ad: { frames: [{}, null, 5] } } };
    expect(await paths([entry({ media }, [{ ...shot, ...broken }])])).toEqual(
      [path, path.replace('0.marker', '1'), path.replace('0.marker', '2')].sort(),
    );
  });

  test('an entry may have 31 markers, not 32', async () => {
    const markers = Array.from({ length: 32 }, (_, i) => i / 2);
    expect((await pictures(await ask([entry({ media }, [{ ...shot, ...frames(...markers.slice(1)) }])]))).length).toBe(
      31,
    );
    const reply = await ask([entry({ media }, [{ ...shot, ...frames(...markers) }])]);
    expect(reply.json.errors).toEqual({ [path.replace('.0.marker', '')]: ['must have at most 31 frames.'] });
  });
});

describe('an entry designates an existing ad', () => {
  test('the id of an ad takes precedence over lookup key, name and media', async () => {
    const id = await newAd();
    await newAd('someone else');
    const ad = { id, lookup_key: 'someone else', name: 7, media: 'x' };
    expect((await pictures(await ask([entry(ad)])))[0]?.[0]).toBe(id);
    expect((await pictures(await ask([entry({ id: id.toUpperCase() })])))[0]?.[0]).toBe(id);
  });

  test('a lookup key finds the ad of the campaign, whose name and media stay', async () => {
    const id = await newAd('by key');
    for (const ad of [
      {},
      { media, name: 'New' },
      { media: 5 },
      { name: 'x'.repeat(300) },
      { media: null, name: null },
    ]) {
      expect((await pictures(await ask([entry({ lookup_key: 'by key', ...ad })])))[0]?.[0]).toBe(id);
    }
    const row = await api.store.db.selectFrom('ads').select('name').where('id', '=', id).executeTakeFirstOrThrow();
    expect(row.name).toBe('banner.png');
  });

  test('an entry with a new lookup key makes an ad, which later requests find', async () => {
    const first = await pictures(await ask([entry({ lookup_key: 'later', media })]));
    const second = await pictures(await ask([entry({ lookup_key: 'later' })]));
    expect(second[0]?.[0]).toBe(first[0]?.[0]);
    expect(await newAd('later')).toBe(first[0]?.[0]);
  });

  test('entries that name one ad twice, by id or by key, are merged', async () => {
    const id = await newAd('merged');
    const sites = [shot, { ...shot, ...frames(1) }];
    for (const second of [{ lookup_key: 'merged' }, { lookup_key: 'merged', media }, { id }]) {
      const reply = await ask([entry({ id }, sites), entry(second, [...sites, { ...shot, ...frames(2) }])]);
      expect((await pictures(reply)).map(([ad, , , marker]) => [ad, marker])).toEqual([
        [id, null],
        [id, 1000],
        [id, 2000],
      ]);
    }
  });

  test('two entries with the same media make two ads', async () => {
    expect(await pictures(await ask([entry(), entry()]))).toHaveLength(2);
  });
});

describe('faults of an entry', () => {
  const at = (path: string) => `screenshot_requests.0.${path}`;
  test.each([
    ['an entry that is not an object', 5, 'screenshot_requests.0'],
    ['null', null, 'screenshot_requests.0'],
    ['an entry without an ad', { screenshots: [shot] }, at('ad')],
    ['an entry whose ad is null', entry(null), at('ad')],
    ['an empty ad', entry({}), at('ad.media')],
    ['an unknown key without media', entry({ lookup_key: 'nothing' }), at('ad.media')],
    ['media of an unknown type', entry({ media: { ...media, type: 'x' } }), at('ad.media.type')],
    [
      'a tag that is too large',
      entry({ media: { type: 'html_tag', content: 'x'.repeat(1_048_577) } }),
      at('ad.media.content'),
    ],
    ['a name of 256 characters', entry({ media, name: 'x'.repeat(256) }), at('ad.name')],
    ['a blank key', entry({ media, lookup_key: '\t' }), at('ad.lookup_key')],
    ['an id that is not text', entry({ id: 5, media }), at('ad.id')],
    ['an id that is not a UUID', entry({ id: 'x', media }), at('ad.id')],
    ['an id with U+0000', entry({ id: 'a\0', media }), at('ad.id')],
    ['an unknown id beside media', entry({ id: crypto.randomUUID(), media }), at('ad.id')],
    ['an entry without screenshots', { ad: { media } }, at('screenshots')],
    ['screenshots that are null', entry({ media }, null), at('screenshots')],
    ['an empty list of screenshots', entry({ media }, []), at('screenshots')],
    ['screenshots that are an object', entry({ media }, {}), at('screenshots')],
    ['a screenshot that is not an object', entry({ media }, [1]), at('screenshots.0')],
    ['a screenshot without a site', entry({ media }, [{ device: shot.device }]), at('screenshots.0.site')],
    ['a site without an address', entry({ media }, [{ ...shot, site: {} }]), at('screenshots.0.site.url')],
    ['an address that is null', entry({ media }, [{ ...shot, site: { url: null } }]), at('screenshots.0.site.url')],
    ['a blank address', entry({ media }, [{ ...shot, site: { url: ' ' } }]), at('screenshots.0.site.url')],
    ['a screenshot without a device', entry({ media }, [{ site: shot.site }]), at('screenshots.0.device')],
    ['a device that is a string', entry({ media }, [{ ...shot, device: 'desktop' }]), at('screenshots.0.device')],
    ['a device without a name', entry({ media }, [{ ...shot, device: {} }]), at('screenshots.0.device.name')],
    [
      'a device name in another case',
      entry({ media }, [{ ...shot, device: { name: 'IPhone' } }]),
      at('screenshots.0.device.name'),
    ],
    ['options of the wrong type', entry({ media }, [{ ...shot, options: [] }]), at('screenshots.0.options')],
    [
      'options.ad of the wrong type',
      entry({ media }, [{ ...shot, options: { ad: 1 } }]),
      at('screenshots.0.options.ad'),
    ],
    [
      'frames of the wrong type',
      entry({ media }, [{ ...shot, options: { ad: { frames: 1 } } }]),
      at('screenshots.0.options.ad.frames'),
    ],
  ])('an invalid entry is rejected: %s', async (_what, given, path) => {
    expect(await paths([given])).toEqual([path]);
  });

  test('the fault of a site has its path', async () => {
    expect(await paths([entry({ media }, [{ ...shot, site: { url: 'ftp://a.example/' } }])])).toEqual([
      at('screenshots.0.site.url'),
    ]);
  });

  test.each(['a.example', 'localhost:3000', '10.0.0.1/x', 'bücher.example', `a.example/${'x'.repeat(8_182)}`])(
    'the site %s is accepted',
    async (url) => {
      expect((await pictures(await ask([entry({ media }, [{ ...shot, site: { url } }])])))[0]?.[1]).toBe(url);
    },
  );

  test('an ad of another campaign, or of another organization, is a fault on its id', async () => {
    const id = await newAd(null, 'Elsewhere');
    const expected = { 'screenshot_requests.0.ad.id': ['is the id of an ad of another campaign.'] };
    expect((await ask([entry({ id })])).json.errors).toEqual(expected);
    expect((await ask([entry({ id })], { campaign: { name: 'Not there yet' } })).json.errors).toEqual(expected);
  });

  test('a repeated lookup key is a fault on the second entry, which names the first, and nothing is stored', async () => {
    const before = await Promise.all([api.count('ads'), api.count('screenshot_sets'), api.count('queued')]);
    const reply = await ask([entry({ lookup_key: 'r', media }), entry(), entry({ lookup_key: 'r', media })]);
    expect(reply.status).toBe(422);
    expect(reply.json.errors).toEqual({
      'screenshot_requests.2.ad.lookup_key': [expect.stringContaining('screenshot_requests.0.ad.lookup_key')],
    });
    expect(await Promise.all([api.count('ads'), api.count('screenshot_sets'), api.count('queued')])).toEqual(before);
  });
});

describe('faults of the body as a whole', () => {
  test.each([
    ['no value', undefined],
    ['null', null],
    ['an empty list', []],
    ['an object', {}],
  ])('a body with %s for screenshot_requests has one fault', async (_what, given) => {
    expect(await paths(given)).toEqual(['screenshot_requests']);
  });

  test.each([5, 'x'.repeat(10_001), 'a\0', '\udfff', {}])(
    'invalid instructions are a fault: %#',
    async (instructions) => {
      expect(await paths([entry()], { instructions })).toEqual(['instructions']);
    },
  );

  test('instructions may be null, and have 10,000 characters', async () => {
    expect((await ask([entry()], { instructions: null })).status).toBe(202);
    expect((await ask([entry()], { instructions: '😀'.repeat(10_000) })).status).toBe(202);
  });

  test('one response has all faults of a screenshot request', async () => {
    const bad = { site: { url: '' }, device: { name: 'x' }, ...frames(31, 'a') };
    const given = [
      entry({ lookup_key: 'a' }, [shot, bad]),
      entry({ id: crypto.randomUUID(), name: 5 }),
      entry({ lookup_key: 'a', media: { type: 'x', content: 'y' } }, []),
      7,
    ];
    const more = { campaign: { id: 'none' }, subscribers: [{}, { s3: { bucket: 'abc' } }], instructions: 1 };
    expect(await paths(given, more)).toEqual([
      'campaign.id',
      'instructions',
      'screenshot_requests.0.ad.media',
      'screenshot_requests.0.screenshots.1.device.name',
      'screenshot_requests.0.screenshots.1.options.ad.frames.0.marker',
      'screenshot_requests.0.screenshots.1.options.ad.frames.1.marker',
      'screenshot_requests.0.screenshots.1.site.url',
      'screenshot_requests.1.ad.id',
      'screenshot_requests.2.ad.lookup_key',
      'screenshot_requests.2.ad.media.type',
      'screenshot_requests.2.screenshots',
      'screenshot_requests.3',
      'subscribers.0',
      'subscribers.1.s3',
    ]);
  });

  test('the answer to a body of very many faults lists the first hundred', async () => {
    const reply = await ask([
      entry(
        { media },
        Array.from({ length: 5_000 }, () => ({})),
      ),
    ]);
    expect(Object.keys(reply.json.errors)).toHaveLength(101);
    expect(reply.json.errors.body).toEqual(['has more faults: these are the first 100.']);
  });
});

describe('limits', () => {
  test('1,000 entries with 10,000 pictures are accepted', async () => {
    const screenshots = Array.from({ length: 10 }, (_, i) => ({ ...shot, site: { url: `https://s${i}.example/` } }));
    const entries = Array.from({ length: 1_000 }, (_, i) => entry({ lookup_key: `bulk ${i}`, media }, screenshots));
    const reply = await ask(entries);
    expect([reply.status, await pictures(reply).then((all) => all.length)]).toEqual([202, 10_000]);
  });

  test('the ads and addresses of a large request are stored in their order', async () => {
    const before = await api.count('ads');
    const name = `Long ${before}`;
    const tag = (index: number) => ({ type: 'html_tag', content: `<p>${index}"\\{,}${'t'.repeat(300_000)}` });
    const site = (index: number) => ({ url: `https://s${index}.example/"\\{,}?${'p'.repeat(4_000)}` });
    const entries = Array.from({ length: 4 }, (_, ad) => ({
      ad: { lookup_key: `k${9 - ad}`, media: tag(ad) },
      screenshots: Array.from({ length: 300 }, (_, index) => ({ ...shot, site: site(ad * 300 + index) })),
    }));
    const reply = await ask(entries, { campaign: { name } });
    const sites = (await pictures(reply)).map(([, url]) => url);
    expect(sites).toEqual(Array.from({ length: 1_200 }, (_, index) => site(index).url));
    const ads = await api.store.db
      .selectFrom('ads')
      .select('content')
      .where('campaign_id', '=', reply.json.campaign_id)
      .orderBy('lookup_key', 'desc')
      .execute();
    expect(ads.map(({ content }) => content)).toEqual([0, 1, 2, 3].map((index) => tag(index).content));
    expect(await api.count('ads')).toBe(before + 4);
  });

  test('1,001 entries or 10,001 pictures are rejected with the limit', async () => {
    const entries = Array.from({ length: 1_001 }, () => entry());
    expect((await ask(entries)).json.errors).toEqual({
      screenshot_requests: [expect.stringContaining('at most 1,000 entries')],
    });
    const screenshots = Array.from({ length: 10_001 }, (_, i) => ({ ...shot, site: { url: `s${i}.example` } }));
    expect((await ask([entry({ media }, screenshots)])).json.errors).toEqual({
      screenshot_requests: [expect.stringContaining('at most 10,000 screenshots')],
    });
  });

  test('merged pictures do not count towards the limit', async () => {
    const reply = await ask([
      entry(
        { media },
        Array.from({ length: 10_001 }, () => shot),
      ),
    ]);
    expect(await pictures(reply)).toHaveLength(1);
  });
});

describe('at the same moment', () => {
  test('requests that name the same keys in different orders make each ad once, without a deadlock', async () => {
    const ad = await newAd(null, 'Crowd');
    const both = (keys: string[]) =>
      ask(
        keys.map((lookup_key) => entry({ lookup_key, media })),
        { campaign: { name: 'Crowd' } },
      );
    const held = await api.store.pool.connect();
    await held.query('begin');
    // Both requests wait for this key, after one of them has taken what comes before it.
    await held.query(
      `insert into ads (id, organization_id, campaign_id, lookup_key, name, kind, content, source)
       select gen_random_uuid(), organization_id, campaign_id, 'm', name, kind, content, source from ads where id = $1`,
      [ad],
    );
    const requests = Promise.all([both(['a', 'm', 'z']), both(['z', 'm', 'a'])]);
    const waiting = `select count(*)::integer as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await api.store.pool.query(waiting)).rows[0]?.n).toBe(2);
    await held.query('rollback');
    held.release();
    const replies = await requests;
    expect(replies.map(({ status }) => status)).toEqual([202, 202]);
    expect(new Set((await Promise.all(replies.map(pictures))).flat().map(([id]) => id)).size).toBe(3);
  });

  test('create-ad and screenshot requests share an ad of the same key', async () => {
    const body = { campaign: { name: 'Mixed' }, ad: { lookup_key: 'k', media } };
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        i % 2 === 0 ? api.post('ads', body) : ask([entry({ lookup_key: 'k', media })], { campaign: { name: 'Mixed' } }),
      ),
    );
    expect(replies.filter(({ status }) => status >= 400)).toEqual([]);
    const ads = await api.store.db.selectFrom('ads').select('id').where('lookup_key', '=', 'k').execute();
    const { rows } = await api.store.pool.query(
      `select 1 from ads join campaigns c on c.id = campaign_id where c.name = 'Mixed'`,
    );
    expect([rows.length, ads.length >= 1]).toEqual([1, true]);
  });
});
