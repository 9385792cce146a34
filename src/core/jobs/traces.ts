/** The parts of a request's trace that happen between two processes. */
import type { RecordedSpan } from '../../contract/captureProtocol.ts';
import type { Queryable } from '../../db/database.ts';
import { parseTraceparent } from '../../lib/traceparent.ts';
import { isTracing, relaySpans, withSpan } from '../../observe/tracing.ts';
import type { Admitted } from './admission.ts';

/** Runs `work` in a span of the time that the set, the placement or the ads waited for their admission. */
export function traceAdmission({ name, traceparent, since }: Admitted, work: () => void): Promise<void> {
  const attributes = { 'tearsheet.screenshotjob': name };
  const options = { kind: 'consumer', parent: traceparent, startMs: since.getTime(), attributes } as const;
  return withSpan('wait for admission', options, async () => work());
}

/** @returns the span of the request, if it is traced. */
export async function jobTraceparent(db: Queryable, jobId: string): Promise<string | undefined> {
  if (!isTracing()) return undefined;
  const job = await db.selectFrom('screenshot_jobs').select('traceparent').where('id', '=', jobId).executeTakeFirst();
  return job?.traceparent ?? undefined;
}

/** Exports spans of a capture in the trace of its job. Ignores them if that trace is not recorded. */
export async function exportSpans(db: Queryable, jobId: string, spans: readonly RecordedSpan[]): Promise<void> {
  if (spans.length === 0) return;
  const parent = parseTraceparent(await jobTraceparent(db, jobId));
  if (parent?.isSampled === true) relaySpans(spans, parent.traceId);
}
