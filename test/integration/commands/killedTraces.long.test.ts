/** The trace of a set whose capture was killed. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startRequestGate } from '../../support/requestGate.ts';
import { namesOf, newTraceparent, TracedServices, traceIdOf } from './tracedServices.ts';

const services = new TracedServices();

beforeAll(() => services.open());
afterAll(() => services.close());

test('a set whose capture was killed has one trace, and each span has its parent', { timeout: 600_000 }, async () => {
  const { controller } = services.traced;
  const traceparent = newTraceparent();
  const gate = await startRequestGate();
  gate.hold('site');
  const id = await services.post(
    '/screenshot_requests',
    services.request(gate.urlFor('site', services.publishers.url('blog'))),
    traceparent,
  );
  await gate.waitForRequest('site');
  await eventually(() => expect([...namesOf(services.spansOf(traceparent))]).toContain('render'));
  process.kill(captureOf(controller.pid), 'SIGKILL');
  await eventually(() => expect(controller.output()).toContain('a capture failed'));
  gate.release('site');
  await services.delivered(id);
  await gate.close();

  const spans = await services.completeSpansOf(traceparent, ['page', 'settle job', 'POST']);
  expect(spans.filter(({ name }) => name === 'start capture')).toHaveLength(2);
  const [page, ...others] = spans.filter(({ name }) => name === 'page');
  expect(others).toEqual([]);
  // It is below the start of the second capture.
  const starts = spans.filter(({ name }) => name === 'start capture').toSorted((a, b) => a.startMs - b.startMs);
  expect(page?.parentId).toBe(starts[1]?.spanId);
  expect(traceIdOf(services.heard.get(id))).toBe(traceIdOf(traceparent));
});

function captureOf(controller: number): number {
  const children = execFileSync('ps', ['--ppid', String(controller), '-o', 'pid=,args='])
    .toString()
    .split('\n');
  return Number(
    children
      .find((line) => line.endsWith(' capture'))
      ?.trim()
      .split(' ')[0],
  );
}
