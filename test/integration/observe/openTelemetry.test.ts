/** The SDK of OpenTelemetry, as API and controller start it, with a collector. */
import { hostname } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { startOpenTelemetry } from '../../../src/observe/openTelemetry.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../support/otlpReceiver.ts';

let collector: OtlpReceiver | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await collector?.close();
});

test('spans name their host, and no id of a machine, which containers lack', async () => {
  collector = await startOtlpReceiver();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test');
  vi.stubEnv('OTEL_NODE_RESOURCE_DETECTORS', '');
  const warnings: unknown[] = [];
  const warn = (fields: object) => warnings.push(fields);
  const log = { debug: () => undefined, info: () => undefined, warn, error: warn };
  const { tracer, stop } = startOpenTelemetry({ service: 'tearsheet-api', log });
  await tracer.run('GET', { kind: 'server', parent: undefined }, async () => undefined);
  await stop();
  expect(warnings).toEqual([]);
  const resource = collector.spans[0]?.resource;
  const expected = { 'service.name': 'tearsheet-api', 'deployment.environment.name': 'test', 'host.name': hostname() };
  expect(resource).toMatchObject(expected);
  expect(Object.keys(resource ?? {})).not.toContain('host.id');
});
