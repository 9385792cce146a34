import { expect, test } from 'vitest';
import { LocalCluster } from '../../../src/cluster/local/localCluster.ts';
import type { ClusterPort, RecordedEvent } from '../../../src/cluster/port.ts';
import type { ScreenshotJobSpec, ScreenshotJobStatus } from '../../../src/contract/screenshotJob.ts';
import { StatusWriter } from '../../../src/controller/status.ts';
import { StaleLeaderError } from '../../../src/core/jobs/installation.ts';
import { required } from '../../support/required.ts';
import { TEST_LOG } from '../../support/testLog.ts';

const SPEC = {
  ...{ organization: 'demo', job: 'j', ads: 1, batches: 4, screenshots: 9, parallelism: 1, retries: 1 },
  ...{ deadlines: { schedulingSeconds: 1, captureSeconds: 1 }, ttlSecondsAfterFinished: 1 },
};

const statusOf = (done: number, given: Partial<ScreenshotJobStatus> = {}): ScreenshotJobStatus => ({
  ...{ reason: 'Running', total: 9, done, failed: 0, pods: 1, conditions: [] },
  ...given,
});

async function writerAt(given: Partial<ScreenshotJobSpec> = {}, change?: (cluster: ClusterPort) => void) {
  const cluster: ClusterPort = new LocalCluster({ captureCommand: [], maxPods: 0, log: TEST_LOG, env: {} });
  await cluster.createScreenshotJob('set-1', { ...SPEC, ...given });
  const events: RecordedEvent[] = [];
  cluster.recordEvent = async (_about, event) => void events.push(event);
  change?.(cluster);
  const time = { now: 0 };
  const writer = new StatusWriter(cluster, TEST_LOG, { clock: () => time.now });
  const read = async () => required(await cluster.getScreenshotJob('set-1'));
  const write = async (status: ScreenshotJobStatus) => writer.write(await read(), status);
  return { events, time, write, read, writer };
}

test('a status is written at most once a second, and an early write returns the remaining time', async () => {
  const { write, time, read } = await writerAt();
  expect(await write(statusOf(1))).toBe(Number.POSITIVE_INFINITY);
  time.now = 300;
  expect(await write(statusOf(2))).toBe(700);
  expect((await read()).status?.done).toBe(1);
  time.now = 1_000;
  expect(await write(statusOf(3))).toBe(Number.POSITIVE_INFINITY);
  expect((await read()).status?.done).toBe(3);
});

test('the final status is written without delay', async () => {
  const { write, read } = await writerAt();
  await write(statusOf(1));
  await write(statusOf(9, { reason: 'Completed', completionTime: '2026-11-21T10:00:00.000Z' }));
  expect((await read()).status?.reason).toBe('Completed');
  const pods = statusOf(9, { reason: 'Completed', completionTime: '2026-11-21T10:00:00.000Z', pods: 0 });
  expect(await write(pods)).toBe(1_000);
});

test('an equal status is not written again, whatever the order of its fields', async () => {
  const { write, read, time } = await writerAt();
  await write(statusOf(1));
  const { version } = await read();
  time.now = 5_000;
  const { reason, ...rest } = statusOf(1);
  expect(await write({ ...rest, reason })).toBe(Number.POSITIVE_INFINITY);
  expect((await read()).version).toBe(version);
});

test('each change of the reason records an Event, a Warning for a problem, and changed counts record none', async () => {
  const { write, events, time } = await writerAt();
  for (const [i, status] of [
    statusOf(0, { reason: 'Unschedulable', message: '0/1 nodes are available.' }),
    statusOf(1),
    statusOf(2),
  ].entries()) {
    time.now = i * 1_000;
    await write(status);
  }
  expect(events).toEqual([
    { type: 'Warning', reason: 'Unschedulable', message: '0/1 nodes are available.' },
    { type: 'Normal', reason: 'Running', message: '1 of 4 captures running, 1 of 9 creatives done.' },
  ]);
});

test('a normal Event has the progress as its message', async () => {
  const { write, events } = await writerAt({ set: 'set' });
  const end = { completionTime: '2026-11-21T10:00:00.000Z', duration: '14s' };
  await write(statusOf(2, { reason: 'Queued', pods: 0 }));
  await write(statusOf(9, { reason: 'Completed', ...end }));
  expect(events.map(({ message }) => message)).toEqual([
    '7 of 9 pictures wait for captures to start.',
    'All 9 pictures done in 14s.',
  ]);
});

test('an Event that cannot be written does not stop the status', async () => {
  const { write, read } = await writerAt({}, (cluster) => {
    cluster.recordEvent = async () => {
      throw new Error('Events are over quota.');
    };
  });
  await write(statusOf(1));
  expect((await read()).status?.done).toBe(1);
});

test('lost leadership during the write of an Event is an error', async () => {
  const { write } = await writerAt({}, (cluster) => {
    cluster.recordEvent = async () => {
      throw new StaleLeaderError('1', '2');
    };
  });
  await expect(write(statusOf(1))).rejects.toThrow(StaleLeaderError);
});
