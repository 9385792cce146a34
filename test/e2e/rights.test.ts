import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { keepConsole, kubectl } from './support/commands.ts';
import { E2eContext } from './support/e2eContext.ts';
import { skipUnlessOwnCluster } from './support/ownCluster.ts';
import { fillQuota } from './support/quota.ts';

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

interface Audited {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
  };
  readonly responseStatus?: { readonly code: number; readonly message?: string };
  readonly requestURI: string;
}

const USED_ELSEWHERE = [
  // Asked by admission, when a Job blocks the deletion of its owner; the audit log does not show it.
  'update tearsheet.dev/screenshotjobs/finalizers',
  // Only where a Job of the name is there already.
  'get batch/jobs',
  // Only an hour after a set was settled.
  'delete tearsheet.dev/screenshotjobs',
  // Only if places become free while a set runs with fewer pods than it can use.
  'patch batch/jobs',
];

const e2e = new E2eContext();

/** Makes the controller use each of its rights once. */
async function useAll(): Promise<void> {
  const { installation } = e2e;
  const captured = await e2e.requestSet('Captured');
  await e2e.waitForSetStatus(captured, 'approved');
  const canceled = await e2e.requestHeldSet('canceled');
  await installation.call('POST', `/screenshot_sets/${canceled}/cancel`, {});
  await e2e.waitForSetStatus(canceled, 'canceled');
  e2e.servers.requestGate.release('canceled');
  const lift = await fillQuota(installation);
  const refused = await e2e.requestSet('Refused');
  await installation.waitForReason(refused, 'QuotaExceeded');
  await lift();
  await e2e.waitForSetStatus(refused, 'approved');
  // The controller removes the finalizer, which the deletion waits for.
  const { name } = installation.namespace;
  await kubectl(['-n', name, 'delete', 'screenshotjob', `set-${captured}`, '--timeout=60s']);
}

function audited(): Audited[] {
  const log = path.join(process.env['CLUSTER_DIR'] ?? '/var/lib/tearsheet-cluster', 'log/audit.log');
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`system:serviceaccount:${e2e.installation.namespace.name}:`))
    .map((line) => JSON.parse(line) as Audited);
}

const named = ({ verb, objectRef }: Audited): string => {
  const { apiGroup = '', resource = '', subresource } = objectRef ?? {};
  return `${verb} ${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
};

const listed = (rules: readonly Rule[]): string[] =>
  rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`))),
  );

async function granted(): Promise<string[]> {
  const own = await e2e.installation.list<{ rules: Rule[] }>('roles');
  const { items } = JSON.parse(
    await kubectl(['get', 'clusterroles', '-l', 'app.kubernetes.io/name=tearsheet', '-o', 'json']),
  ) as {
    items: { metadata: { name: string; labels: Record<string, string> }; rules: Rule[] }[];
  };
  const ours = items.filter(
    ({ metadata }) =>
      metadata.name.startsWith(`${e2e.installation.namespace.name}:`) &&
      !Object.keys(metadata.labels).some((label) => label.startsWith('rbac.authorization.k8s.io/aggregate')),
  );
  return listed([...own, ...ours].flatMap(({ rules }) => rules));
}

describe.skipIf(skipUnlessOwnCluster('The audit log'))(
  'the rights of API and controller, held against the audit log',
  () => {
    beforeAll(async () => {
      await e2e.start('rights');
      await useAll();
    });
    afterEach(() => e2e.cleanUp());
    afterAll(() => e2e.close());

    it('the rights of Tearsheet suffice: the API server denied no call', () => {
      const refused = audited().filter(
        ({ responseStatus }) => responseStatus?.code === 403 && !/exceeded quota/.test(responseStatus.message ?? ''),
      );
      expect(refused.map((entry) => `${entry.user.username} ${named(entry)}`)).toEqual([]);
    });

    it('Tearsheet uses each of its rights', async () => {
      const used = new Set(audited().map(named));
      const rights = await granted();
      keepConsole('rights', `granted and used:\n${[...used].sort().join('\n')}`);
      expect(rights.length).toBeGreaterThan(10);
      expect(rights.filter((right) => !used.has(right) && !USED_ELSEWHERE.includes(right))).toEqual([]);
    });

    it('captures never call the API server', () => {
      expect(
        audited()
          .filter(({ user }) => user.username.endsWith('-capture'))
          .map(named),
      ).toEqual([]);
    });
  },
);
