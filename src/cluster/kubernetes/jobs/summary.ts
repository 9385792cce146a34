/** The state of the objects of one installation, for `tearsheet diagnose`. It reads the API server directly, and only one page. */
import { z } from 'zod';
import { timeText } from '../cache/objectStates.ts';
import { unlessNotFound } from '../client/apiErrors.ts';
import type { ClusterConnection } from '../client/connection.ts';
import { listedKinds } from '../client/kinds.ts';
import { LABEL } from '../client/names.ts';

export interface ClusterSummary {
  readonly lease: { readonly holder: string | undefined; readonly renewed_at: string | undefined } | undefined;
  /** Numbers of ScreenshotJobs by reason, at most of 500. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Those that have not ended and do not run. */
  readonly waiting: readonly object[];
  /** Numbers of capture pods by phase, at most of 500. */
  readonly pods: Readonly<Record<string, number>>;
}

const Status = z.object({ reason: z.string().optional(), message: z.string().optional(), pods: z.number().optional() });
const ENDED = ['Completed', 'CompletedWithFailures', 'Failed', 'DeadlineExceeded', 'Canceled', 'Running'];
const PAGE = 500;
const MAX_WAITING = 20;

export async function summarize(
  connection: ClusterConnection,
  { namespace, installation, leaseName }: Record<'namespace' | 'installation' | 'leaseName', string>,
): Promise<ClusterSummary> {
  const ours = { labelSelector: `${LABEL.installation}=${installation}`, limit: PAGE };
  const kinds = listedKinds(connection, namespace);
  const [lease, resources, pods] = await Promise.all([
    unlessNotFound(connection.apis.coordination.readNamespacedLease({ name: leaseName, namespace })),
    kinds.screenshotJobs.list(ours),
    kinds.pods.list({ ...ours, labelSelector: `${ours.labelSelector},${LABEL.component}=capture` }),
  ]);
  const seen = resources.items.map(({ metadata, status }) => {
    const { reason = 'Queued', message, pods: running } = Status.safeParse(status).data ?? {};
    return { name: metadata?.name, created_at: metadata?.creationTimestamp, reason, pods: running, problem: message };
  });
  const { holderIdentity, renewTime } = lease?.spec ?? {};
  return {
    lease: lease && { holder: holderIdentity, renewed_at: renewTime && timeText(renewTime) },
    reasons: countBy(seen, ({ reason }) => reason),
    waiting: seen.filter(({ reason }) => !ENDED.includes(reason)).slice(0, MAX_WAITING),
    pods: countBy(pods.items, ({ status }) => status?.phase ?? 'Unknown'),
  };
}

function countBy<T>(items: readonly T[], key: (item: T) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(items, key)].map(([name, group]) => [name, group.length]));
}
