/** A hostile page tries every way around the proxy. The test watches the sockets that the page must not reach. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCreativeRenderer } from '../../../../src/capture/creative/renderer.ts';
import { startPageOpener } from '../../../../src/capture/page/pageOpener.ts';
import { createGuardedFetch } from '../../../../src/egress/fetch.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { type EgressProxy, startEgressProxy } from '../../../../src/egress/proxy.ts';
import { eventually } from '../../../support/eventually.ts';
import { HOSTILE_SERVICE_WORKER, HOSTILE_WORKER, hostilePage } from '../../../support/hostilePage.ts';
import { type Listener, listen, listenHttp } from '../../../support/listeners.ts';
import { zipOf } from '../../../support/zips.ts';
import { CHROMIUM, device } from '../page/sites.ts';

/** The page lives here, the one address that is allowed; what listens on 127.0.0.1 is the machine's own. */
const PUBLIC = '127.0.0.2';
const OWN_FILES: Readonly<Record<string, string>> = {
  '/worker.js': HOSTILE_WORKER,
  '/service.js': HOSTILE_SERVICE_WORKER,
};

let site: Listener;
let trap: Listener;
let knocks: { readonly port: number; readonly datagrams: number; close(): Promise<void> };
let proxy: EgressProxy;
/** Only WebRTC gets this name. */
const PEER = 'peer.example';
const names = new Set<string>();
const guard = createGuard({
  allow: [`${PUBLIC}/32`],
  lookup: async (name) => {
    names.add(name);
    return [{ address: '10.0.0.1', family: 4 }];
  },
});
const asked: string[] = [];

beforeAll(async () => {
  trap = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  knocks = await listenUdp();
  proxy = await startEgressProxy({ guard });
  site = await listenHttp((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    asked.push(request.url ?? '');
    const file = OWN_FILES[pathname];
    response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript');
    response.end(file ?? (pathname === '/' ? page() : ''));
  }, PUBLIC);
});
afterAll(async () => {
  await Promise.all([site.close(), trap.close(), knocks.close(), proxy.close()]);
});

test('the browser of pages connects only to addresses that the guard allows', async () => {
  const opener = await startPageOpener({ chromiumPath: CHROMIUM, proxyUrl: proxy.url, settleCapMs: 20_000 });
  const opened = await opener.open(`${site.url}/`, device('desktop'));
  expect(opened).toMatchObject({ status: 'ready' });
  await expectNothingReached(() => opener.close());
});

test('the browser of creatives connects only to addresses that the guard allows', async () => {
  const fetch = createGuardedFetch({ guard });
  const renderer = await startCreativeRenderer({
    ...{ chromiumPath: CHROMIUM, proxyUrl: proxy.url, origins: proxy.origins, fetch },
    // The page tries many connections, which takes long on a busy machine.
    creativeDeadlineMs: 250_000,
  });
  // The browser trusts our origin, so service workers run as well.
  const bytes = await zipOf({
    'index.html': page(),
    'worker.js': HOSTILE_WORKER,
    'service.js': HOSTILE_SERVICE_WORKER,
  });
  const sources = [
    { kind: 'file', name: 'doors.zip', bytes },
    { kind: 'url', content: `${site.url}/` },
  ] as const;
  for (const source of sources) {
    const result = await renderer.render(source, { markers: [0, 2_000], ratios: [1] });
    expect(result).toMatchObject({ status: 'uploaded' });
  }
  await expectNothingReached(() => renderer.close());
}, 600_000);

function page(): string {
  const tcp = [
    `127.0.0.1:${trap.port}`,
    `localhost:${trap.port}`,
    `[::ffff:127.0.0.1]:${trap.port}`,
    new URL(proxy.url).host,
  ];
  return hostilePage({ tcp, udp: [`127.0.0.1:${knocks.port}`, `${PEER}:3478`] });
}

async function expectNothingReached(close: () => Promise<void>): Promise<void> {
  // The page did run: the proxy refused its other connections.
  const doors = new Set(proxy.refusals.map(({ host, port }) => `${host}:${port}`));
  expect(doors).toContain(`127.0.0.1:${trap.port}`);
  // The browser asked the proxy and not a name server, which does not know this name.
  await eventually(() => expect(names).toContain(PEER));
  names.clear();
  expect(asked.filter((path) => path.startsWith('/leak'))).toEqual([]);
  await close();
  expect({ connections: trap.connections, datagrams: knocks.datagrams }).toEqual({ connections: 0, datagrams: 0 });
}

async function listenUdp() {
  const socket = createSocket('udp4');
  let datagrams = 0;
  socket.on('message', () => {
    datagrams += 1;
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    get datagrams() {
      return datagrams;
    },
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}
