/** `make bench-cluster`: on the cluster that `make e2e` finds or starts. Writes its part of docs/performance.md. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useE2eContext } from '../../e2e/support/e2eContext.ts';
import { image } from '../../e2e/support/environment.ts';
import { type ScreenshotSet, screenshotRequest } from '../../e2e/support/externalServers.ts';
import { eventually } from '../../support/eventually.ts';
import { withSection } from '../sections.ts';
import { PodMoments } from './podMoments.ts';

const REPORT = path.join(import.meta.dirname, '../../../docs/performance.md');
const ROUNDS = 20;
/** From the container's start to the picture. */
const ALLOWED_MS = 3_000;
/** Interval of the requests for the picture. More requests would take processor time from the capture. */
const LOOK_MS = 100;

/** With the default resource requests of the chart, as in every installation. */
const trial = useE2eContext('latency', {}, {});
let pods: PodMoments;
beforeAll(async () => {
  const { config, name } = trial.installation.namespace;
  pods = await PodMoments.of(config, name);
});
afterAll(() => pods?.close());

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error('The picture did not arrive within one minute.');
}

interface Times {
  /** Milliseconds from the 202. */
  readonly podCreated: number;
  readonly podRunning: number;
  readonly picture: number;
}

async function askOnce(round: number): Promise<Times> {
  const asked = screenshotRequest(trial.servers, { campaign: `Round ${round}` });
  const { id } = await trial.installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked);
  const since = performance.now();
  const label = ['tearsheet.dev/screenshotjob', `set-${id}`] as const;
  const podCreated = (await pods.when('created', label)) - since;
  const podRunning = (await pods.when('running', label)) - since;
  await until(async () => {
    const { screenshots } = await trial.installation.call<ScreenshotSet>('GET', `/screenshot_sets/${id}`);
    return screenshots[0]?.status === 'pending' ? undefined : screenshots[0];
  });
  const picture = performance.now() - since;
  await eventually(async () => expect(await trial.installation.list('jobs')).toEqual([]), 60_000);
  return { podCreated, podRunning, picture };
}

/** Time to start a Job of the same image that does nothing: the time of Kubernetes itself. */
async function plainJob(round: number): Promise<number> {
  const { repository, tag } = image();
  const name = `plain-${round}`;
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const job = {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } },
    spec: {
      template: {
        spec: {
          restartPolicy: 'Never',
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [{ name: 'plain', image: `${repository}:${tag}`, args: ['version'], securityContext }],
        },
      },
    },
  };
  await trial.installation.kubectl(['apply', '-f', '-'], { input: JSON.stringify(job) });
  const since = performance.now();
  const running = (await pods.when('running', ['job-name', name])) - since;
  await trial.installation.kubectl(['delete', 'job', name, '--wait=true']);
  return running;
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const row = (what: string, values: readonly number[], aim = '–') =>
  `| ${what} | ${at(values, 0.5).toFixed(0)} ms | ${at(values, 0.95).toFixed(0)} ms | ${aim} |`;

function sectionOf(seen: readonly Times[], plain: readonly number[]): string {
  const started = seen.map(({ podCreated, podRunning }) => podRunning - podCreated);
  const ratio = at(started, 0.5) / at(plain, 0.5);
  return `## From a request to its picture, on a cluster

The cluster has no other work, and its node is on the same machine as everything else. The test requests one ad on one
site ${seen.length} times. After each request, it runs a plain Job of the same image that does nothing, to measure the time of
Kubernetes itself. The test watches pods and requests the picture every ${LOOK_MS} ms.
A capture starts in ${ratio.toFixed(2)}× the time of the plain Job.

| from … to … | median | 95th percentile | aim |
| --- | --- | --- | --- |
${[
  row(
    '202 to pod created',
    seen.map(({ podCreated }) => podCreated),
    '≤ 300 ms (95th)',
  ),
  row('pod created to container running', started),
  row('the same for a plain Job', plain),
  row(
    'container running to picture',
    seen.map(({ podRunning, picture }) => picture - podRunning),
  ),
  row(
    '202 to picture',
    seen.map(({ picture }) => picture),
    `≤ ${(at(started, 0.5) + ALLOWED_MS).toFixed(0)} ms: pod created to container running, and 3 s`,
  ),
].join('\n')}`;
}

test('the time from a request to its picture is measured and compared with a plain Job', async () => {
  await askOnce(0);
  const seen: Times[] = [];
  const plain: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    seen.push(await askOnce(round));
    plain.push(await plainJob(round));
    console.log(`${round}/${ROUNDS}: ${JSON.stringify(seen.at(-1))}, plain Job ${plain.at(-1)?.toFixed(0)} ms`);
  }
  const text = sectionOf(seen, plain);
  console.log(text);
  await writeFile(REPORT, withSection(await readFile(REPORT, 'utf8'), 'test/bench/cluster/latency.test.ts', text));
});
