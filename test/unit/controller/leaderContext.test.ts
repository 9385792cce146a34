import { expect, test } from 'vitest';
import type { ClusterPort } from '../../../src/cluster/port.ts';
import { createLeaderContext } from '../../../src/controller/leaderContext.ts';
import type { ControllerOptions } from '../../../src/controller/options.ts';
import { StaleLeaderError } from '../../../src/core/jobs/installation.ts';

/** The compiler reports a method that is missing here. */
const IS_WRITE: Record<keyof ClusterPort, boolean> = {
  createScreenshotJob: true,
  updateStatus: true,
  deleteScreenshotJob: true,
  releaseScreenshotJob: true,
  labelScreenshotJob: true,
  createJob: true,
  resizeJob: true,
  deleteJob: true,
  recordEvent: true,
  getScreenshotJob: false,
  listScreenshotJobs: false,
  listUnlabeled: false,
  getJob: false,
  listJobs: false,
  watch: false,
  close: false,
};

test.each(Object.entries(IS_WRITE))('after another leader has begun, %s is rejected: %s', async (name, isWrite) => {
  const called: string[] = [];
  const cluster = new Proxy({} as ClusterPort, {
    get: (_, method) => async () => void called.push(String(method)),
  });
  const options = { cluster, store: {}, settings: {}, isHalted: () => true } as ControllerOptions;
  const { cluster: fenced } = createLeaderContext(options, '1', () => undefined);
  const call = async (): Promise<unknown> => Reflect.apply(Reflect.get(fenced, name), fenced, []);
  if (isWrite) await expect(call()).rejects.toBeInstanceOf(StaleLeaderError);
  else await call();
  expect(called).toEqual(isWrite ? [] : [name]);
});
