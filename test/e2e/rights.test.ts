import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { isOwnCluster } from './support/environment.ts';
import { Installation } from './support/installation.ts';
import { keepConsole, kubectl } from './support/programs.ts';
import { requestOf, type ScreenshotSet, startWorld, type World } from './support/world.ts';

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

/** Asked by admission alone, when a Job blocks the deletion of its owner; the audit log does not show it. */
const ASKED_BY_ADMISSION = 'update tearsheet.dev/screenshotjobs/finalizers';

let world: World;
let installation: Installation;

beforeAll(async () => {
  world = await startWorld(() => installation.organization.webhook_secret);
  installation = await Installation.install('rights', { capture: { ttlSecondsAfterFinished: 1 } });
  await installation.createOrganization();
});
afterAll(async () => {
  await installation?.remove();
  await world?.close();
});

const ask = async (campaign: string, gate?: string): Promise<string> => {
  if (gate !== undefined) world.gates.shut(gate);
  const asked = requestOf(world, { campaign, ...(gate === undefined ? {} : { gate }) });
  return (await installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked)).id;
};

const ends = (set: string, status: string) =>
  eventually(async () => {
    const now = await installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`);
    expect(now.status).toBe(status);
  }, 120_000);

/** What makes the controller use each of its rights once. */
async function useAll(): Promise<void> {
  await ends(await ask('Captured'), 'approved');
  const canceled = await ask('Canceled', 'canceled');
  await world.gates.reached('canceled');
  await installation.call('POST', `/screenshot_sets/${canceled}/cancel`, {});
  await ends(canceled, 'canceled');
  world.gates.open('canceled');
  const pods = await installation.list('pods');
  await installation.kubectl(['create', 'quota', 'none', `--hard=pods=${Math.max(1, pods.length - 1)}`]);
  const refused = await ask('Refused');
  await installation.status(refused, 'QuotaExceeded');
  await installation.kubectl(['delete', 'quota', 'none']);
  await ends(refused, 'approved');
  await eventually(async () => expect(await installation.jobs()).toEqual([]), 90_000);
}

function audited(): Audited[] {
  const log = path.join(process.env['CLUSTER_DIR'] ?? '/var/lib/tearsheet-cluster', 'log/audit.log');
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`system:serviceaccount:${installation.namespace.name}:`))
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
  const own = await installation.list<{ rules: Rule[] }>('roles');
  const { items } = JSON.parse(
    await kubectl(['get', 'clusterroles', '-l', 'app.kubernetes.io/name=tearsheet', '-o', 'json']),
  ) as {
    items: { metadata: { name: string; labels: Record<string, string> }; rules: Rule[] }[];
  };
  const ours = items.filter(
    ({ metadata }) =>
      metadata.name.startsWith(`${installation.namespace.name}:`) &&
      !Object.keys(metadata.labels).some((label) => label.startsWith('rbac.authorization.k8s.io/aggregate')),
  );
  return listed([...own, ...ours].flatMap(({ rules }) => rules));
}

describe.skipIf(!isOwnCluster())('the rights of API and controller, held against the audit log', () => {
  beforeAll(useAll);

  it('are enough: nothing was refused for want of one', () => {
    const refused = audited().filter(
      ({ responseStatus }) => responseStatus?.code === 403 && !/exceeded quota/.test(responseStatus.message ?? ''),
    );
    expect(refused.map((entry) => `${entry.user.username} ${named(entry)}`)).toEqual([]);
  });

  it('are no more than is used', async () => {
    const used = new Set(audited().map(named));
    const rights = await granted();
    keepConsole('rights', `granted and used:\n${[...used].sort().join('\n')}`);
    expect(rights.length).toBeGreaterThan(10);
    expect(rights.filter((right) => !used.has(right) && right !== ASKED_BY_ADMISSION)).toEqual([]);
  });

  it('are not those of captures, which never spoke to the API', () => {
    expect(
      audited()
        .filter(({ user }) => user.username.endsWith('-capture'))
        .map(named),
    ).toEqual([]);
  });
});
