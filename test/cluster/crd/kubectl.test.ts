/** ScreenshotJobs as an operator sees them, through kubectl and a real API server. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { ScreenshotJobStatus } from '../../../src/contract/screenshotJob.ts';
import { type ScreenshotJobs, SPEC, screenshotJobs } from './screenshotJobs.ts';

const STATUS: ScreenshotJobStatus = {
  observedGeneration: 1,
  reason: 'CompletedWithFailures',
  message: '2 of 12 could not be captured.',
  progress: '10/12',
  total: 12,
  done: 10,
  failed: 2,
  pods: 1,
  startTime: '2026-11-21T10:00:00.000Z',
  completionTime: '2026-11-21T10:01:12.000Z',
  duration: '1m12s',
  conditions: [
    {
      type: 'Settled',
      status: 'True',
      reason: 'CompletedWithFailures',
      message: 'The results are stored.',
      lastTransitionTime: '2026-11-21T10:01:12.000Z',
    },
  ],
};

let shots: ScreenshotJobs;

beforeAll(async () => {
  shots = await screenshotJobs();
  await shots.create('seen');
  await shots.create('new', { ...SPEC, organization: 'globex' });
  const { stderr } = await shots.patch('seen', { status: STATUS }, 'status');
  expect(stderr).toBe('');
});
afterAll(() => shots?.remove());

/** Rows of a table as kubectl prints it, by column. */
async function table(...args: string[]): Promise<Record<string, string>[]> {
  const { stdout } = await shots.kubectl('get', ...args);
  const [head = '', ...lines] = stdout.trimEnd().split('\n');
  const starts = [...head.matchAll(/\S+/g)].map(({ 0: name, index }) => ({ name, index }));
  return lines.map((line) =>
    Object.fromEntries(
      starts.map(({ name, index }, i) => [name, line.slice(index, starts[i + 1]?.index).trim()] as const),
    ),
  );
}

describe('kubectl get', () => {
  it('kubectl get shows the state, the progress and the number of pods', async () => {
    const rows = await table('screenshotjobs', 'seen');
    expect(rows).toEqual([
      { NAME: 'seen', STATUS: 'CompletedWithFailures', DONE: '10/12', FAILED: '2', PODS: '1', AGE: expect.anything() },
    ]);
  });

  it('kubectl get shows Queued before a controller has written a status', async () => {
    expect(await table('shot', 'new')).toMatchObject([{ STATUS: 'Queued', DONE: '', FAILED: '0', PODS: '0' }]);
  });

  it('kubectl get -o wide shows organization, set, message and duration', async () => {
    const [seen] = await table('shot', 'seen', '-o', 'wide');
    expect(seen).toMatchObject({ ORGANIZATION: 'acme', SET: SPEC.set, MESSAGE: STATUS.message, DURATION: '1m12s' });
  });

  it('kubectl get supports the category and selects by set, by organization and by state', async () => {
    expect((await table('tearsheet')).map((row) => row['NAME'])).toEqual(['new', 'seen']);
    expect(await table('shot', '--field-selector=spec.organization=globex')).toMatchObject([{ NAME: 'new' }]);
    expect(await table('shot', `--field-selector=spec.set=${SPEC.set}`)).toHaveLength(2);
    expect(await table('shot', '--field-selector=status.reason=Queued')).toMatchObject([{ NAME: 'new' }]);
    expect(await table('shot', '--field-selector=status.reason!=Queued')).toMatchObject([{ NAME: 'seen' }]);
  });
});

test('the documented kubectl wait ends when a set has ended', async () => {
  const { code, stdout } = await shots.kubectl('wait', '--for=condition=Settled', '--timeout=120s', 'shot/seen');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'screenshotjob.tearsheet.dev/seen condition met\n' });
});

test.each([
  ['screenshotjob', 'Deleting a ScreenshotJob cancels its set'],
  ['screenshotjob.spec', 'Only cancel can be changed'],
  ['screenshotjob.spec.cancel', 'It cannot be undone'],
  ['screenshotjob.status.conditions', 'Settled is True at every end'],
])('kubectl explain %s describes the field', async (path, words) => {
  const { stdout } = await shots.kubectl('explain', path);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(words);
});

test('a status is written only through its subresource', async () => {
  await shots.create('apart');
  await shots.patch('apart', { status: { reason: 'Failed' } });
  expect(await table('shot', 'apart')).toMatchObject([{ STATUS: 'Queued' }]);
  const { stderr } = await shots.patch('apart', { status: { reason: 'Bored' } }, 'status');
  expect(stderr).toContain('Unsupported value: "Bored"');
});

test('a status with a condition twice is rejected', async () => {
  await shots.create('twice');
  const conditions = [...STATUS.conditions, ...STATUS.conditions];
  const { stderr } = await shots.patch('twice', { status: { ...STATUS, conditions } }, 'status');
  expect(stderr).toContain('Duplicate value');
});
