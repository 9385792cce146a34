/** The tracer of API and controller: OpenTelemetry's trace SDK, which exports spans as its standard variables say. Loaded only if they do. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import {
  type Context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { withDeadline } from '../lib/deadline.ts';
import { errorMessage, errorName } from '../lib/errorMessage.ts';
import type { Log } from '../lib/log.ts';
import { parseTraceparent, type Traceparent } from '../lib/traceparent.ts';
import { batchesFromEnv, samplerFromEnv } from './openTelemetryEnv.ts';
import { definedAttributes, NO_SPAN, type Span, type SpanOptions, type Tracer } from './tracing.ts';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** The time for the last spans when the process ends. */
const FLUSH_MS = 3_000;
/** A collector that fails is in the log once in this time. */
const QUIET_MS = 60_000;

export interface OpenTelemetry {
  readonly tracer: Tracer;
  /** Exports the last spans, at most for 3 s. Never throws. */
  stop(): Promise<void>;
}

/** @param service the name of the service, unless OTEL_SERVICE_NAME is set. */
export function startOpenTelemetry({ service, log }: { service: string; log: Log }): OpenTelemetry {
  // The environment is read here only.
  reportTo((reason) => log.warn({ reason }, 'a setting of OpenTelemetry was ignored'));
  const ids = new Ids();
  const provider = new TracerProvider({
    resource: resourceOf(service),
    idGenerator: ids,
    sampler: samplerFromEnv(),
    spanProcessors: [batchesFromEnv()],
  });
  reportFailures(log);
  return {
    tracer: createTracer(provider, ids),
    stop: async () => {
      try {
        await withDeadline(FLUSH_MS, provider.shutdown());
      } catch (error) {
        log.warn({ reason: errorMessage(error) }, 'the last spans could not be exported');
      }
    },
  };
}

/** Other detectors would add the command line and the owner of the process, or warn about a missing id of the host in each container. */
function resourceOf(service: string) {
  return defaultResource()
    .merge(resourceFromAttributes({ 'host.name': hostname() }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, resourceAttributesEnvDetector] }))
    .merge(resourceFromAttributes({ 'service.name': process.env['OTEL_SERVICE_NAME'] || service }));
}

/** Passes on the warnings and errors of the SDK. */
function reportTo(report: (reason: string) => void): void {
  const ignore = () => undefined;
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** A collector may fail at each export, and the log would hold nothing else. */
function reportFailures(log: Log): void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  reportTo((reason) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    log.warn({ reason }, 'spans could not be exported; this is reported at most once a minute');
  });
}

/** Random ids, or the one that a span of a capture has already. */
class Ids {
  next: string | undefined;

  generateTraceId(): string {
    return randomHex(16);
  }

  generateSpanId(): string {
    const id = this.next ?? randomHex(8);
    this.next = undefined;
    return id;
  }
}

const randomHex = (bytes: number): string => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');

function createTracer(provider: TracerProvider, ids: Ids): Tracer {
  const own = provider.getTracer('tearsheet');
  const ofCaptures = provider.getTracer('tearsheet.capture');
  const storage = new AsyncLocalStorage<Context>();
  const active = () => storage.getStore() ?? ROOT_CONTEXT;
  return {
    get active() {
      const found = trace.getSpanContext(active());
      return found && { traceId: found.traceId, spanId: found.spanId, isSampled: (found.traceFlags & 1) === 1 };
    },
    get activeSpan() {
      const found = trace.getSpan(active());
      return found === undefined ? NO_SPAN : spanOf(found);
    },
    within: (parent, work) => storage.run(below(parent), work),
    run(name, options, work) {
      const at = 'parent' in options ? below(parseTraceparent(options.parent)) : active();
      // Only a request and a delivery begin a trace. Work for a row from before tracing was on has none.
      const begins = options.kind === 'server' || options.kind === 'producer';
      if (!begins && trace.getSpanContext(at) === undefined) return work(NO_SPAN);
      const span = own.startSpan(name, startOptions(options), at);
      return storage.run(trace.setSpan(at, span), async () => {
        try {
          return await work(spanOf(span));
        } catch (error) {
          fail(span, errorName(error));
          throw error;
        } finally {
          span.end();
        }
      });
    },
    relay(spans, traceId) {
      for (const { id, parent, name, start_ms, end_ms, attributes, error } of spans) {
        ids.next = id;
        const at = below({ traceId, spanId: parent, isSampled: true });
        const span = ofCaptures.startSpan(name, { startTime: start_ms, attributes }, at);
        ids.next = undefined;
        if (error !== undefined) fail(span, error);
        span.end(end_ms);
      }
    },
  };
}

function below(parent: Traceparent | undefined) {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: isSampled ? 1 : 0, isRemote: true });
}

function startOptions({ kind = 'internal', attributes, startMs }: SpanOptions) {
  return {
    kind: KINDS[kind],
    ...(attributes && { attributes: definedAttributes(attributes) }),
    ...(startMs !== undefined && { startTime: startMs }),
  };
}

function spanOf(span: OtelSpan): Span {
  return {
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(definedAttributes(attributes)),
    fail: (type) => fail(span, type),
    link: (traceparent) => {
      const to = parseTraceparent(traceparent);
      if (to !== undefined)
        span.addLink({ context: { traceId: to.traceId, spanId: to.spanId, traceFlags: to.isSampled ? 1 : 0 } });
    },
  };
}

/** Only the type of an error is recorded, because its message may hold a URL of a client or a row of the database. */
function fail(span: OtelSpan, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
