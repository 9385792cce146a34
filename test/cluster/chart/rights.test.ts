/** The permissions of each service account of a release. */
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

describe('permissions', () => {
  it('the permissions of the API allow only TokenReviews', async () => {
    expect(rightsOf(await render(), 't-tearsheet-api')).toEqual(['create tokenreviews.authentication.k8s.io']);
  });

  it('captures have no permissions and get no token for the API server', async () => {
    const rendered = await render();
    expect(rightsOf(rendered, 't-tearsheet-capture')).toEqual([]);
    expect(rendered.get('ServiceAccount', 'capture')['automountServiceAccountToken']).toBe(false);
  });

  it('the permissions of the controller are exactly its calls', async () => {
    const rights = rightsOf(await render(), 't-tearsheet-controller');
    expect(rights).toEqual(
      [
        ...['get', 'list', 'watch', 'create', 'patch', 'delete'].map((verb) => `${verb} screenshotjobs.tearsheet.dev`),
        'patch screenshotjobs/status.tearsheet.dev',
        'update screenshotjobs/finalizers.tearsheet.dev',
        ...['get', 'list', 'watch', 'create', 'patch', 'delete'].map((verb) => `${verb} jobs.batch`),
        ...['list', 'watch'].map((verb) => `${verb} pods`),
        ...['create', 'list'].map((verb) => `${verb} events`),
        'create leases.coordination.k8s.io',
        ...['get', 'update'].map((verb) => `${verb} leases.coordination.k8s.io t-tearsheet-controller`),
        'get configmaps t-tearsheet-controller',
        ...['list', 'watch'].map((verb) => `${verb} nodes`),
      ].sort(),
    );
  });

  it('permissions on nodes exist only if the values allow them, and READ_NODES has the same value', async () => {
    const [with_, without] = [await render(), await render({ rbac: { nodes: false } })];
    expect(with_.settings()['READ_NODES']).toBe('true');
    expect(without.settings()['READ_NODES']).toBe('false');
    expect(rightsOf(without, 't-tearsheet-controller').filter((right) => right.endsWith('nodes'))).toEqual([]);
  });

  it('the permissions on the Lease match the setting LEASE_NAME', async () => {
    expect((await render()).settings()['LEASE_NAME']).toBe('t-tearsheet-controller');
  });

  it('the owner of the Lease is an object of the release that the controller may read', async () => {
    const rendered = await render();
    expect(rendered.names()).toContain(`ConfigMap/${rendered.settings()['LEASE_NAME']}`);
  });

  it('the role view may read ScreenshotJobs, and the role edit may change them', async () => {
    const rendered = await render();
    const view = rendered.get('ClusterRole', 'view');
    const edit = rendered.get('ClusterRole', 'edit');
    expect(view.metadata.labels).toMatchObject({ 'rbac.authorization.k8s.io/aggregate-to-view': 'true' });
    expect(edit.metadata.labels).toMatchObject({ 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' });
    expect(view['rules'].flatMap(spelled)).toContain('list screenshotjobs.tearsheet.dev');
    expect(edit['rules'].flatMap(spelled)).toContain('patch screenshotjobs.tearsheet.dev');
    expect(edit['rules'].flatMap(spelled)).not.toContain('create screenshotjobs.tearsheet.dev');
  });

  it('the chart creates no permissions if an operator grants them outside the chart', async () => {
    const { all } = await render({ rbac: { create: false, aggregate: false } });
    expect(all.filter(({ apiVersion }) => apiVersion.startsWith('rbac.'))).toEqual([]);
  });

  it('only pods that use permissions get a token for the API server', async () => {
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
