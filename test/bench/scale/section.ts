/** Turns samples into a table and a plot. */
import { plot } from './plot.ts';
import type { Sample } from './samples.ts';

/** Share of the settled jobs over which the cost of one job is averaged. */
const WINDOW = 0.1;

export interface Asked {
  readonly total: number;
  /** Seconds until all were accepted. */
  readonly accepted: number;
  readonly shares: Readonly<Record<string, number>>;
  readonly maxPods: number;
  readonly finished: number;
}

export interface Outcome {
  readonly lines: readonly string[];
  readonly plot: string;
}

export function outcomeOf(samples: readonly Sample[], asked: Asked): Outcome {
  const { total } = asked;
  const costs = costsOf(samples, total * WINDOW);
  const last = samples.at(-1);
  const most = (of: (sample: Sample) => number) => Math.max(...samples.map(of));
  const [memory, resources, jobs] = [
    most(({ memoryMiB }) => memoryMiB),
    most((one) => one.resources),
    most((one) => one.jobs),
  ];
  const seconds = last?.seconds ?? 0;
  const rows = [
    ['ScreenshotJobs settled', `${last?.settled} of ${total}`, 'all'],
    [
      'time from the first request to the last set settled',
      `${seconds.toFixed(0)} s, ${(total / seconds).toFixed(1)} a second`,
      '–',
    ],
    ['time until all requests were accepted', `${asked.accepted.toFixed(0)} s`, '–'],
    ['maximum memory of the controller', `${memory.toFixed(0)} MiB`, '≤ 256 MiB'],
    ['processor time of the controller for each job: first, middle, last tenth', thirds(costs), 'flat'],
    [
      'maximum number of ScreenshotJobs in the cluster',
      String(resources),
      `at most ${asked.maxPods} running + ${asked.finished} kept + those settled between two audits`,
    ],
    [
      'maximum number of Jobs in the cluster',
      String(jobs),
      `at most ${asked.maxPods} running + those that the controller deletes`,
    ],
    [
      'sets settled for each organization, while the small ones had open sets',
      fairness(samples, asked),
      'the same number for each',
    ],
  ];
  return {
    lines: ['| figure | measured | aim |', '| --- | --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)],
    plot: plot(
      `${total} ScreenshotJobs through one controller`,
      [
        { label: 'memory, MiB', colour: '#0b6', most: 256, points: samples.map((one) => [one.settled, one.memoryMiB]) },
        { label: 'processor time a job, ms', colour: '#06c', most: scaleOf(costs), points: costs },
      ],
      total,
    ),
  };
}

/** Milliseconds of processor time for each job, over windows of `window` settled jobs. */
function costsOf(samples: readonly Sample[], window: number): [number, number][] {
  const costs: [number, number][] = [];
  let from = samples[0];
  for (const sample of samples) {
    if (from === undefined || sample.settled - from.settled < window) continue;
    costs.push([sample.settled, ((sample.cpuSeconds - from.cpuSeconds) * 1000) / (sample.settled - from.settled)]);
    from = sample;
  }
  return costs;
}

const scaleOf = (costs: readonly [number, number][]) =>
  Math.max(10, Math.ceil((Math.max(...costs.map(([, cost]) => cost), 0) * 1.5) / 10) * 10);

function thirds(costs: readonly [number, number][]): string {
  const chosen = [costs[0], costs[Math.floor(costs.length / 2)], costs.at(-1)];
  return chosen.map((one) => `${one?.[1].toFixed(1) ?? '?'} ms`).join(', ');
}

/** Number of settled sets of each organization: from the first settled set of all small ones, until one small one has 95 %. */
function fairness(samples: readonly Sample[], { total, shares }: Asked): string {
  const names = Object.keys(shares);
  const small = names.slice(1);
  const from = samples.find(({ of }) => small.every((name) => (of[name] ?? 0) > 0)) ?? samples[0];
  const to =
    samples.find(({ of }) => small.some((name) => (of[name] ?? 0) >= total * (shares[name] ?? 0) * 0.95)) ??
    samples.at(-1);
  return names.map((name) => `${name} ${(to?.of[name] ?? 0) - (from?.of[name] ?? 0)}`).join(', ');
}

/** The section of docs/performance.md. */
export function sectionOf(lines: readonly string[]): string {
  return `## Many jobs

The benchmark runs one compiled controller, with the heap limit of the chart, against a real kube-apiserver with etcd
and kube-controller-manager on the same machine. One of three organizations requests eight tenths of all sets before the
others request any. The Job controller creates the pods. A program acts as nodes and captures: it calls the capture
protocol for each pod and ends the pod. Each set is one picture. The rate is that of all these processes on one machine.
The important result is that memory and cost of a job do not grow.

${lines.join('\n')}

![Memory and processor time of the controller over the number of settled jobs](images/scale.svg)`;
}
