/** The tracer of captures. It keeps finished spans in memory until the capture sends them with its results. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { MAX_SPANS, type RecordedSpan } from '../contract/captureProtocol.ts';
import { errorName } from '../lib/errorMessage.ts';
import type { Traceparent } from '../lib/traceparent.ts';
import { definedAttributes, NO_SPAN, type Span, type SpanOptions, type Tracer } from './tracing.ts';

/** The spans of one attempt. */
interface Attempt {
  finished: RecordedSpan[];
  readonly open: Set<string>;
}

interface Active {
  readonly at: Traceparent;
  readonly attempt: Attempt;
  readonly span: Span;
}

export function createSpanRecorder(): Tracer {
  const storage = new AsyncLocalStorage<Active | undefined>();
  return {
    get active() {
      return storage.getStore()?.at;
    },
    get activeSpan() {
      return storage.getStore()?.span ?? NO_SPAN;
    },
    within: (at, work) => {
      if (at === undefined) return storage.run(undefined, work);
      const outer = storage.getStore();
      const isSame = outer?.at.traceId === at.traceId;
      const attempt = isSame ? outer.attempt : { finished: [], open: new Set<string>() };
      return storage.run({ at, attempt, span: NO_SPAN }, work);
    },
    async run(name, options, work) {
      const active = storage.getStore();
      // Spans without a parent would be traces of their own.
      if (active === undefined || !active.at.isSampled) return work(NO_SPAN);
      const { attempt } = active;
      if (attempt.finished.length + attempt.open.size >= MAX_SPANS) return work(NO_SPAN);
      const recorded = begin(name, options, active.at.spanId);
      attempt.open.add(recorded.id);
      const span = spanOf(recorded);
      try {
        return await storage.run({ at: { ...active.at, spanId: recorded.id }, attempt, span }, () => work(span));
      } catch (error) {
        recorded.error ??= errorName(error);
        throw error;
      } finally {
        recorded.end_ms = Date.now();
        attempt.open.delete(recorded.id);
        attempt.finished.push(recorded);
      }
    },
    take() {
      const attempt = storage.getStore()?.attempt;
      if (attempt === undefined) return [];
      // A span whose parent has not ended waits for it. If this capture is killed first, no span lacks its parent.
      const waiting = new Set(attempt.open);
      for (const { id, parent } of attempt.finished.toReversed()) if (waiting.has(parent)) waiting.add(id);
      const ready = attempt.finished.filter(({ id }) => !waiting.has(id));
      attempt.finished = attempt.finished.filter(({ id }) => waiting.has(id));
      return ready;
    },
  };
}

type Mutable = { -readonly [K in keyof RecordedSpan]: RecordedSpan[K] };

function begin(name: string, { attributes = {}, startMs = Date.now() }: SpanOptions, parent: string): Mutable {
  const id = randomBytes(8).toString('hex');
  return { id, parent, name, start_ms: startMs, end_ms: startMs, attributes: definedAttributes(attributes) };
}

function spanOf(recorded: Mutable): Span {
  return {
    ...NO_SPAN,
    set: (attributes) => Object.assign(recorded.attributes, definedAttributes(attributes)),
    fail: (type) => {
      recorded.error = type;
    },
  };
}
