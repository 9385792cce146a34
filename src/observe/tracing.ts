/**
 * Spans of the work, for OpenTelemetry. Without a tracer, which is the normal case, all of this does nothing and no library is loaded.
 * API and controller use the tracer of `openTelemetry.ts`; captures that of `spanRecorder.ts`, whose spans the API passes on.
 */
import type { RecordedSpan } from '../contract/captureProtocol.ts';
import { formatTraceparent, parseTraceparent, type Traceparent } from '../lib/traceparent.ts';

/** Values that are undefined are left out. No value may be a secret, or a URL with its path or its query. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** Default: `internal`. */
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: Attributes;
  /** A `traceparent`; none or an invalid one: no parent. Default: the active span. */
  readonly parent?: string | null | undefined;
  /** Milliseconds since 1970. Default: now. */
  readonly startMs?: number;
}

export interface Span {
  /** Names the span after what is known only at its end. */
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks the span as failed. @param type one of few values, such as a status or the name of an error. */
  fail(type: string): void;
  /** Refers to a span of another trace. */
  link(traceparent: string | null): void;
}

export interface Tracer {
  /** Runs `work` in a new span, which ends with it. An error marks the span and is thrown. */
  run<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Runs `work` below the span of `parent`, without a span of its own; outside of any span if there is none. */
  within<T>(parent: Traceparent | undefined, work: () => Promise<T>): Promise<T>;
  readonly active: Traceparent | undefined;
  readonly activeSpan: Span;
  /** Exports finished spans of a capture. */
  relay?(spans: readonly RecordedSpan[], traceId: string): void;
  /** Returns the finished spans of this attempt, each once. */
  take?(): RecordedSpan[];
}

/** The span without a tracer, and of a trace that is not recorded. */
export const NO_SPAN: Span = { rename() {}, set() {}, fail() {}, link() {} };

let tracer: Tracer | undefined;

/** Called once at the start of the process, and with undefined at its end. */
export function useTracer(given: Tracer | undefined): void {
  tracer = given;
}

export const isTracing = (): boolean => tracer !== undefined;

export function withSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  return tracer === undefined ? work(NO_SPAN) : tracer.run(name, options, work);
}

/** As {@link Tracer.within}. @param parent a `traceparent`. */
export function withinSpan<T>(parent: string | null | undefined, work: () => Promise<T>): Promise<T> {
  return tracer === undefined ? work() : tracer.within(parseTraceparent(parent), work);
}

export const activeSpan = (): Span => tracer?.activeSpan ?? NO_SPAN;

/** @returns the active span as a `traceparent`. */
export function activeTraceparent(): string | undefined {
  const active = tracer?.active;
  return active && formatTraceparent(active);
}

/** @returns the fields of a log line by which a person finds its trace; a new object each time. */
export function traceFields(): Record<string, string> {
  const active = tracer?.active;
  return active === undefined ? {} : { trace_id: active.traceId, span_id: active.spanId };
}

export const takeSpans = (): RecordedSpan[] => tracer?.take?.() ?? [];

/** @param traceId of the job, so that a capture can add spans only to its own trace. */
export const relaySpans = (spans: readonly RecordedSpan[], traceId: string) => tracer?.relay?.(spans, traceId);

/** @returns the attributes that have a value. */
export function definedAttributes(attributes: Attributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @returns whether the standard variables of OpenTelemetry name an endpoint for traces and do not disable them. */
export function wantsTraces(env: Environment): boolean {
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const isOff = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  return Boolean(endpoint?.trim()) && !isOff && env['OTEL_TRACES_EXPORTER']?.trim() !== 'none';
}
