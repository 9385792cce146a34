/** An OpenTelemetry collector that decodes OTLP over HTTP in its default form, protobuf. It can also stop to answer. */
import { buffer } from 'node:stream/consumers';
import { listenHttp } from './listeners.ts';

export interface ReceivedSpan {
  readonly service: string;
  /** The attributes of the process. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
  readonly scope: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it begins the trace. */
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Trace ids of its links. */
  readonly links: readonly string[];
  readonly isError: boolean;
}

export interface OtlpReceiver {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** The headers of the requests so far. */
  readonly headers: NodeJS.Dict<string | string[]>[];
  /** All bytes so far, for searches. */
  readonly bodies: Buffer[];
  mode: 'answers' | 'never answers' | 'fails';
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const server = await listenHttp(async (request, response) => {
    const body = await buffer(request);
    receiver.headers.push(request.headers);
    receiver.bodies.push(body);
    if (receiver.mode === 'never answers') return;
    if (receiver.mode === 'fails') return void response.writeHead(400).end();
    if (request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/x-protobuf')
      return void response.writeHead(415).end();
    receiver.spans.push(...spansOf(body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  const receiver: OtlpReceiver = {
    url: server.url,
    spans: [],
    headers: [],
    bodies: [],
    mode: 'answers',
    close: () => server.close(),
  };
  return receiver;
}

/** The fields of a protobuf message, by their numbers. */
type Fields = Map<number, (bigint | Buffer)[]>;

/** @throws Error if these bytes are no protobuf message. */
function decode(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error('The message ends within a field.');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const read: Record<number, () => bigint | Buffer> = {
    0: varint,
    1: () => take(8).readBigUInt64LE(),
    2: () => take(Number(varint())),
    5: () => BigInt(take(4).readUInt32LE()),
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = read[tag & 7]?.();
    if (value === undefined) throw new Error(`The wire type ${tag & 7} is unknown.`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Fields, field: number): Fields[] =>
  (fields.get(field) ?? []).map((value) => decode(value as Buffer));
const first = (fields: Fields, field: number): bigint | Buffer | undefined => fields.get(field)?.[0];
const text = (fields: Fields, field: number): string => ((first(fields, field) as Buffer) ?? '').toString('utf8');
const hex = (fields: Fields, field: number): string =>
  ((first(fields, field) as Buffer) ?? Buffer.of()).toString('hex');
const ms = (fields: Fields, field: number): number => Number(((first(fields, field) as bigint) ?? 0n) / 1_000_000n);

/** ExportTraceServiceRequest → ResourceSpans → ScopeSpans → Span, with the numbers of opentelemetry/proto/trace/v1/trace.proto. */
function spansOf(body: Buffer): ReceivedSpan[] {
  return messages(decode(body), 1).flatMap((resourceSpans) => {
    const [resource = new Map()] = messages(resourceSpans, 1);
    const process = attributesOf(resource, 1);
    const service = String(process['service.name']);
    return messages(resourceSpans, 2).flatMap((scopeSpans) => {
      const [scope = new Map()] = messages(scopeSpans, 1);
      return messages(scopeSpans, 2).map((span) => ({
        ...{
          service,
          resource: process,
          scope: text(scope, 1),
          traceId: hex(span, 1),
          spanId: hex(span, 2),
          parentId: hex(span, 4),
        },
        ...{ name: text(span, 5), kind: Number(first(span, 6)), startMs: ms(span, 7), endMs: ms(span, 8) },
        attributes: attributesOf(span, 9),
        links: messages(span, 13).map((link) => hex(link, 1)),
        isError: messages(span, 15).some((status) => first(status, 3) === 2n),
      }));
    });
  });
}

function attributesOf(fields: Fields, field: number): Record<string, string | number | boolean> {
  return Object.fromEntries(
    messages(fields, field).map((entry) => {
      const [value = new Map()] = messages(entry, 2);
      const plain = first(value, 1) !== undefined ? text(value, 1) : Number(first(value, 3) ?? first(value, 4));
      return [text(entry, 1), first(value, 2) === undefined ? plain : first(value, 2) === 1n];
    }),
  );
}
