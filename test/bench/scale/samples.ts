/** Values that the benchmark samples while it runs. */
import { readFileSync } from 'node:fs';
import type { Stand } from './stand.ts';
import { NAMESPACE } from './stand.ts';

export interface Sample {
  /** Seconds since the first set was requested. */
  readonly seconds: number;
  /** Sets that have ended, in all and by organization. */
  readonly settled: number;
  readonly of: Readonly<Record<string, number>>;
  readonly memoryMiB: number;
  /** Processor time of the controller so far. */
  readonly cpuSeconds: number;
  /** Objects in the cluster. */
  readonly resources: number;
  readonly jobs: number;
}

const TICKS_A_SECOND = 100;

export async function takeSample(stand: Stand, began: number): Promise<Sample> {
  const of = await settledBy(stand);
  return {
    seconds: (performance.now() - began) / 1000,
    settled: Object.values(of).reduce((sum, count) => sum + count, 0),
    of,
    memoryMiB: memoryOf(stand.controller),
    cpuSeconds: cpuOf(stand.controller),
    resources: await countResources(stand),
    jobs: await countJobs(stand),
  };
}

async function settledBy({ database }: Stand): Promise<Record<string, number>> {
  const { rows } = await database.query<{ slug: string; settled: number }>(
    `select o.slug, count(*) filter (where s.status not in ('draft', 'capturing'))::int as settled
     from screenshot_sets s join organizations o on o.id = s.organization_id group by o.slug`,
  );
  return Object.fromEntries(rows.map(({ slug, settled }) => [slug, settled]));
}

function memoryOf(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/** The process name is in brackets and may contain spaces. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

interface Listed {
  readonly items: readonly unknown[];
  readonly metadata?: { readonly remainingItemCount?: number };
}

const counted = ({ items, metadata }: Listed) => items.length + (metadata?.remainingItemCount ?? 0);

async function countResources({ custom }: Stand): Promise<number> {
  const kind = { group: 'tearsheet.dev', version: 'v1alpha1', plural: 'screenshotjobs' };
  return counted((await custom.listNamespacedCustomObject({ ...kind, namespace: NAMESPACE, limit: 1 })) as Listed);
}

async function countJobs({ batch }: Stand): Promise<number> {
  return counted((await batch.listNamespacedJob({ namespace: NAMESPACE, limit: 1 })) as Listed);
}
