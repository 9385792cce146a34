import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LocalClusterOptions } from '../../../../src/cluster/local/localCluster.ts';
import { ConflictError } from '../../../../src/cluster/port.ts';
import type { ScreenshotJobStatus } from '../../../../src/contract/screenshotJob.ts';
import { eventually } from '../../../support/eventually.ts';
import { OperatedCluster } from '../../../support/operatedCluster.ts';
import { required } from '../../../support/required.ts';

let folder: string;
let cluster: OperatedCluster | undefined;
const lines: object[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-local-'));
  lines.length = 0;
});

afterEach(async () => {
  await cluster?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A cluster whose captures are this program. `note(name)` leaves a file with the child's process id. */
function clusterOf(program: string, options: Partial<LocalClusterOptions> = {}): OperatedCluster {
  const prelude = `
    const fs = require('node:fs');
    const index = process.env.JOB_COMPLETION_INDEX;
    const note = (name) => fs.writeFileSync(process.env.FOLDER + '/' + name, String(process.pid));
    const has = (name) => fs.existsSync(process.env.FOLDER + '/' + name);
    const stay = () => setInterval(() => {}, 1000);`;
  const log = (fields: object) => lines.push(fields);
  cluster = new OperatedCluster({
    captureCommand: [process.execPath, '-e', prelude + program],
    maxPods: 10,
    log: { debug: log, info: log, warn: log, error: log },
    env: { FOLDER: folder },
    graceMs: 300,
    backoffMs: 10,
    ...options,
  });
  return cluster;
}

const jobOf = (name = 'set-1-1', spec: object = {}) => ({
  name,
  owner: { name: 'set-1', uid: 'owner' },
  ...{
    jobId: 'job',
    organization: 'demo',
    priority: 'normal' as const,
    indexes: 1,
    parallelism: 1,
    retriesPerIndex: 3,
  },
  ...{ podDeadlineSeconds: 30, jobDeadlineSeconds: 3_600, environment: {} },
  ...spec,
});

const remove = async (local: OperatedCluster) => {
  const job = required(await local.getJob('set-1-1'));
  await local.deleteJob(job);
  return job;
};

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('every index runs once, and no more at the same time than the parallelism', async () => {
  const local = clusterOf(`
    note('running-' + index);
    if (fs.readdirSync(process.env.FOLDER).filter((name) => name.startsWith('running')).length > 2) note('too many');
    setTimeout(() => { fs.unlinkSync(process.env.FOLDER + '/running-' + index); note('done-' + index); process.exit(0); }, 50)`);
  await local.createJob(jobOf('set-1-1', { indexes: 5, parallelism: 2 }));
  await eventually(async () => expect(await local.getJob('set-1-1')).toMatchObject({ finished: true, active: 0 }));
  expect((await local.getJob('set-1-1'))?.succeededIndexes).toEqual([0, 1, 2, 3, 4]);
  expect((await readdir(folder)).sort()).toEqual(['done-0', 'done-1', 'done-2', 'done-3', 'done-4']);
});

test('a Job that is resized runs more captures at the same time', async () => {
  const local = clusterOf("note('running-' + index); stay();");
  await local.createJob(jobOf('set-1-1', { indexes: 3, parallelism: 1 }));
  await eventually(async () => expect(await local.getJob('set-1-1')).toMatchObject({ active: 1, parallelism: 1 }));
  await local.resizeJob(required(await local.getJob('set-1-1')), 2);
  await eventually(async () => expect(await local.getJob('set-1-1')).toMatchObject({ active: 2, parallelism: 2 }));
});

test('the next free capture goes to the organization that runs the fewest, however much another one has waiting', async () => {
  const local = clusterOf(
    `const name = process.env.TEARSHEET_JOB + '-' + index;
    note(name);
    setInterval(() => { if (has('end-' + name)) process.exit(0); }, 5);`,
    { maxPods: 2 },
  );
  const started = async () => (await readdir(folder)).filter((name) => !name.startsWith('end-')).sort();
  await local.createJob(jobOf('large-1', { jobId: 'large', organization: 'first', indexes: 6, parallelism: 2 }));
  await eventually(async () => expect(await started()).toEqual(['large-0', 'large-1']));
  await local.createJob(jobOf('next-1', { jobId: 'next', organization: 'first' }));
  await local.createJob(jobOf('ads-1', { jobId: 'ads', organization: 'second' }));
  await writeFile(path.join(folder, 'end-large-0'), '');
  await eventually(async () => expect(await started()).toEqual(['ads-0', 'large-0', 'large-1']));
  // Among the Jobs of one organization, too, the one with the fewest captures is first.
  await writeFile(path.join(folder, 'end-ads-0'), '');
  await eventually(async () => expect(await started()).toEqual(['ads-0', 'large-0', 'large-1', 'next-0']));
});

test('a failed index is started again until its retries are used up', async () => {
  const local = clusterOf(
    `if (index === '0' && has('second')) process.exit(0); note(index === '0' ? 'second' : 'x'); process.exit(1)`,
  );
  await local.createJob(jobOf('set-1-1', { indexes: 2, parallelism: 2, retriesPerIndex: 2 }));
  await eventually(async () => expect((await local.getJob('set-1-1'))?.finished).toBe(true));
  expect(await local.getJob('set-1-1')).toMatchObject({ succeededIndexes: [0], failedIndexes: [1] });
  expect(lines.filter((line) => 'index' in line && line.index === 1)).toHaveLength(3);
});

test('a killed capture leaves no temporary files', async () => {
  const local = clusterOf(`
    const folder = fs.mkdtempSync(require('node:os').tmpdir() + '/profile-');
    fs.writeFileSync(folder + '/cache', 'x'.repeat(1000));
    fs.writeFileSync(process.env.FOLDER + '/where', folder);
    process.on('SIGTERM', () => {});
    note('ready'); stay()`);
  await local.createJob(jobOf());
  await eventually(async () => expect(await readdir(folder)).toContain('ready'));
  const profile = await readFile(path.join(folder, 'where'), 'utf8');
  expect(existsSync(profile)).toBe(true);
  await remove(local);
  await eventually(() => expect(existsSync(path.dirname(profile))).toBe(false));
  expect(path.dirname(profile)).not.toBe(tmpdir());
});

test('an index with a final exit code is not retried', async () => {
  const local = clusterOf(`process.exit(40)`);
  await local.createJob(jobOf());
  await eventually(async () => expect((await local.getJob('set-1-1'))?.failedIndexes).toEqual([0]));
  expect(lines).toHaveLength(1);
});

test('a killed capture is started again', async () => {
  const local = clusterOf(`if (has('pid')) process.exit(0); note('pid'); stay()`);
  await local.createJob(jobOf());
  const pid = await eventually(async () => {
    // The file exists a moment before its content.
    const noted = Number(await readFile(path.join(folder, 'pid'), 'utf8'));
    expect(noted).toBeGreaterThan(0);
    return noted;
  });
  process.kill(pid, 'SIGKILL');
  await eventually(async () => expect((await local.getJob('set-1-1'))?.succeededIndexes).toEqual([0]));
});

test('A capture that SIGTERM ends before it handles the signal costs no retry', async () => {
  const local = clusterOf(`if (has('pid')) process.exit(0); note('pid'); process.kill(process.pid, 'SIGTERM'); stay()`);
  await local.createJob(jobOf('set-1-1', { retriesPerIndex: 0 }));
  await eventually(async () => expect((await local.getJob('set-1-1'))?.finished).toBe(true));
  expect(await local.getJob('set-1-1')).toMatchObject({ succeededIndexes: [0], failedIndexes: [] });
});

test('a capture is terminated at its deadline', async () => {
  const local = clusterOf(`note('pid'); stay()`);
  await local.createJob(jobOf('set-1-1', { podDeadlineSeconds: 0.2, retriesPerIndex: 0 }));
  await eventually(async () => expect((await local.getJob('set-1-1'))?.failedIndexes).toEqual([0]));
  // On a busy machine it is ended before it could write.
  const pid = await readFile(path.join(folder, 'pid'), 'utf8').catch(() => undefined);
  expect(pid !== undefined && pid !== '' && isAlive(Number(pid))).toBe(false);
});

test('deleting a Job lets its captures end by themselves', async () => {
  const local = clusterOf(
    `process.on('SIGTERM', () => { note('ended'); process.exit(0); });
    note('ready'); stay()`,
    { graceMs: 600_000 },
  );
  await local.createJob(jobOf());
  await eventually(async () => expect(await readdir(folder)).toContain('ready'));
  await remove(local);
  await eventually(async () => expect(await readdir(folder)).toContain('ended'));
});

test('deleting a Job kills captures that do not end, with their child processes', async () => {
  const local = clusterOf(`
    process.on('SIGTERM', () => {});
    const { spawn } = require('node:child_process');
    const grandchild = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    fs.writeFileSync(process.env.FOLDER + '/grandchild', String(grandchild.pid));
    note('pid'); stay()`);
  await local.createJob(jobOf());
  const pid = await eventually(async () => {
    const written = await readFile(path.join(folder, 'pid'), 'utf8');
    // The file is empty for a moment.
    expect(written).not.toBe('');
    return Number(written);
  });
  const grandchild = Number(await readFile(path.join(folder, 'grandchild'), 'utf8'));
  const seen = await remove(local);
  await eventually(() => expect(isAlive(pid)).toBe(false));
  await eventually(() => expect(isAlive(grandchild)).toBe(false));
  expect(await local.getJob('set-1-1')).toBeUndefined();
  await local.deleteJob(seen);
});

test('a program that cannot be started is reported as the problem', async () => {
  const local = clusterOf('', { captureCommand: ['/nowhere/capture'] });
  await local.createJob(jobOf('set-1-1', { retriesPerIndex: 0 }));
  await eventually(async () =>
    expect(await local.getJob('set-1-1')).toMatchObject({ finished: true, problem: { reason: 'PodStartFailed' } }),
  );
});

test('each line that a capture prints becomes a log line', async () => {
  const local = clusterOf(
    `console.log(JSON.stringify({ phase: 'navigate' })); console.log('plain'); console.error('bad')`,
  );
  await local.createJob(jobOf());
  for (const line of [{ job_id: 'job', index: 0, capture: { phase: 'navigate' } }, { line: 'plain' }, { line: 'bad' }])
    await eventually(() => expect(lines).toContainEqual(expect.objectContaining(line)));
});

const nothingYet: ScreenshotJobStatus = { reason: 'Queued', total: 0, done: 0, failed: 0, pods: 0, conditions: [] };

test('watchers are notified of a ScreenshotJob and its Job, and creating twice makes one object', async () => {
  const local = clusterOf(`process.exit(0)`);
  const heard: string[] = [];
  local.watch((name) => heard.push(name));
  const spec = {
    ...{ organization: 'demo', job: 'j', ads: 1, batches: 1, screenshots: 1, parallelism: 1, retries: 1 },
    ...{ deadlines: { schedulingSeconds: 1, captureSeconds: 1 }, ttlSecondsAfterFinished: 1 },
  };
  expect(await local.createScreenshotJob('set-1', spec)).toBe('created');
  expect(await local.createScreenshotJob('set-1', spec)).toBe('exists');
  expect(await local.createJob(jobOf())).toBe('created');
  expect(await local.createJob(jobOf())).toBe('exists');
  await eventually(async () => expect((await local.getJob('set-1-1'))?.finished).toBe(true));
  const seen = required(await local.getScreenshotJob('set-1'));
  local.cancelByHand('set-1');
  expect((await local.getScreenshotJob('set-1'))?.spec.cancel).toBe(true);
  await expect(local.updateStatus(seen, nothingYet)).rejects.toThrow(ConflictError);
  await local.deleteScreenshotJob(seen);
  expect(await local.getScreenshotJob('set-1')).toMatchObject({ deleting: true, removedByUs: true });
  await local.releaseScreenshotJob(seen);
  expect(await local.listScreenshotJobs()).toEqual([]);
  expect(new Set(heard)).toEqual(new Set(['set-1']));
});
