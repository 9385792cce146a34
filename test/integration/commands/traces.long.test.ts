/** A request over `tearsheet api`, `tearsheet controller`, captures and the webhook, and its trace as a collector receives it. */
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startOtlpReceiver } from '../../support/otlpReceiver.ts';
import { namesOf, newTraceparent, SECRETS, TracedServices, traceIdOf } from './tracedServices.ts';

const ROOT_SPAN = 'POST /api/v1/orgs/:slug/screenshot_requests';
const services = new TracedServices();

beforeAll(() => services.open());
afterAll(() => services.close());

test('a request, its small set in the capture of another one, and its retake have a trace each over all processes', {
  timeout: 600_000,
}, async () => {
  const { api, controller } = services.traced;
  const traces = [newTraceparent(), newTraceparent(), newTraceparent()] as const;
  const ids = [await services.post('/screenshot_requests', services.request(), traces[0])];
  ids.push(await services.post('/screenshot_requests', services.request(), traces[1]));
  for (const id of ids) await services.delivered(id);
  ids.push(await services.post(`/screenshot_sets/${ids[0]}/retake`, { which: 'all' }, traces[2]));
  await services.delivered(ids[2] ?? '');

  const all = ['wait for admission', 'create ScreenshotJob', 'start capture', 'page', 'find', 'picture', 'upload'];
  for (const [i, traceparent] of traces.entries()) {
    const spans = await services.completeSpansOf(traceparent, [
      ...all,
      'settle job',
      'send screenshot_set.approved',
      'POST',
    ]);
    const sent = spans.find(({ name }) => name === 'POST');
    expect(services.heard.get(ids[i] ?? '')).toBe(`00-${traceIdOf(traceparent)}-${sent?.spanId}-01`);
    expect(sent).toMatchObject({
      kind: 3,
      attributes: { 'http.response.status_code': 204, 'server.address': '127.0.0.1' },
    });
    expect(spans.filter(({ isError }) => isError)).toEqual([]);
    const start = spans.find(({ name }) => name === 'start capture');
    expect(spans.filter(({ name }) => name === 'page').map(({ parentId }) => parentId)).toEqual([start?.spanId]);
  }
  const [first, second, third] = traces.map((each) => services.spansOf(each));
  expect([...namesOf(first ?? [])]).toEqual(expect.arrayContaining([ROOT_SPAN, 'render', 'create Job']));
  const root = first?.find(({ name }) => name === ROOT_SPAN);
  expect(root).toMatchObject({ service: 'tearsheet-api', kind: 2, parentId: traces[0].split('-')[2] });
  expect(root?.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 202 });
  const hosted = second?.filter(({ name }) => name === 'start capture').map(({ attributes }) => attributes);
  expect(hosted).toEqual([expect.objectContaining({ 'tearsheet.hosted': true })]);
  const retake = third?.find(({ kind, name }) => kind === 2 && name.startsWith('POST '));
  expect(retake?.links).toEqual([traceIdOf(traces[0])]);

  const asked = api.lines().find(({ msg, status, method }) => msg === 'request' && status === 202 && method === 'POST');
  expect(asked).toMatchObject({ trace_id: traceIdOf(traces[0]), span_id: root?.spanId });
  const settled = controller.lines().filter(({ msg }) => msg === 'settled');
  expect(new Set(settled.map(({ trace_id }) => trace_id))).toEqual(new Set(traces.map(traceIdOf)));
});

test('the set has its picture, and the controller its metrics', async () => {
  const [id] = services.heard.keys();
  const answer = await fetch(`${services.traced.url}/screenshot_sets/${id}`, {
    headers: { authorization: services.key.api_key },
  });
  const { status, screenshots } = (await answer.json()) as { status: string; screenshots: { image_url: string }[] };
  expect(status).toBe('approved');
  const picture = await (await fetch(screenshots[0]?.image_url ?? '')).arrayBuffer();
  expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width: 1440, height: 900 });
  // A set is approved before the controller has counted its end.
  const text = await eventually(async () => {
    const scraped = await (await fetch(services.traced.metrics)).text();
    expect(scraped).toContain('tearsheet_screenshotjobs{reason="Completed"} 3');
    return scraped;
  });
  expect(text).toContain('tearsheet_leader 1');
  expect(text).toMatch(/tearsheet_reconciles_total\{outcome="done"\} [1-9]/);
  expect(text).toContain('tearsheet_waiting{kind="sets"} 0');
  expect(text).toContain('tearsheet_work_queue_depth{state="ready"}');
  expect(text).toMatch(/tearsheet_audit_timestamp_seconds 1\d+/);
});

test('an invalid traceparent begins a new trace, and an unsampled one is passed on without spans', async () => {
  const { api, url } = services.traced;
  const before = api.lines().length;
  const invalid = newTraceparent().toUpperCase();
  const unsampled = newTraceparent('00');
  const headers = { authorization: services.key.api_key };
  const list = (traceparent: string) => fetch(`${url}/campaigns`, { headers: { ...headers, traceparent } });
  expect((await list(invalid)).status).toBe(200);
  expect((await list(unsampled)).status).toBe(200);
  // The connection is the same, and this request has no traceparent.
  expect((await fetch(`${url}/campaigns`, { headers })).status).toBe(200);
  const lists = () => services.collector.spans.filter(({ name }) => name === 'GET /api/v1/orgs/:slug/campaigns');
  await eventually(() => expect(lists().map(({ parentId }) => parentId)).toEqual(['', '']));
  const requests = api
    .lines()
    .slice(before)
    .filter(({ msg }) => msg === 'request');
  const traceIds = requests.map(({ trace_id }) => trace_id);
  expect(traceIds).toEqual([lists()[0]?.traceId, traceIdOf(unsampled), lists()[1]?.traceId]);
  expect(new Set(traceIds).size).toBe(3);
});

test('API and controller end with 0, and no export has a secret', async () => {
  expect(await services.stop()).toEqual([0, 0]);
  expect(services.collector.headers.every(({ authorization }) => authorization === `Bearer ${SECRETS.collector}`)).toBe(
    true,
  );
  const sentBytes = Buffer.concat(services.collector.bodies).toString('latin1');
  const secrets = [services.key.api_key, services.key.webhook_secret, ...Object.values(SECRETS), '/media/marlow'];
  expect(secrets.filter((secret) => sentBytes.includes(secret))).toEqual([]);
});

/** A request that waited for its export would wait for longer than this test. */
test('a collector that never answers slows no request and no shutdown', async () => {
  const silent = await startOtlpReceiver();
  silent.mode = 'never answers';
  const { url } = await services.begin({
    OTEL_EXPORTER_OTLP_ENDPOINT: silent.url,
    OTEL_BSP_EXPORT_TIMEOUT: '600000',
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    OTEL_BSP_SCHEDULE_DELAY: '1',
  });
  const headers = { authorization: services.key.api_key };
  const list = () => fetch(`${url}/campaigns`, { headers, signal: AbortSignal.timeout(60_000) });
  expect((await list()).status).toBe(200);
  await eventually(() => expect(silent.bodies).toHaveLength(1));
  for (let i = 0; i < 50; i++) expect((await list()).status).toBe(200);
  // The spans of these requests wait, because the first export has not ended.
  expect(silent.bodies).toHaveLength(1);
  expect(await services.stop()).toEqual([0, 0]);
  await silent.close();
});
