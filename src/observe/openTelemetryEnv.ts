/** The standard variables of OpenTelemetry for traces. The exporters read their own; the trace SDK reads none since its version 3. */
import { diag } from '@opentelemetry/api';
import { getNumberFromEnv, getStringFromEnv, getStringListFromEnv } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

const SAMPLERS: Readonly<Record<string, () => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: () => new TraceIdRatioBasedSampler(ratioFromEnv()),
};

export function samplerFromEnv(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER')?.trim() ?? 'parentbased_always_on';
  const root = SAMPLERS[name.replace(/^parentbased_/, '')]?.();
  if (root === undefined) reject('OTEL_TRACES_SAMPLER', name, 'parentbased_always_on');
  else if (!name.startsWith('parentbased_')) return root;
  return new ParentBasedSampler({ root: root ?? new AlwaysOnSampler() });
}

function ratioFromEnv(): number {
  const ratio = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1;
  if (ratio >= 0 && ratio <= 1) return ratio;
  reject('OTEL_TRACES_SAMPLER_ARG', ratio, 1);
  return 1;
}

/** Exports spans in batches. */
export function batchesFromEnv(): BatchSpanProcessor {
  return new BatchSpanProcessor({
    exporter: exporterFromEnv(),
    ...numbersFromEnv({
      maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
      scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
      exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
      maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    }),
  });
}

function exporterFromEnv() {
  for (const name of getStringListFromEnv('OTEL_TRACES_EXPORTER') ?? [])
    if (name !== 'otlp') reject('OTEL_TRACES_EXPORTER', name, 'otlp');
  const variable = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'].find(getStringFromEnv) ?? '';
  const protocol = getStringFromEnv(variable)?.trim() ?? 'http/protobuf';
  if (protocol === 'http/json') return new JsonExporter();
  if (protocol !== 'http/protobuf') reject(variable, protocol, 'http/protobuf');
  return new ProtobufExporter();
}

/** @param fields the variable of each. A value below 1 is ignored. */
function numbersFromEnv(fields: Readonly<Record<string, string>>): Record<string, number> {
  const found = Object.entries(fields).flatMap(([field, variable]) => {
    const value = getNumberFromEnv(variable);
    if (value === undefined) return [];
    if (value >= 1) return [[field, value] as const];
    reject(variable, value, 'the default');
    return [];
  });
  return Object.fromEntries(found);
}

/** Reports that another value is used. */
function reject(variable: string, value: string | number, used: string | number): void {
  diag.warn(`${variable} cannot be ${value}, so ${used} is used`);
}
