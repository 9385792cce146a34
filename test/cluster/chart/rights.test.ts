/** What each account of a release may do, and nothing beyond. */
import { describe, expect, it } from 'vitest';
import { type Manifest, type Rendered, render } from './rendered.ts';

interface Rule {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly verbs: string[];
  readonly resourceNames?: string[];
}

/** `verb resource[/name]` of all roles that an account is bound to. */
function rightsOf(rendered: Rendered, account: string): string[] {
  const bindings = rendered.all.filter(({ kind, ...rest }) => {
    const subjects: { name: string }[] = rest['subjects'] ?? [];
    return kind.endsWith('RoleBinding') || kind.endsWith('Binding')
      ? subjects.some(({ name }) => name === account)
      : false;
  });
  const roles = bindings.map(({ roleRef }) => rendered.all.find((one) => isRole(one, roleRef)));
  return roles.flatMap((role) => (role?.['rules'] ?? []).flatMap(spelled)).sort();
}

const isRole = ({ kind, metadata }: Manifest, wanted: { kind: string; name: string }) =>
  kind === wanted.kind && metadata.name === wanted.name;

function spelled({ apiGroups, resources, verbs, resourceNames = [''] }: Rule): string[] {
  const group = apiGroups[0] === '' ? '' : `.${apiGroups[0]}`;
  return verbs.flatMap((verb) =>
    resources.flatMap((resource) => resourceNames.map((name) => `${verb} ${resource}${group}${name && ` ${name}`}`)),
  );
}

describe('rights', () => {
  it('of the API: to ask whose token it was shown', async () => {
    expect(rightsOf(await render(), 't-tearsheet-api')).toEqual(['create tokenreviews.authentication.k8s.io']);
  });

  it('of captures: none, and no token of the cluster', async () => {
    const rendered = await render();
    expect(rightsOf(rendered, 't-tearsheet-capture')).toEqual([]);
    expect(rendered.get('ServiceAccount', 'capture')['automountServiceAccountToken']).toBe(false);
  });

  it('of the controller: what it calls, each verb of it', async () => {
    const rights = rightsOf(await render(), 't-tearsheet-controller');
    expect(rights).toEqual(
      [
        ...['get', 'list', 'watch', 'create', 'patch', 'delete'].map((verb) => `${verb} screenshotjobs.tearsheet.dev`),
        'patch screenshotjobs/status.tearsheet.dev',
        'update screenshotjobs/finalizers.tearsheet.dev',
        ...['get', 'list', 'watch', 'create', 'delete'].map((verb) => `${verb} jobs.batch`),
        ...['list', 'watch'].map((verb) => `${verb} pods`),
        ...['create', 'patch', 'list'].map((verb) => `${verb} events`),
        'create leases.coordination.k8s.io',
        ...['get', 'update'].map((verb) => `${verb} leases.coordination.k8s.io t-tearsheet-controller`),
        ...['list', 'watch'].map((verb) => `${verb} nodes`),
      ].sort(),
    );
  });

  it('on the whole cluster: nodes only where the values allow it, and then the controller is told', async () => {
    const [with_, without] = [await render(), await render({ rbac: { nodes: false } })];
    expect(with_.settings()['READ_NODES']).toBe('true');
    expect(without.settings()['READ_NODES']).toBe('false');
    expect(rightsOf(without, 't-tearsheet-controller').filter((right) => right.endsWith('nodes'))).toEqual([]);
  });

  it('to the Lease that the controller is told to hold', async () => {
    expect((await render()).settings()['LEASE_NAME']).toBe('t-tearsheet-controller');
  });

  it('of people: who may view a namespace sees ScreenshotJobs, who may edit it can cancel them', async () => {
    const rendered = await render();
    const view = rendered.get('ClusterRole', 'view');
    const edit = rendered.get('ClusterRole', 'edit');
    expect(view.metadata.labels).toMatchObject({ 'rbac.authorization.k8s.io/aggregate-to-view': 'true' });
    expect(edit.metadata.labels).toMatchObject({ 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' });
    expect(view['rules'].flatMap(spelled)).toContain('list screenshotjobs.tearsheet.dev');
    expect(edit['rules'].flatMap(spelled)).toContain('patch screenshotjobs.tearsheet.dev');
    expect(edit['rules'].flatMap(spelled)).not.toContain('create screenshotjobs.tearsheet.dev');
  });

  it('of none where somebody else grants them', async () => {
    const { all } = await render({ rbac: { create: false, aggregate: false } });
    expect(all.filter(({ apiVersion }) => apiVersion.startsWith('rbac.'))).toEqual([]);
  });

  it('are mounted where they are used, and nowhere else', async () => {
    const mounted = (await render({}, 'values-trial.yaml')).workloads().map(({ metadata, ...rest }) => {
      const { automountServiceAccountToken, serviceAccountName } = rest['spec'].template.spec;
      return [metadata.name, automountServiceAccountToken, serviceAccountName];
    });
    expect(mounted.sort()).toEqual([
      ['t-tearsheet-api', true, 't-tearsheet-api'],
      ['t-tearsheet-cleanup', true, 't-tearsheet-controller'],
      ['t-tearsheet-controller', true, 't-tearsheet-controller'],
      ['t-tearsheet-postgres', false, undefined],
    ]);
  });
});
