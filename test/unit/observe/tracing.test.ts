import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, test } from 'vitest';
import { parseTraceparent } from '../../../src/lib/traceparent.ts';
import { createSpanRecorder } from '../../../src/observe/spanRecorder.ts';
import {
  activeTraceparent,
  isTracing,
  takeSpans,
  traceFields,
  useTracer,
  wantsTraces,
  withinSpan,
  withSpan,
} from '../../../src/observe/tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const OTHER = `00-${'a'.repeat(32)}-00f067aa0ba902b7-01`;
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

afterEach(() => useTracer(undefined));

test.each([
  ['nothing', {}, false],
  ['an endpoint', ENDPOINT, true],
  ['an endpoint for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
  ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
  ['other variables of OpenTelemetry', { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: 'otlp' }, false],
  ['a disabled SDK', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, false],
  ['no exporter', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, false],
])('%s turns traces on or off', (_, env, expected) => {
  expect(wantsTraces(env)).toBe(expected);
});

test('without a tracer, work runs without a span', async () => {
  expect(isTracing()).toBe(false);
  expect(await withinSpan(PARENT, () => withSpan('work', {}, async () => activeTraceparent()))).toBeUndefined();
  expect(traceFields()).toEqual({});
});

test('only the tracer and its settings import OpenTelemetry, and they are loaded only when they are needed', () => {
  const src = fileURLToPath(new URL('../../../src/', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const importing = (what: RegExp) => files.filter((name) => what.test(readFileSync(path.join(src, name), 'utf8')));
  expect(importing(/from '@opentelemetry\//)).toEqual(['observe/openTelemetry.ts', 'observe/openTelemetryEnv.ts']);
  expect(importing(/^(import|export) .*from '.*\/(openTelemetry|spanRecorder)\.ts'/m)).toEqual([]);
  expect(importing(/from '.*\/openTelemetryEnv\.ts'/)).toEqual(['observe/openTelemetry.ts']);
});

describe('the recorder of a capture', () => {
  const span = <T>(name: string, work: () => Promise<T>) => withSpan(name, {}, work);
  const namesTaken = () => takeSpans().map(({ name }) => name);

  it('a span has its parent, its times, its attributes and the type of its error', async () => {
    useTracer(createSpanRecorder());
    const spans = await withinSpan(PARENT, async () => {
      const failing = withSpan('page', {}, () => Promise.reject(new TypeError('https://a.example/?key=secret')));
      await expect(failing).rejects.toThrow('secret');
      const attributes = { 'tearsheet.device': 'phone', absent: undefined };
      await withSpan('page', { attributes }, () => {
        expect(traceFields()).toMatchObject({ trace_id: TRACE });
        return span('find', async () => undefined);
      });
      return takeSpans();
    });
    const [failed, find, page] = spans;
    expect(failed).toMatchObject({ name: 'page', error: 'TypeError', parent: '00f067aa0ba902b7' });
    expect(page).toMatchObject({ name: 'page', attributes: { 'tearsheet.device': 'phone' } });
    expect(page?.attributes).not.toHaveProperty('absent');
    expect(find?.parent).toBe(page?.id);
    expect(page?.start_ms).toBeLessThanOrEqual(page?.end_ms ?? 0);
    expect(JSON.stringify(spans)).not.toContain('secret');
  });

  it('a span is taken once, and not before the spans above it have ended', async () => {
    useTracer(createSpanRecorder());
    await withinSpan(PARENT, async () => {
      await span('page', async () => {
        await span('picture', () => span('place', async () => undefined));
        await span('upload', async () => undefined);
        expect(namesTaken()).toEqual([]);
      });
      expect(namesTaken()).toEqual(['place', 'picture', 'upload', 'page']);
      expect(namesTaken()).toEqual([]);
    });
  });

  it('work below a span that has ended is taken with it', async () => {
    useTracer(createSpanRecorder());
    await withinSpan(PARENT, async () => {
      const start = await span('start capture', async () => activeTraceparent());
      await withinSpan(start, async () => {
        await span('page', async () => undefined);
        const [first, page] = takeSpans();
        expect([first?.name, page?.name, page?.parent]).toEqual(['start capture', 'page', first?.id]);
      });
    });
  });

  it('spans of a small set stay apart from those of the set before', async () => {
    useTracer(createSpanRecorder());
    await withinSpan(PARENT, async () => {
      await span('page', async () => undefined);
      await withinSpan(OTHER, async () => {
        await span('render', async () => undefined);
        expect(parseTraceparent(activeTraceparent())?.traceId).toBe('a'.repeat(32));
        expect(namesTaken()).toEqual(['render']);
      });
      await withinSpan(null, async () => {
        await span('render', async () => undefined);
        expect([activeTraceparent(), ...namesTaken()]).toEqual([undefined]);
      });
      expect(namesTaken()).toEqual(['page']);
    });
  });

  it('nothing is kept of a trace that is not recorded, and at most 1,000 spans of another', async () => {
    useTracer(createSpanRecorder());
    await withinSpan(PARENT.replace(/1$/, '0'), async () => {
      await span('page', async () => undefined);
      expect(takeSpans()).toEqual([]);
    });
    await withinSpan(PARENT, async () => {
      await span('page', async () => {
        for (let i = 0; i < 1_500; i++) await span('picture', async () => undefined);
      });
      expect(takeSpans()).toHaveLength(1_000);
    });
  });
});
