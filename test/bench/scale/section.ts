/** From samples to words and a plot. */
import { plot } from './plot.ts';
import type { Sample } from './samples.ts';

/** Settled jobs by which the cost of one is told. */
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
    ["the controller's memory, at most", `${memory.toFixed(0)} MiB`, '≤ 256 MiB'],
    ["the controller's processor time a job: first, middle, last tenth", thirds(costs), 'flat'],
    [
      'ScreenshotJobs in the cluster, at most',
      String(resources),
      `bounded by ${asked.maxPods} running + ${asked.finished} kept + what settles between two audits`,
    ],
    ['Jobs in the cluster, at most', String(jobs), `bounded by ${asked.maxPods} running + those being removed`],
    [
      'settled of the two that do not flood, when they had asked for all',
      fairness(samples, asked),
      'as many each as the one that floods',
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

/** Milliseconds of processor time a job, over windows of so many settled jobs. */
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

/** What each had settled since the last one began to ask, when the first of the small ones was done. */
function fairness(samples: readonly Sample[], { total, shares }: Asked): string {
  const names = Object.keys(shares);
  const small = names.slice(1);
  const from = samples.find(({ of }) => small.every((name) => (of[name] ?? 0) > 0)) ?? samples[0];
  const to =
    samples.find(({ of }) => small.some((name) => (of[name] ?? 0) >= total * (shares[name] ?? 0) * 0.95)) ??
    samples.at(-1);
  return names.map((name) => `${name} ${(to?.of[name] ?? 0) - (from?.of[name] ?? 0)}`).join(', ');
}

/** The part of docs/performance.md. */
export function sectionOf(lines: readonly string[]): string {
  return `## Many jobs

One controller, as it is compiled and with the heap that the chart allows it, against a real kube-apiserver with etcd and kube-controller-manager on the same machine; three organizations, of
which one asks for eight tenths of all sets before the others ask for any. Pods are made by the Job controller; a program plays nodes and captures: it speaks
the capture protocol for each pod and ends it. Each set is one picture. The rate is that of all of these on one machine; what tells is that memory and
cost a job do not grow.

${lines.join('\n')}

![Memory and processor time of the controller over the number of settled jobs](images/scale.svg)`;
}
