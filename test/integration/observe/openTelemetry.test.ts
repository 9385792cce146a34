/** The SDK of OpenTelemetry, as API and controller start it, with a collector. */
import { hostname } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startOpenTelemetry } from '../../../src/observe/openTelemetry.ts';
import type { Tracer } from '../../../src/observe/tracing.ts';
import { eventually } from '../../support/eventually.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../support/otlpReceiver.ts';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';

const IGNORED = 'a setting of OpenTelemetry was ignored';

let collector: OtlpReceiver;
let warnings: object[];
beforeEach(async () => {
  collector = await startOtlpReceiver();
  warnings = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await collector.close();
});

function start(env: Readonly<Record<string, string>> = {}) {
  for (const [name, value] of Object.entries({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env }))
    vi.stubEnv(name, value);
  const warn = (fields: object, message: string) => void warnings.push({ ...fields, message });
  const log = { debug: () => undefined, info: () => undefined, warn, error: warn };
  return startOpenTelemetry({ service: 'tearsheet-api', log });
}

const serve = (tracer: Tracer, name: string, parent?: string) =>
  tracer.run(name, { kind: 'server', parent, attributes: { long: 'abcdefgh', more: 1 } }, async () => undefined);

/** Spans of three requests: without a parent, below one that is recorded, and below one that is not. */
async function namesFrom(env: Readonly<Record<string, string>>): Promise<string[]> {
  const { tracer, stop } = start(env);
  await serve(tracer, 'root');
  await serve(tracer, 'sampled', `${PARENT}-01`);
  await serve(tracer, 'unsampled', `${PARENT}-00`);
  await stop();
  return collector.spans.map(({ name }) => name);
}

test('spans name their host, and no id of a machine, which containers lack', async () => {
  const { tracer, stop } = start({ OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' });
  await serve(tracer, 'GET');
  await stop();
  expect(warnings).toEqual([]);
  const resource = collector.spans[0]?.resource ?? {};
  const expected = { 'service.name': 'tearsheet-api', 'deployment.environment.name': 'test', 'host.name': hostname() };
  expect(resource).toMatchObject(expected);
  expect(Object.keys(resource).toSorted()).toEqual([
    ...['deployment.environment.name', 'host.name', 'service.instance.id', 'service.name'],
    ...['telemetry.sdk.language', 'telemetry.sdk.name', 'telemetry.sdk.version'],
  ]);
});

test('an operator names service and host', async () => {
  const { tracer, stop } = start({ OTEL_SERVICE_NAME: 'pictures', OTEL_RESOURCE_ATTRIBUTES: 'host.name=node%201' });
  await serve(tracer, 'GET');
  await stop();
  expect(collector.spans[0]?.resource).toMatchObject({ 'service.name': 'pictures', 'host.name': 'node 1' });
});

test.each([
  ['', ['root', 'sampled']],
  ['always_on', ['root', 'sampled', 'unsampled']],
  ['always_off', []],
  ['traceidratio', ['root', 'sampled', 'unsampled']],
  ['parentbased_always_on', ['root', 'sampled']],
  ['parentbased_always_off', ['sampled']],
  ['parentbased_traceidratio', ['root', 'sampled']],
])('OTEL_TRACES_SAMPLER "%s" samples %j', async (sampler, expected) => {
  expect(await namesFrom({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '1' })).toEqual(expected);
  expect(warnings).toEqual([]);
});

test.each([
  ['traceidratio', []],
  ['parentbased_traceidratio', ['sampled']],
])('OTEL_TRACES_SAMPLER %s with a ratio of 0 samples %j', async (sampler, expected) => {
  expect(await namesFrom({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0' })).toEqual(expected);
});

test.each([
  [{ OTEL_TRACES_SAMPLER: 'sometimes' }, 'sometimes'],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '7' }, 'OTEL_TRACES_SAMPLER_ARG'],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: 'few' }, 'OTEL_TRACES_SAMPLER_ARG'],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'smoke' }, 'smoke'],
  [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' }, 'grpc'],
  [{ OTEL_TRACES_EXPORTER: 'otlp,zipkin' }, 'zipkin'],
  [{ OTEL_BSP_SCHEDULE_DELAY: '-1' }, 'OTEL_BSP_SCHEDULE_DELAY'],
])('the invalid value %j is in the log, and the default counts', async (env, named) => {
  expect(await namesFrom(env)).toEqual(['root', 'sampled']);
  expect(warnings).toEqual([{ reason: expect.stringContaining(named), message: IGNORED }]);
});

test('each of several invalid values is in the log, and so is the first failure of the collector', async () => {
  await collector.close();
  await namesFrom({
    OTEL_TRACES_SAMPLER_ARG: 'few',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_BSP_MAX_QUEUE_SIZE: '0',
  });
  expect(warnings).toEqual([
    { reason: expect.stringContaining('OTEL_TRACES_SAMPLER_ARG'), message: IGNORED },
    { reason: expect.stringContaining('OTEL_BSP_MAX_QUEUE_SIZE'), message: IGNORED },
    { reason: expect.any(String), message: expect.stringContaining('spans could not be exported') },
  ]);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'application/json'],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, 'application/x-protobuf'],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' },
    'application/x-protobuf',
  ],
])('%j sends %s', async (env, type) => {
  await namesFrom({ ...env, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token' });
  expect(collector.headers).toEqual([expect.objectContaining({ 'content-type': type, authorization: 'Bearer token' })]);
});

test('OTEL_BSP_* limit a batch and the spans that wait', async () => {
  const { tracer, stop } = start({ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2', OTEL_BSP_MAX_QUEUE_SIZE: '4' });
  const ofCapture = { parent: '00f067aa0ba902b7', start_ms: 1_000, end_ms: 2_000, attributes: {} };
  const spans = Array.from({ length: 10 }, (_, at) => ({ ...ofCapture, id: `${at}`.repeat(16), name: `page ${at}` }));
  tracer.relay?.(spans.slice(1), '4bf92f3577b34da6a3ce929d0e0e4736');
  await stop();
  // The first batch is on its way while four others wait.
  expect(collector.spans.map(({ spanId }) => spanId)).toEqual(spans.slice(1, 7).map(({ id }) => id));
  expect(collector.bodies).toHaveLength(3);
});

test.each(['never answers', 'fails', 'is gone'] as const)(
  'a collector that %s is in the log once, and the process ends',
  async (mode) => {
    if (mode === 'is gone') await collector.close();
    else collector.mode = mode;
    const { tracer, stop } = start({
      ...{ OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_BSP_EXPORT_TIMEOUT: '50', OTEL_EXPORTER_OTLP_TIMEOUT: '50' },
    });
    await serve(tracer, 'first');
    await eventually(() => expect(warnings).toHaveLength(1));
    // The third export begins after the second has failed.
    if (mode !== 'is gone')
      await eventually(async () => {
        await serve(tracer, 'more');
        expect(collector.bodies.length).toBeGreaterThan(2);
      });
    await stop();
    const reported = expect.objectContaining({ message: expect.stringContaining('at most once a minute') });
    expect(warnings.filter((warning) => reported.asymmetricMatch(warning))).toHaveLength(1);
  },
);
