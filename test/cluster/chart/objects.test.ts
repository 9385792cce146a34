/** Which objects a release has, by its values. */
import { describe, expect, it, test } from 'vitest';
import { render, type Values } from './rendered.ts';

describe('the release', () => {
  it.each<[string, Values, string, string, boolean]>([
    ['the definition, by default', {}, 'CustomResourceDefinition', '', true],
    ['an autoscaler, by default', {}, 'HorizontalPodAutoscaler', 'api', false],
    ['an autoscaler', { api: { autoscaling: { enabled: true } } }, 'HorizontalPodAutoscaler', 'api', true],
    ['a budget for API pods', {}, 'PodDisruptionBudget', 'api', true],
    [
      'a budget for one API pod, which would block a drain',
      { api: { replicas: 1 } },
      'PodDisruptionBudget',
      'api',
      false,
    ],
    ['a budget for one controller', { controller: { replicas: 1 } }, 'PodDisruptionBudget', 'controller', false],
    ['an Ingress', { api: { ingress: { enabled: true } } }, 'Ingress', '', true],
    ['a route', { api: { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } } }, 'HTTPRoute', '', true],
    ['a ServiceMonitor', { monitoring: { serviceMonitor: { enabled: true } } }, 'ServiceMonitor', '', true],
    ['a dashboard', { monitoring: { grafanaDashboard: { enabled: true } } }, 'ConfigMap', 'dashboard', true],
    ['the cleanup Job', {}, 'Job', 'cleanup', true],
    ['the cleanup Job', { cleanup: { enabled: false } }, 'Job', 'cleanup', false],
  ])('the release creates or leaves out %s with the values %j', async (_what, values, kind, name, there) => {
    const rendered = await render(values);
    const found =
      kind === 'CustomResourceDefinition' ? rendered.all.find((one) => one.kind === kind) : rendered.find(kind, name);
    expect(found !== undefined).toBe(there);
  });
});

describe('additions of an operator', () => {
  const sidecar = { name: 'proxy', image: 'proxy', restartPolicy: 'Always' };

  it('an extra init container runs before the migration and also in the cleanup Job', async () => {
    const pods = { extraInitContainers: [sidecar], extraContainers: [{ name: 'log', image: 'log' }] };
    const rendered = await render({ pods });
    const names = (kind: string, name: string, part: string) =>
      rendered.get(kind, name)['spec'].template.spec[part].map((container: Values) => container['name']);
    for (const component of ['api', 'controller']) {
      expect(names('Deployment', component, 'initContainers')).toEqual(['proxy', 'migrate']);
      expect(names('Deployment', component, 'containers')).toEqual([component, 'log']);
    }
    expect(names('Job', 'cleanup', 'initContainers')).toEqual(['proxy']);
  });

  it('an existing service account is bound and used, and not created', async () => {
    const own = (name: string) => ({ serviceAccount: { create: false, name } });
    const rendered = await render({ api: own('a'), controller: own('b'), capture: own('c') });
    const accounts = rendered.all.filter(({ kind }) => kind === 'ServiceAccount');
    // That of `helm test`, which exists only while it runs.
    expect(accounts.map(({ metadata }) => metadata.name)).toEqual(['t-tearsheet-check']);
    const subjects = rendered.all.flatMap((one): { name: string }[] => one['subjects'] ?? []).map(({ name }) => name);
    expect([...new Set(subjects)].sort()).toEqual(['a', 'b', 't-tearsheet-check']);
    expect(rendered.get('Deployment', 'api')['spec'].template.spec.serviceAccountName).toBe('a');
    expect(rendered.get('Job', 'cleanup')['spec'].template.spec.serviceAccountName).toBe('b');
    expect(rendered.settings()['CAPTURE_SERVICE_ACCOUNT']).toBe('c');
  });

  it('extra objects are rendered as templates, and extraSpec is added to the public Service', async () => {
    const more = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-tearsheet-more' } };
    const extraSpec = { externalTrafficPolicy: 'Local' };
    const rendered = await render({ extraObjects: [more], api: { service: { type: 'LoadBalancer', extraSpec } } });
    expect(rendered.find('ConfigMap', 'more')).toBeDefined();
    expect(rendered.get('Service', 'api')['spec']).toMatchObject({ type: 'LoadBalancer', ...extraSpec });
  });
});

describe('the CRD', () => {
  const definition = async (crds: Values) =>
    (await render({ crds })).all.find(({ kind }) => kind === 'CustomResourceDefinition');

  it('the CRD is upgraded with the release and stays after an uninstall', async () => {
    expect((await definition({}))?.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    expect((await definition({ keep: false }))?.metadata.annotations).toBeUndefined();
    expect(await definition({ install: false })).toBeUndefined();
  });
});

test('a Deployment with an autoscaler has no replicas field', async () => {
  const spec = async (values: Values) => (await render(values)).get('Deployment', 'api')['spec'];
  expect((await spec({})).replicas).toBe(2);
  expect((await spec({ api: { autoscaling: { enabled: true } } })).replicas).toBeUndefined();
});

test('host and certificate of an Ingress follow from the public address', async () => {
  const values = {
    publicUrl: 'https://shots.example.com:8443/',
    api: { ingress: { enabled: true, tlsSecretName: 'tls' } },
  };
  const { spec } = (await render(values)).get('Ingress', '');
  expect(spec).toMatchObject({
    tls: [{ hosts: ['shots.example.com'], secretName: 'tls' }],
    rules: [{ host: 'shots.example.com', http: { paths: [{ path: '/', pathType: 'Prefix' }] } }],
  });
});

test('an HTTPRoute leads to the public Service', async () => {
  const values = { api: { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] }, service: { port: 8080 } } };
  expect((await render(values)).get('HTTPRoute', '')['spec']).toEqual({
    parentRefs: [{ name: 'public' }],
    hostnames: ['tearsheet.example.com'],
    rules: [{ backendRefs: [{ name: 't-tearsheet-api', port: 8080 }] }],
  });
});

test('each Service leads to pods that serve its port', async () => {
  const rendered = await render();
  const pod = (component: string) => rendered.get('Deployment', component)['spec'].template;
  for (const [service, port, components] of [
    ['api', 'http', ['api']],
    ['internal', 'internal', ['api']],
    ['metrics', 'metrics', ['api', 'controller']],
  ] as const) {
    const { selector, ports } = rendered.get('Service', service)['spec'];
    expect(ports.map(({ targetPort }: Values) => targetPort)).toEqual([port]);
    for (const component of components) {
      expect(pod(component).metadata.labels).toMatchObject(selector);
      expect(pod(component).spec.containers[0].ports.map(({ name }: Values) => name)).toContain(port);
    }
  }
  expect(rendered.settings()['INTERNAL_URL']).toBe('http://t-tearsheet-internal:8081');
});

test('the cleanup Job runs before an uninstall with the account of the controller, and has a deadline', async () => {
  const { metadata, spec } = (await render()).get('Job', 'cleanup');
  expect(metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-delete' });
  expect(spec).toMatchObject({
    backoffLimit: 2,
    activeDeadlineSeconds: 300,
    template: {
      spec: {
        restartPolicy: 'Never',
        serviceAccountName: 't-tearsheet-controller',
        containers: [{ args: ['cleanup', '--wait', '120'] }],
      },
    },
  });
});
