/** The requests of the benchmark: every list with each filter, one object of each kind, the pages, and what stores something. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Client } from 'undici';

/** A request for one of the two databases. It is built again for each round, so that it may store something. */
export interface BenchRequest {
  readonly name: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly isPage?: boolean;
  readonly body?: () => object;
}

/** Ids and times of rows in the middle of the large organization. */
export interface Places {
  readonly set: string;
  readonly campaign: string;
  readonly largeCampaign: string;
  readonly ad: string;
  readonly upload: string;
  readonly screenshot: string;
  readonly event: string;
  readonly delivery: string;
  readonly endpoint: string;
  readonly audit: string;
  readonly export: string;
  /** A set that was taken again. */
  readonly retaken: string;
  readonly from: string;
  readonly to: string;
  readonly lookupKey: string;
  readonly campaignName: string;
}

/** In the middle of the sets, with more than a page behind them. */
export async function findPlaces(database: pg.Pool): Promise<Places> {
  const { rows } = await database.query<Places>(`
    with o as (select id from organizations where slug = 'large'),
    middle as (
      select s.* from screenshot_sets s where organization_id = (select id from o) and status = 'approved'
        and exists (select from ads a where a.campaign_id = s.campaign_id and a.created_at = s.created_at and a.kind = 'upload')
      order by created_at desc, id
      offset (select count(*) / 40 from screenshot_sets where organization_id = (select id from o)) limit 1),
    ad as (select a.* from ads a, middle m where a.created_at = m.created_at and a.campaign_id = m.campaign_id)
    select m.id as set, m.campaign_id as campaign, ad.id as ad, ad.upload_id as upload, ad.lookup_key as "lookupKey",
      (select campaign_id from screenshot_sets where organization_id = (select id from o) group by 1 order by count(*) desc, 1 limit 1)
        as "largeCampaign",
      (select id from screenshots where set_id = m.id and seq = 3) as screenshot,
      (select 'evt_' || event_id from deliveries where set_id = m.id and channel = 'webhook' limit 1) as event,
      (select id from deliveries where set_id = m.id and channel = 'webhook' order by id limit 1) as delivery,
      (select id from webhook_endpoints where organization_id = (select id from o)) as endpoint,
      (select id from audit_log where organization_id = (select id from o) and created_at <= m.created_at
        order by created_at desc limit 1) as audit,
      (select id from exports where organization_id = (select id from o) order by created_at desc offset 5 limit 1) as export,
      (select retake_of from screenshot_sets where retake_of is not null and organization_id = (select id from o) limit 1) as retaken,
      (m.created_at - interval '3 hours') at time zone 'utc' || 'Z' as from, m.created_at at time zone 'utc' || 'Z' as to,
      (select name from campaigns where id = m.campaign_id) as "campaignName"
    from middle m, ad`);
  const [row] = rows;
  if (row === undefined) throw new Error('The database has no set in the middle.');
  const time = (text: string) => new Date(text.replace(' ', 'T')).toISOString();
  return { ...row, from: time(row.from), to: time(row.to) };
}

const API = '/api/v1/orgs/large';
const list = (name: string, path: string, query: string): BenchRequest => ({
  name: `list of ${name}`,
  path: `${API}/${path}?per_page=20${query === '' ? '' : `&${query}`}`,
});

/** Each list: its first page, a page behind a row in the middle, days in the middle, and each filter. */
export function listRequests(at: Places): BenchRequest[] {
  const filters: readonly (readonly [
    name: string,
    path: string,
    after: string,
    queries: Readonly<Record<string, string>>,
  ])[] = [
    [
      'sets',
      'screenshot_sets',
      at.set,
      {
        'common status': 'status=approved',
        'rare status': 'status=in_review',
        'a word that all have': 'q=banner',
        'a rare word': 'q=rare',
        'the beginning of words': 'q=ban',
        'an id': `q=${at.set}`,
        'a common site': 'site=news.example',
        'a rare site': 'site=rare.example',
        'a common device': 'device=desktop',
        'a rare device': 'device=ipad',
        'a campaign': `campaign_id=${at.campaign}`,
        'a large campaign': `campaign_id=${at.largeCampaign}`,
        'common word, site and status': 'q=banner&site=news.example&status=approved',
      },
    ],
    [
      'ads',
      'ads',
      at.ad,
      {
        'common status': 'status=uploaded',
        'rare status': 'status=not_found',
        'a word that all have': 'q=banner',
        'a rare word': 'q=winter',
        'a lookup key': `lookup_key=${at.lookupKey}`,
        'a campaign': `campaign_id=${at.campaign}`,
        'a large campaign': `campaign_id=${at.largeCampaign}`,
        'a common word and status': 'q=banner&status=uploaded',
      },
    ],
    [
      'campaigns',
      'campaigns',
      at.campaign,
      {
        'a word that most have': 'q=campaign',
        'a rare word': 'q=autumn',
        'a name': `name=${encodeURIComponent(at.campaignName)}`,
      },
    ],
    [
      'screenshots',
      'screenshots',
      at.screenshot,
      { 'oldest first': 'order=asc', 'with creatives': 'include=ad.creative' },
    ],
    ['uploads', 'uploads', at.upload, {}],
    [
      'events',
      'events',
      at.event,
      {
        'a common topic': 'topic=screenshot_set.approved',
        'a rare topic': 'topic=ad.failed',
        'a set': `screenshot_set_id=${at.set}`,
        'an ad': `ad_id=${at.ad}`,
        'an endpoint': `webhook_endpoint_id=${at.endpoint}`,
      },
    ],
    [
      'deliveries',
      'deliveries',
      at.delivery,
      {
        'a common topic': 'topic=screenshot_set.approved',
        'a rare topic': 'topic=ad.failed',
        'common status': 'status=delivered',
        'rare status': 'status=retries_exhausted',
        'common channel': 'channel=webhook',
        'rare channel': 'channel=s3',
        'a set': `screenshot_set_id=${at.set}`,
        'an ad': `ad_id=${at.ad}`,
        'an endpoint': `webhook_endpoint_id=${at.endpoint}`,
        'a common topic, status and channel': 'topic=screenshot_set.approved&status=delivered&channel=webhook',
      },
    ],
    [
      'audit log entries',
      'audit_log',
      at.audit,
      {
        'a common action': 'action=share_link.created',
        'a rare action': 'action=branding.updated',
        'a common actor': 'actor=api_key',
        'a rare actor': 'actor=operator',
      },
    ],
  ];
  return filters.flatMap(([name, path, after, queries]) => [
    list(name, path, name === 'screenshots' ? 'from=2000-01-01T00:00:00Z' : ''),
    list(
      `${name}, behind a row in the middle`,
      path,
      `after=${after}${name === 'screenshots' ? '&from=2000-01-01T00:00:00Z' : ''}`,
    ),
    list(`${name}, hours in the middle`, path, `from=${at.from}&to=${at.to}`),
    ...Object.entries(queries).map(([filter, query]) =>
      list(`${name}, ${filter}`, path, `${query}${name === 'screenshots' ? '&from=2000-01-01T00:00:00Z' : ''}`),
    ),
  ]);
}

/** One object of each kind, lists of one set, and the other readers. */
export function objectRequests(at: Places): BenchRequest[] {
  const one = (name: string, path: string): BenchRequest => ({ name: `one ${name}`, path: `${API}/${path}` });
  return [
    one('set', `screenshot_sets/${at.set}`),
    one('set that was taken again', `screenshot_sets/${at.retaken}`),
    one('ad', `ads/${at.ad}`),
    one('campaign', `campaigns/${at.campaign}`),
    one('screenshot', `screenshots/${at.screenshot}`),
    one('upload', `uploads/${at.upload}`),
    one('event', `events/${at.event}`),
    one('delivery', `deliveries/${at.delivery}`),
    one('export', `exports/${at.export}`),
    one('webhook endpoint', `webhook_endpoints/${at.endpoint}`),
    { name: 'share links of a set', path: `${API}/screenshot_sets/${at.set}/shares` },
    { name: 'exports of a set', path: `${API}/screenshot_sets/${at.set}/exports` },
    { name: 'templates', path: `${API}/templates` },
    { name: 'keys', path: `${API}/keys` },
    { name: 'settings', path: `${API}/settings` },
    { name: 'use of 30 days', path: `${API}/usage` },
  ];
}

export function pageRequests(at: Places): BenchRequest[] {
  const pages: readonly (readonly [string, string])[] = [
    ['start page: sets', 'screenshot_sets'],
    ['sets, oldest first', 'screenshot_sets?sort=oldest'],
    ['sets with a word that all have', 'screenshot_sets?q=banner'],
    ['sets with a rare word', 'screenshot_sets?q=rare'],
    ['sets of a status and a device', 'screenshot_sets?status=approved&device=desktop'],
    ['set', `screenshot_sets/${at.set}`],
    ['set, .json', `screenshot_sets/${at.set}.json`],
    ['set that was taken again', `screenshot_sets/${at.retaken}`],
    ['picture', `screenshots/${at.screenshot}`],
    ['retake of a set', `screenshot_sets/${at.set}/retake`],
    ['campaigns', 'campaigns'],
    ['campaigns by name', 'campaigns?sort=name'],
    ['campaigns with a word', 'campaigns?q=spring'],
    ['campaign', `campaigns/${at.campaign}`],
    ['large campaign', `campaigns/${at.largeCampaign}`],
    ['ads', 'ads'],
    ['ads by name', 'ads?sort=name'],
    ['ads with a word that all have', 'ads?q=banner'],
    ['ad', `ads/${at.ad}`],
    ['ad, .json', `ads/${at.ad}.json`],
    ['deliveries', 'deliveries'],
    ['deliveries of a common topic', 'deliveries?topic=screenshot_set.approved'],
    ['delivery', `deliveries/${at.delivery}`],
    ['new request', 'new'],
    ['settings', 'settings'],
    ['keys', 'settings/keys'],
    ['audit log', 'settings/audit_log'],
    ['webhooks', 'settings/webhooks'],
    ['endpoints', 'settings/endpoints'],
    ['endpoint', `settings/endpoints/${at.endpoint}`],
    ['connectors', 'settings/connectors'],
    ['branding', 'settings/branding'],
  ];
  return pages.map(([name, path]) => ({ name: `page: ${name}`, path: `/o/large/${path}`, isPage: true }));
}

const media = { type: 'url', content: 'https://cdn.example/creative.html' };
const sites = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    site: { url: `https://site${n}.example/` },
    device: { name: 'desktop' },
  }));

export function writingRequests(at: Places): BenchRequest[] {
  const accept =
    (count: number, campaign: object): BenchRequest['body'] =>
    () => ({
      campaign,
      screenshot_requests: [{ ad: { lookup_key: randomUUID(), media }, screenshots: sites(count) }],
      subscribers: [{ webhook: { url: 'https://hooks.example/tearsheet' } }],
    });
  const post = (name: string, path: string, body: BenchRequest['body']): BenchRequest => ({
    ...{ name, path: `${API}/${path}`, method: 'POST' },
    ...(body && { body }),
  });
  return [
    post('create-ad', 'ads', () => ({ campaign: { id: at.campaign }, ad: { lookup_key: randomUUID(), media } })),
    post('create-ad with a known lookup key', 'ads', () => ({
      campaign: { id: at.campaign },
      ad: { lookup_key: at.lookupKey, media },
    })),
    post('request with 1 screenshot', 'screenshot_requests', accept(1, { id: at.campaign })),
    post(
      'request with 1 screenshot, new campaign',
      'screenshot_requests',
      () => accept(1, { name: randomUUID() })?.() ?? {},
    ),
    post('request with 100 screenshots', 'screenshot_requests', accept(100, { id: at.campaign })),
    post('duplicate of a set', `screenshot_sets/${at.set}/duplicate`, () => ({})),
  ];
}

export interface Answer {
  readonly ms: number;
  readonly status: number;
  readonly text: string;
}

/** @returns the time until the last byte. */
export async function send(
  client: Client,
  { path, method = 'GET', body, isPage }: BenchRequest,
  { key, cookie }: { readonly key: string; readonly cookie: string },
): Promise<Answer> {
  const headers: Record<string, string> = isPage === true ? { cookie } : { authorization: `Bearer ${key}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const start = performance.now();
  const response = await client.request({ path, method, headers, ...(body && { body: JSON.stringify(body()) }) });
  const text = await response.body.text();
  return { ms: performance.now() - start, status: response.statusCode, text };
}
