import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setS3Connector } from '../../../../src/core/buckets/connectorQueries.ts';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import {
  exchange,
  type Json,
  PUBLIC_URL,
  type Reply,
  startPublicApi,
  type TestApi,
} from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const UUID = /^[0-9a-f-]{36}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;
const NOBODY = '00000000-0000-4000-8000-000000000000';
const media = { type: 'url', content: 'https://cdn.example/banner.png' };
const campaign = { name: 'Spring' };

const create = (body: unknown) => api.post('ads', body);

async function faults(body: unknown): Promise<Json> {
  const reply = await create(body);
  expect([reply.status, reply.json.status]).toEqual([422, 'failure']);
  return reply.json.errors;
}

const paths = async (body: unknown) => Object.keys(await faults(body)).sort();

describe('a new ad', () => {
  test('a new ad is answered with 201 and exactly the fields of its record', async () => {
    const reply = await create({ campaign, ad: { lookup_key: 'first', name: 'Banner', media } });
    expect(reply.status).toBe(201);
    expect(reply.json).toEqual({
      type: 'ad',
      id: expect.stringMatching(UUID),
      name: 'Banner',
      lookup_key: 'first',
      status: 'pending',
      category: null,
      kind: 'url',
      campaign_id: expect.stringMatching(UUID),
      created_at: expect.stringMatching(TIME),
      html_url: `${PUBLIC_URL}/o/acme/ads/${reply.json.id}`,
      metadata: {},
    });
  });

  test('a new ad is stored together with its subscribers and its queue entry', async () => {
    const before = await Promise.all([api.count('ads'), api.count('subscribers'), api.count('queued')]);
    const topics = ['ad.uploaded', 'ad.failed'];
    const subscribers = [
      { webhook: { url: 'https://hook.example/a' } },
      { webhook: { url: 'http://10.0.0.1/', topics } },
    ];
    const { json } = await create({ campaign, ad: { media }, subscribers });
    const after = await Promise.all([api.count('ads'), api.count('subscribers'), api.count('queued')]);
    expect(after.map((count, i) => count - (before[i] ?? 0))).toEqual([1, 2, 1]);
    const rows = await api.store.db
      .selectFrom('subscribers')
      .selectAll()
      .where('ad_id', '=', json.id)
      .orderBy('seq')
      .execute();
    expect(rows.map((row) => [row.webhook_url, row.webhook_topics])).toEqual([
      ['https://hook.example/a', null],
      ['http://10.0.0.1/', topics],
    ]);
    const ad = await api.store.db.selectFrom('ads').selectAll().where('id', '=', json.id).executeTakeFirstOrThrow();
    expect([ad.source, ad.content, ad.status]).toEqual(['create_ad', media.content, 'pending']);
  });

  test('several ads may have no lookup key', async () => {
    const [one, two] = [await create({ campaign, ad: { media } }), await create({ campaign, ad: { media } })];
    expect([one?.json.lookup_key, two?.json.lookup_key]).toEqual([null, null]);
    expect(one?.json.id).not.toBe(two?.json.id);
  });

  test.each([
    ['https://cdn.example/path/spring%20sale.zip?x=1', 'spring sale.zip'],
    ['https://cdn.example/', 'cdn.example'],
    ['https://cdn.example/a%00b.png', 'a%00b.png'],
    ['https://cdn.example/%ff.png', '%ff.png'],
  ])('an ad without a name gets the name of its media: %s', async (content, name) => {
    const { json } = await create({ campaign, ad: { name: null, media: { type: 'url', content } } });
    expect(json.name).toBe(name);
  });

  test('a tag without a name is named after its id, and its kind is html_tag', async () => {
    const { json } = await create({ campaign, ad: { media: { type: 'html_tag', content: '<img src="x">' } } });
    expect([json.name, json.kind]).toEqual([`Ad ${json.id.slice(0, 8)}`, 'html_tag']);
  });

  test('create-ad ignores ad.id and unknown fields', async () => {
    const { status } = await create({
      campaign: { ...campaign, extra: 1 },
      ad: { id: 'whatever', media, more: {} },
      foo: [],
    });
    expect(status).toBe(201);
  });
});

describe('the same lookup key again', () => {
  test('the same lookup key again gets 200 and the existing ad, and nothing is stored or sent', async () => {
    const first = await create({ campaign: { name: 'Again' }, ad: { lookup_key: 'k', name: 'One', media } });
    await api.store.db
      .updateTable('ads')
      .set({ status: 'uploaded', category: 'display' })
      .where('id', '=', first.json.id)
      .execute();
    const before = await Promise.all([api.count('ads'), api.count('subscribers'), api.count('queued')]);
    const subscribers = [{ webhook: { url: 'https://hook.example/' } }];
    const again = await create({
      campaign: { name: ' Again ' },
      ad: { lookup_key: 'k', name: 'Two', media },
      subscribers,
    });
    expect(again.status).toBe(200);
    expect(again.json).toEqual({ ...first.json, status: 'uploaded', category: 'display' });
    expect(await Promise.all([api.count('ads'), api.count('subscribers'), api.count('queued')])).toEqual(before);
  });

  test.each([
    ['no media', {}],
    ['media null', { media: null }],
    ['media of the wrong type', { media: 7 }],
    ['a name of the wrong type', { name: { a: 1 } }],
    ['a name too long', { name: 'x'.repeat(256), media }],
    ['a tag too large', { media: { type: 'html_tag', content: 'x'.repeat(1_048_577) } }],
    ['a name with U+0000', { name: 'a\0b', media: { type: 'bogus' } }],
  ])('a request for an existing ad does not use name and media: %s', async (_what, ad) => {
    await create({ campaign: { name: 'Ignored' }, ad: { lookup_key: 'k', name: 'Kept', media } });
    const reply = await create({ campaign: { name: 'Ignored' }, ad: { lookup_key: 'k', ...ad } });
    expect([reply.status, reply.json.name]).toEqual([200, 'Kept']);
  });

  test('the body of a request for an existing ad is validated except for name and media', async () => {
    await create({ campaign: { name: 'Ignored' }, ad: { lookup_key: 'k', media } });
    const body = { campaign: { name: 'Ignored' }, ad: { lookup_key: 'k', media: 1, name: 2 }, subscribers: [{}] };
    expect(await paths(body)).toEqual(['subscribers.0']);
  });

  test('the same lookup key in another campaign makes another ad', async () => {
    const one = await create({ campaign: { name: 'C1' }, ad: { lookup_key: 'same', media } });
    const two = await create({ campaign: { name: 'C2' }, ad: { lookup_key: 'same', media } });
    expect([one.status, two.status]).toEqual([201, 201]);
  });

  test('a hundred simultaneous requests get one 201 and 99 times 200, and make one ad', async () => {
    const body = { campaign: { name: 'Crowd' }, ad: { lookup_key: 'crowd', media } };
    const replies = await Promise.all(Array.from({ length: 100 }, () => create(body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(99).fill(200), 201]);
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1);
    const campaigns = await api.store.db.selectFrom('campaigns').select('id').where('name', '=', 'Crowd').execute();
    expect(campaigns).toHaveLength(1);
  });
});

describe('a campaign', () => {
  const campaignOf = async (given: object) => (await create({ campaign: given, ad: { media } })).json.campaign_id;

  test('a campaign is found by its exact name, trimmed', async () => {
    expect(await campaignOf({ name: '\t Summer\u00a0 ' })).toBe(await campaignOf({ name: 'Summer' }));
    expect(await campaignOf({ name: 'summer' })).not.toBe(await campaignOf({ name: 'Summer' }));
  });

  test('the name of a campaign is cut at 250 code points without splitting a pair, and trimmed again', async () => {
    const id = await campaignOf({ name: `${'😀'.repeat(249)} x${'y'.repeat(500)}` });
    const row = await api.store.db
      .selectFrom('campaigns')
      .select('name')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.name).toBe('😀'.repeat(249));
    expect(await campaignOf({ name: '😀'.repeat(251) })).toBe(await campaignOf({ name: '😀'.repeat(250) }));
  });

  test('the id of a campaign takes precedence over its name', async () => {
    const id = await campaignOf({ name: 'By id' });
    expect(await campaignOf({ id, name: 'Another' })).toBe(id);
    expect(await campaignOf({ id, name: 5 })).toBe(id);
    expect(await campaignOf({ id: id.toUpperCase(), name: null })).toBe(id);
    expect(await campaignOf({ id: null, name: 'By id' })).toBe(id);
  });

  test('a campaign of another organization is unknown', async () => {
    const other = await createOrganization(api.store.db, { slug: 'other-campaigns' });
    const made = await exchange(api.url, {
      method: 'POST',
      path: '/api/v1/orgs/other-campaigns/ads',
      headers: { authorization: other.api_key, 'content-type': 'application/json' },
      body: JSON.stringify({ campaign, ad: { media } }),
    });
    expect(made.status).toBe(201);
    expect(await paths({ campaign: { id: made.json.campaign_id }, ad: { media } })).toEqual(['campaign.id']);
  });

  test('an unknown campaign is a fault', async () => {
    expect(await paths({ campaign: { id: NOBODY, name: 'Spring' }, ad: { media } })).toEqual(['campaign.id']);
  });
});

describe('the faults of an ad', () => {
  const tag = (bytes: number) => ({ media: { type: 'html_tag', content: 'x'.repeat(bytes) } });
  test.each([
    ['ad missing', undefined, 'ad'],
    ['ad null', null, 'ad'],
    ['ad a string', 'x', 'ad'],
    ['no media', {}, 'media'],
    ['media null', { media: null }, 'media'],
    ['media an array', { media: [] }, 'media'],
    ['an unknown lookup key without media', { lookup_key: 'nothing' }, 'media'],
    ['type missing', { media: { content: 'https://a.example/' } }, 'media.type'],
    ['unknown type', { media: { ...media, type: 'image' } }, 'media.type'],
    ['content missing', { media: { type: 'url' } }, 'media.content'],
    ['content null', { media: { type: 'url', content: null } }, 'media.content'],
    ['content a number', { media: { type: 'html_tag', content: 3 } }, 'media.content'],
    ['blank tag', { media: { type: 'html_tag', content: ' ' } }, 'media.content'],
    ['tag of 1 MB and a byte', tag(1_048_577), 'media.content'],
    [
      'tag of 1 MB and a byte in UTF-8',
      { media: { type: 'html_tag', content: `${'é'.repeat(524_288)}x` } },
      'media.content',
    ],
    ['tag with U+0000', { media: { type: 'html_tag', content: '<p>\0</p>' } }, 'media.content'],
    ['relative address', { media: { ...media, content: '/banner.png' } }, 'media.content'],
    ['address without a scheme', { media: { ...media, content: 'cdn.example/banner.png' } }, 'media.content'],
    ['an FTP address', { media: { ...media, content: 'ftp://cdn.example/x' } }, 'media.content'],
    ['a data URL', { media: { ...media, content: 'data:text/html,x' } }, 'media.content'],
    ['address with credentials', { media: { ...media, content: 'https://u:p@cdn.example/' } }, 'media.content'],
    ['address too long', { media: { ...media, content: `https://a.example/${'x'.repeat(8_175)}` } }, 'media.content'],
    ['name a number', { name: 5, media }, 'name'],
    ['name of 256', { name: 'x'.repeat(256), media }, 'name'],
    ['name with half of a surrogate pair', { name: 'a\udc00', media }, 'name'],
    ['blank lookup key', { lookup_key: ' ', media }, 'lookup_key'],
    ['empty lookup key', { lookup_key: '', media }, 'lookup_key'],
    ['lookup key a number', { lookup_key: 1, media }, 'lookup_key'],
    ['lookup key of 256', { lookup_key: 'k'.repeat(256), media }, 'lookup_key'],
    ['lookup key with U+0000', { lookup_key: 'a\0', media }, 'lookup_key'],
  ])('an invalid ad is rejected: %s', async (_what, ad, path) => {
    expect(await paths({ campaign, ad })).toEqual([path]);
  });

  test.each([
    ['a tag of exactly 1 MB', tag(1_048_576)],
    ['an address of exactly 8,192', { media: { ...media, content: `https://a.example/${'x'.repeat(8_174)}` } }],
    ['a name of 255 code points', { name: '😀'.repeat(255), media }],
    ['a lookup key of 255 code points', { lookup_key: '😀'.repeat(255), media }],
    ['a private address, which is refused at the connection', { media: { ...media, content: 'http://127.0.0.1:1/x' } }],
    [
      'the placeholders of ad servers',
      { media: { ...media, content: 'https://a.example/?ord=[timestamp]&c=%%CACHEBUSTER%%' } },
    ],
  ])('a valid ad is accepted: %s', async (_what, ad) => {
    const reply = await create({ campaign, ad });
    expect([reply.status, reply.json.errors]).toEqual([201, undefined]);
  });
});

describe('subscribers', () => {
  const s3 = { bucket: 'shots', region: 'eu-central-1', key_prefix: 'ar_' };
  test('a bucket needs a connector, and faults of subscribers have their paths', async () => {
    const webhook = { url: 'https://a.example/' };
    expect(await paths({ campaign, ad: { media }, subscribers: [{ webhook }, { s3 }] })).toEqual(['subscribers.1.s3']);
    expect(await paths({ campaign, ad: { media }, subscribers: [{}] })).toEqual(['subscribers.0']);
  });

  test('subscribers with a bucket are stored once the organization has a connector', async () => {
    const other = await createOrganization(api.store.db, { slug: 'with-s3' });
    const account = { region: 'eu', accessKeyId: 'a', secretAccessKey: 'b' };
    await setS3Connector(api.store.db, 'with-s3', { ...account, name: 'archive' });
    const both = { webhook: { url: 'https://a.example/' }, s3 };
    const send = (connector: string) =>
      exchange(api.url, {
        method: 'POST',
        path: '/api/v1/orgs/with-s3/ads',
        headers: { authorization: other.api_key, 'content-type': 'application/json' },
        body: JSON.stringify({ campaign, ad: { media }, subscribers: [both, { s3: { bucket: 'abc', connector } }] }),
      });
    const rejected = await send('unknown');
    expect([rejected.status, rejected.json.errors]).toEqual([
      422,
      {
        'subscribers.0.s3': ['needs a connector: name one in s3.connector, because there is none named s3.'],
        'subscribers.1.s3.connector': ['is not the name of a connector of this organization.'],
      },
    ]);
    await setS3Connector(api.store.db, 'with-s3', account);
    const reply = await send('archive');
    expect(reply.status).toBe(201);
    const rows = await api.store.db
      .selectFrom('subscribers')
      .selectAll()
      .where('ad_id', '=', reply.json.id)
      .orderBy('seq')
      .execute();
    expect(rows).toMatchObject([
      { webhook_url: 'https://a.example/', s3_bucket: 'shots', s3_region: 'eu-central-1', s3_key_prefix: 'ar_' },
      { webhook_url: null, s3_bucket: 'abc', s3_region: null, s3_key_prefix: null, s3_connector: 'archive' },
    ]);
  });
});

describe('all faults of a body come in one answer', () => {
  test('one answer has all faults of a body, with and without a query', async () => {
    const body = {
      campaign: { id: NOBODY },
      ad: { lookup_key: ' ', name: 5, media: { type: 'x', content: 1 } },
      subscribers: [{ s3: { bucket: 'abc' } }, { webhook: { url: 'x' } }],
    };
    expect(await paths(body)).toEqual([
      'campaign.id',
      'lookup_key',
      'media.content',
      'media.type',
      'name',
      'subscribers.0.s3',
      'subscribers.1.webhook.url',
    ]);
    expect(await paths({})).toEqual(['ad', 'campaign']);
  });

  test('each fault says what to do', async () => {
    const errors = await faults({ campaign, ad: { media: { type: 'html_tag', content: 'x'.repeat(1_048_577) } } });
    expect(errors).toEqual({
      'media.content': ['must be at most 1,048,576 bytes (1MB) for an html_tag, but is 1,048,577.'],
    });
    expect(await faults({ campaign, ad: { media: { type: 'zip' } } })).toEqual({
      'media.type': ['must be one of: url, html_tag, upload.'],
      'media.content': ['is required: a string.'],
    });
  });

  test('a rejected request stores nothing', async () => {
    const before = await Promise.all([api.count('campaigns'), api.count('ads'), api.count('queued')]);
    await faults({ campaign: { name: 'Never made' }, ad: { media }, subscribers: [{}] });
    expect(await Promise.all([api.count('campaigns'), api.count('ads'), api.count('queued')])).toEqual(before);
  });
});

test('the answer comes after the commit: a reader on another connection sees the ad at once', async () => {
  const replies: Reply[] = await Promise.all(Array.from({ length: 20 }, () => create({ campaign, ad: { media } })));
  const rows = await api.store.pool.query('select id from ads where id = any($1)', [
    replies.map(({ json }) => json.id),
  ]);
  expect(rows.rowCount).toBe(20);
});
