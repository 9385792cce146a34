/** The work of a capture names location, cookies and headers of each page. */
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueJobToken } from '../../../src/api/auth/jobToken.ts';
import { createLocationGateway } from '../../../src/api/internal/internalApi.ts';
import type { Attempt } from '../../../src/contract/captureProtocol.ts';
import { admitWaiting } from '../../../src/core/jobs/admission.ts';
import { insertSet } from '../../../src/core/sets/insertSet.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/screenshotOptions.ts';
import { createGatewayClient } from '../../../src/egress/gatewayClient.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { Locations } from '../../../src/egress/locations.ts';
import { captureClient } from '../../support/captureClient.ts';
import { insertAd, insertOrganization } from '../../support/insertRows.ts';
import { startListener } from '../../support/listeners.ts';
import { startTestInternalApi, type TestInternalApi } from '../../support/testInternalApi.ts';

const GERMANY = {
  ...{ id: 'de', name: 'Germany', country: 'DE', locale: 'de-DE', languages: ['de-DE'] },
  ...{ time_zone: 'Europe/Berlin', geolocation: null, check_url: null },
};
const locations = new Locations({
  locations: [{ ...GERMANY, proxy: 'http://proxy.internal:3128' }],
  credentials: { de: { username: 'agency', password: 'pr0xy-secret' } },
  guard: createGuard({ allow: [] }),
});

let api: TestInternalApi;
beforeAll(async () => {
  api = await startTestInternalApi(() => ({ locations }));
});
afterAll(() => api.close());

test('each page has its location, cookies and headers, none has the proxy, and the job opens no other location', async () => {
  const { db } = api.store;
  const { id: organizationId, campaignId, ...organization } = await insertOrganization(db);
  const adId = await insertAd(db, { id: organizationId, campaignId, ...organization });
  const access = { cookies: [{ name: 'session', value: 'c' }], headers: [{ name: 'X-Preview', value: 'h' }] };
  const names = { cookies: ['session'], headers: ['X-Preview'] };
  const page = { siteUrl: 'https://news.example/', siteKey: 'https://news.example/', device: 'desktop' } as const;
  const picture = { adId, ...page, markerMs: null, options: DEFAULT_OPTIONS, access: null };
  const pictures = [
    picture,
    { ...picture, options: { ...DEFAULT_OPTIONS, location: 'de', access: names }, access },
    { ...picture, options: { ...DEFAULT_OPTIONS, location: 'removed' } },
  ];
  const set = {
    organizationId,
    campaignId,
    name: null,
    instructions: null,
    metadata: {},
    priority: undefined,
    pictures,
    subscribers: [],
  };
  await db.transaction().execute((tx) => insertSet(tx, set));
  // One capture for all pages.
  const limits = { maxPods: 9, maxPodsPerOrganization: 9, parallelism: 1, setDeadlineSeconds: 600 };
  const { admitted } = await db.transaction().execute((tx) => admitWaiting(tx, limits, { reached: [] }));
  const jobId = admitted[0]?.jobId ?? '';
  const client = captureClient(api.internalUrl, jobId, issueJobToken(api.secret, jobId, new Date(Date.now() + 60_000)));
  const attempts = await Promise.all(
    [0, 1, 2].map((index) => client.call<Attempt>(`indexes/${index}/attempts`, { pod: `pod-${index}` })),
  );
  const pages = attempts.flatMap(({ body }) => body.pages);
  expect(pages.map((each) => [each.location, each.access])).toEqual([
    [undefined, undefined],
    [{ id: 'de', profile: GERMANY }, access],
    [{ id: 'removed', profile: null }, undefined],
  ]);
  expect(JSON.stringify(pages)).not.toMatch(/proxy|agency/);

  // The gateway opens the location of its pictures, and no other one. Nothing listens where the proxies would be.
  const proxy = 'http://127.0.0.1:1';
  const all = [GERMANY, { ...GERMANY, id: 'fr' }].map((location) => ({ ...location, proxy }));
  const guarded = { credentials: {}, guard: createGuard({ allow: [] }), timing: { firstDelayMs: 1 } };
  const tunnels = createLocationGateway({ ...api.options, locations: new Locations({ locations: all, ...guarded }) });
  const server = createServer().on('connect', (request, socket: Socket, head) =>
    tunnels?.connect(request, socket, head),
  );
  const listener = await startListener(server);
  const token = issueJobToken(api.secret, jobId, new Date(Date.now() + 60_000));
  const through = (location: string) =>
    createGatewayClient({ url: listener.url, jobId, readToken: async () => token, location }).connect('1.1.1.1', 80);
  await expect(through('de')).rejects.toThrow(/Location de: its proxy failed: ECONNREFUSED/);
  await expect(through('fr')).rejects.toThrow(/No screenshot of its job is at the location fr/);
  tunnels?.close();
  await listener.close();
});
