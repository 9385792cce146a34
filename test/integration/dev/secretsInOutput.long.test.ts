/** The service at its most verbose, with secrets planted in every place in which clients may put them. */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type Listener, listen, listenHttp } from '../../support/listeners.ts';
import { rawExchange } from '../../support/rawHttp.ts';
import { required } from '../../support/required.ts';
import { DevEnvironment } from './devEnvironment.ts';

let env: DevEnvironment;
let echo: Listener;
let reset: Listener;
const planted = new Map<string, string>();
/** Parts of addresses that a client gave, or that the service gives to clients. The database holds them. */
const inAddresses = new Map<string, string>();

/** @returns a secret that neither the output nor the database may contain. */
function plant(what: string, secret = randomBytes(24).toString('hex')): string {
  planted.set(what, secret);
  return secret;
}

/** @returns a secret that the output must not contain. */
function plantInAddress(what: string, secret = randomBytes(24).toString('hex')): string {
  inAddresses.set(what, secret);
  return secret;
}

beforeAll(async () => {
  env = await DevEnvironment.create();
  await env.start({ LOG_LEVEL: 'trace' });
  echo = await listenHttp((request, response) => {
    // A receiver for debugging, which sends back what it got.
    request.resume().on('end', () => response.writeHead(500).end(JSON.stringify(request.headers)));
  });
  reset = await listen((socket) => socket.once('data', () => socket.resetAndDestroy()));
});
afterAll(async () => {
  await env?.close();
  await Promise.all([echo?.close(), reset?.close()]);
});

const port = () => Number(new URL(env.ready.url).port);
const base = () => `/api/v1/orgs/${env.ready.organization}`;

/** Sends a request as it stands, because fetch would change it. */
const raw = (head: string, body = '') =>
  rawExchange(port(), `${head}\r\nConnection: close\r\n\r\n${body}`).catch(() => '');

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(path: string, { method = 'GET', body, headers = {} }: Sent = {}) {
  const response = await fetch(env.ready.url + path, {
    method,
    headers: { authorization: env.ready.api_key, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function plantKeys(): Promise<void> {
  const key = env.ready.api_key;
  plant('key', key.slice(17));
  plant('webhook secret', env.ready.webhook_secret.slice(6));
  const encoded = [...key].map((sign) => `%${Buffer.from(sign).toString('hex')}`).join('');
  for (const place of [
    `/${key}`,
    `/api/v1/orgs/${key}/ads`,
    `${base()}/ads/${key}`,
    `${base()}/ads?api_key=${key}`,
    `${base()}/ads?lookup_key=${key}`,
    `/%74s_live${key.slice(7)}`,
    `/ts%5Flive${key.slice(7)}`,
    `/ts%5flive_${key.slice(8, 16)}%5f${key.slice(17)}`,
    `/${key.slice(0, 20)}%${Buffer.from(key.slice(20, 21)).toString('hex')}${key.slice(21)}`,
    `/${encoded}`,
    `/o/${key}`,
    `/o/demo/sign-in?next=/o/demo?key=${key}`,
    `/e/${key}/x.pdf`,
    `/i/${key}.png`,
    `http://x/${key}`,
    `//${key}`,
  ])
    await raw(`GET ${place} HTTP/1.1\r\nHost: x`);
  for (const header of [
    `Authorization: ${key}`,
    `Authorization: Bearer ${key} ${key}`,
    `Authorization: ${key}, ${key}`,
    `Authorization: Token ${key}`,
    `Authorization: Bearer=${key}`,
    `Authorization: "${key}"`,
    `Authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}`,
    `Authorization: Bearer ${key}x`,
    `Authorization: ${key}\r\nAuthorization: ${key}`,
    `Authorization:${key.toUpperCase()}`,
    `X-Api-Key: ${key}`,
    `Cookie: ${key}`,
    `X-Request-Id: ${key}`,
    `X-Forwarded-For: ${key}`,
    `Referer: https://x/?${key}`,
    `User-Agent: ${key}`,
    `Authorization: ${key}\r\nBad Header ${key}`,
    `Authorization: ${key}\r\nX: ${'x'.repeat(20_000)}`,
    `Authorization: ${key}\r\nExpect: ${key}`,
  ])
    for (const request of [`GET ${base()}/ads HTTP/1.1\r\nHost: x`, `GET /nothing HTTP/9.9`])
      await raw(`${request}\r\n${header}`);
  const head = `POST ${base()}/ads HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\nContent-Type: application/json\r\n`;
  for (const [framing, body] of [
    [`Transfer-Encoding: chunked`, `zz\r\n${key}`],
    [`Content-Length: ${key.length}\r\nContent-Encoding: gzip`, key],
    [`Content-Length: ${key.length}`, key],
    [`Content-Length: 5\r\nContent-Type: ${key}`, '{}'],
    [`Content-Length: 2\r\nIdempotency-Key: \x01${key}`, '{}'],
  ] as const)
    await raw(head + framing, body);
  // A connection that is cut off in its body.
  await new Promise<void>((resolve) => {
    const socket = connect(port(), '127.0.0.1', () => {
      socket.write(`${head}Content-Length: 999\r\n\r\n{"x":"${key}`, () => socket.resetAndDestroy());
    });
    socket.on('error', () => undefined).on('close', () => resolve());
  });
}

async function plantLinks({ setId, picture, file }: { setId: string; picture: string; file: string }): Promise<void> {
  const token = required(/\/i\/([\w-]+)\.png/.exec(picture)?.[1]);
  plantInAddress('picture token', token);
  const flipped = [...token]
    .map((sign) => (sign === sign.toUpperCase() ? sign.toLowerCase() : sign.toUpperCase()))
    .join('');
  plantInAddress('picture token in the other case', flipped);
  const exported = new URL(file).pathname;
  plantInAddress('export token', required(exported.split('/')[2]));
  const share = JSON.parse((await ask(`${base()}/screenshot_sets/${setId}/shares`, { method: 'POST', body: {} })).text);
  const shared = share.url.split('/s/')[1];
  plant('share link', required(shared.split('.')[1]));
  const signIn = plant('sign-in link', required(env.ready.sign_in_url.split('/sign-in/')[1]));
  for (const place of [
    `/i/${token}.png`,
    `/I/${token}.PNG`,
    `/i/${flipped}.png`,
    `/%69/${token}.png`,
    `//i/${token}.png`,
    `/i//${token}.png`,
    `/i/x/../${token}.png`,
    `/i/${token}`,
    `/i/${token}/320.webp`,
    `/I/${token}/0.webp`,
    `/x/i/${token}.png`,
    `/i;${token}.png`,
    `/i%2f${token}.png`,
    `/i%252f${token}.png`,
    `/api/v1/i/${token}.png`,
    `/${token}.png`,
    exported,
    exported.toUpperCase(),
    `/x${exported}`,
    `/s/${shared}`,
    `/S/${shared}/`,
    `/s/${shared}/live.json`,
    `/s%2F${shared}`,
    `/o/demo/screenshot_sets/${setId}?s=${shared}`,
    `/SIGN-IN/${signIn}`,
    `/sign-in/${signIn}`,
    `/invitations/${signIn}`,
    `/sign-in/callback?code=${signIn}&state=x`,
  ])
    await raw(`GET ${place} HTTP/1.1\r\nHost: x`);
}

async function plantSession(): Promise<void> {
  const form = new URLSearchParams({ key: env.ready.api_key, next: '/o/demo' }).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const { headers } = await ask('/o/demo/sign-in', { method: 'POST', body: form, headers: type });
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  expect(cookie).toContain('tearsheet_session');
  plant('session', required(cookie.split('=')[1]?.split('.').at(-1)));
  for (const path of ['/o/demo', '/o/demo/settings', '/o/demo/nothing', `/o/demo?${cookie}`, '/o/demo/settings/keys'])
    await ask(path, { headers: { cookie, authorization: '' } });
  for (const broken of [`${cookie}x`, `${cookie}; ${cookie}`, `x${cookie}`])
    await ask('/o/demo', { headers: { cookie: broken, authorization: '' } });
}

async function plantTargets(): Promise<void> {
  const endpoints = `${base()}/webhook_endpoints`;
  for (const url of [echo.url, reset.url, 'http://127.0.0.1:1']) {
    const made = await ask(endpoints, {
      method: 'POST',
      body: {
        url: `${url}/hook?token=${plantInAddress(`query of a webhook ${url}`)}`,
        headers: { Authorization: `Bearer ${plant(`header of ${url}`)}`, 'X-Own': plant(`own header of ${url}`) },
      },
    });
    expect(made.status).toBe(201);
    const { id, secret } = JSON.parse(made.text);
    plant(`secret of ${url}`, secret.slice(6));
    await ask(`${endpoints}/${id}/test`, { method: 'POST', body: '' });
  }
  for (const [name, endpoint] of [
    ['closed', 'http://127.0.0.1:1'],
    ['reset', reset.url],
    ['echo', echo.url],
  ] as const) {
    const body = {
      ...{ region: 'us-east-1', access_key_id: 'AKIAPLANTED', force_path_style: true, endpoint },
      secret_access_key: plant(`secret of the connector ${name}`),
      check: { bucket: 'pictures' },
    };
    expect((await ask(`${base()}/connectors/${name}`, { method: 'PUT', body })).status).toBe(200);
    for (const wrong of [{ region: 5 }, { endpoint: 'http://169.254.169.254' }, { kms_key_id: 'x' }])
      await ask(`${base()}/connectors/${name}`, { method: 'PUT', body: { ...body, ...wrong } });
    await ask(`${base()}/connectors/${name}`, { method: 'PUT', body: JSON.stringify(body).slice(0, -1) });
  }
}

async function plantInSet(): Promise<string> {
  const { cdn } = env.publishers;
  const [blog, jpeg] = [env.publishers.url('blog'), `${cdn}/media/marlow.jpg`];
  const dead = 'http://127.0.0.1:1/';
  const tag = `<img src="${jpeg}?key=${plantInAddress('query in a tag')}" width="300" height="250">
    <script src="${dead}x.js?api_key=${plantInAddress('query of a script')}"></script>`;
  const sites = [
    blog,
    `${blog}?session=${plantInAddress('query of a site')}`,
    `${dead}?token=${plantInAddress('query of a dead site')}`,
  ];
  const media = [
    { type: 'html_tag', content: tag },
    { type: 'url', content: `${dead}?token=${plantInAddress('query of a dead creative')}` },
    { type: 'url', content: `${jpeg}?token=${plantInAddress('query of a creative')}` },
  ];
  const { id } = await env.call<{ id: string }>('POST', '/screenshot_requests', {
    campaign: { name: 'Planted' },
    screenshot_requests: media.map((one) => ({
      ad: { media: one },
      screenshots: sites.map((url) => ({ site: { url }, device: { name: 'desktop' } })),
    })),
    subscribers: [{ webhook: { url: `${reset.url}/?secret=${plantInAddress('query of a subscriber')}` } }],
  });
  return id;
}

interface ShownSet {
  readonly status: string;
  readonly screenshots: readonly { readonly image_url: string | null }[];
}

/** @returns the address of one of its pictures. */
async function pictureOf(setId: string): Promise<string> {
  const { screenshots } = await eventually(async () => {
    const set = await env.call<ShownSet>('GET', `/screenshot_sets/${setId}`);
    if (['draft', 'capturing'].includes(set.status)) throw new Error(`The set is ${set.status}.`);
    return set;
  }, 300_000);
  return required(screenshots.find(({ image_url }) => image_url !== null)?.image_url ?? undefined);
}

/** @returns the address of the file of an export. */
async function exportOf(setId: string): Promise<string> {
  const { id } = await env.call<{ id: string }>('POST', `/screenshot_sets/${setId}/exports`, { format: 'zip' });
  return eventually(async () => {
    const { url } = await env.call<{ url: string | null }>('GET', `/exports/${id}`);
    return required(url ?? undefined);
  });
}

/** @returns the rows of all tables as text, also of the tables of the queue. */
async function dumpTables(): Promise<string> {
  const tables = await env.rows<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const dumped: string[] = [];
  for (const { name } of tables)
    dumped.push(name, ...(await env.rows<{ text: string }>(`select t::text from ${name} t`)).map(({ text }) => text));
  return dumped.join('\n');
}

const within = (text: string, secrets: ReadonlyMap<string, string>) =>
  [...secrets].filter(([, secret]) => text.includes(secret)).map(([what]) => what);

test('no log, metric, status or table has a secret of a client', { timeout: 500_000 }, async () => {
  const setId = await plantInSet();
  await plantKeys();
  await plantSession();
  await plantTargets();
  const picture = await pictureOf(setId);
  await plantLinks({ setId, picture, file: await exportOf(setId) });
  // Each test event and check has ended, and so has the first attempt for the subscriber.
  await eventually(async () => {
    const [waiting] = await env.rows<{ count: number }>(
      `select (select count(*) from deliveries where attempts = 0)::int
         + (select count(*) from s3_connectors where check_status = 'pending')::int as count`,
    );
    expect(waiting?.count).toBe(0);
  }, 100_000);
  const last = { 'x-request-id': 'the-last-request' };
  await ask('/nothing', { headers: last });
  await eventually(() => expect(env.service.output()).toContain(last['x-request-id']));

  // The first line is for the person who started it.
  const lines = env.service
    .output()
    .split('\n')
    .filter((line) => !line.startsWith('{"url":'));
  const metrics = await (await fetch(env.ready.metrics_url)).text();
  const jobs = JSON.stringify(await env.rows('select * from screenshot_jobs'));
  const audit = JSON.stringify(await env.rows('select * from audit_log'));
  const secrets = new Map([...planted, ...inAddresses]);
  expect(secrets.size).toBeGreaterThan(25);
  for (const text of [...lines, metrics, jobs, audit])
    expect({ text, has: within(text, secrets) }).toEqual({ text, has: [] });
  expect(within(await dumpTables(), planted)).toEqual([]);
});
