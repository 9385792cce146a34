import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { image } from '../support/environment.ts';
import { keepConsole } from '../support/programs.ts';
import { useTrial } from '../support/trial.ts';
import { requestOf, type ScreenshotSet } from '../support/world.ts';

/** What a figure is worth on this machine is for people to say; the test holds that there are figures. */
const ROUNDS = 12;
const LOOK_MS = 15;

interface Pod {
  readonly metadata: { readonly labels?: Record<string, string> };
  readonly status: { readonly phase: string };
}

const trial = useTrial('latency');

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error('It did not come in a minute.');
}

const podOf = (label: string, value: string, phases: readonly string[]) =>
  until(async () => {
    const pods = await trial.installation.list<Pod>('pods', `${label}=${value}`);
    return pods.find(({ status }) => phases.includes(status.phase));
  });

interface Times {
  /** Milliseconds from the 202. */
  readonly podCreated: number;
  readonly podRunning: number;
  readonly picture: number;
}

async function askOnce(round: number): Promise<Times> {
  const asked = requestOf(trial.world, { campaign: `Round ${round}` });
  const { id } = await trial.installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked);
  const since = performance.now();
  const passed = () => performance.now() - since;
  const label = ['tearsheet.dev/screenshotjob', `set-${id}`] as const;
  await podOf(...label, ['Pending', 'Running', 'Succeeded']);
  const podCreated = passed();
  await podOf(...label, ['Running', 'Succeeded']);
  const podRunning = passed();
  await until(async () => {
    const { screenshots } = await trial.installation.call<ScreenshotSet>('GET', `/screenshot_sets/${id}`);
    return screenshots[0]?.status === 'pending' ? undefined : screenshots[0];
  });
  const picture = passed();
  await eventually(async () => expect(await trial.installation.list('jobs')).toEqual([]), 60_000);
  return { podCreated, podRunning, picture };
}

/** Of a Job that does nothing, with the same image: what Kubernetes takes for itself. */
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
  await podOf('job-name', name, ['Running', 'Succeeded']);
  const running = performance.now() - since;
  await trial.installation.kubectl(['delete', 'job', name, '--wait=true']);
  return running;
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const at = (values: readonly number[], share: number) =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
const line = (what: string, values: readonly number[]) =>
  `${what.padEnd(48)} p50 ${at(values, 0.5).toFixed(0).padStart(5)} ms   p95 ${at(values, 0.95).toFixed(0).padStart(5)} ms`;

describe('the time from a request to its picture, on an idle cluster', () => {
  it('is measured beside what a plain Job takes', async () => {
    await askOnce(0);
    const seen: Times[] = [];
    const plain: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      seen.push(await askOnce(round));
      plain.push(await plainJob(round));
    }
    const text = [
      line(
        '202 to pod created',
        seen.map(({ podCreated }) => podCreated),
      ),
      line(
        '202 to container running',
        seen.map(({ podRunning }) => podRunning),
      ),
      line(
        '202 to picture',
        seen.map(({ picture }) => picture),
      ),
      line(
        'pod created to container running',
        seen.map(({ podCreated, podRunning }) => podRunning - podCreated),
      ),
      line(
        'container running to picture',
        seen.map(({ podRunning, picture }) => picture - podRunning),
      ),
      line('plain Job: created to container running', plain),
    ].join('\n');
    console.log(text);
    keepConsole('latency', text);
    expect(seen).toHaveLength(ROUNDS);
  });
});
