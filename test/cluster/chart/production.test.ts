/** Values for production: the example, the placement of each component, pools, probes, and monitors. */
import { expect, test } from 'vitest';
import { SETTINGS } from '../../../src/config.ts';
import { merged, type Rendered, render, type Values } from './rendered.ts';

const podOf = (rendered: Rendered, component: string) => rendered.get('Deployment', component)['spec'].template.spec;

/** Connections of a pod beside its pool: four of the queue, one that listens, one more while it starts. */
const MORE_CONNECTIONS = 6;
/** PostgreSQL has `max_connections = 100`, and reserves 3. The rest is for backups and people. */
const CONNECTIONS_MAX = 90;

test('the production example opens no more connections than PostgreSQL accepts by default, also during an upgrade', async () => {
  const rendered = await render({}, 'values-production.yaml');
  const { maxReplicas } = rendered.get('HorizontalPodAutoscaler', 'api')['spec'];
  const { replicas } = rendered.get('Deployment', 'controller')['spec'];
  const surges = ['api', 'controller'].map(
    (component) => rendered.get('Deployment', component)['spec'].strategy.rollingUpdate.maxSurge,
  );
  const pods = maxReplicas + replicas + surges[0] + surges[1];
  const pool = Number(rendered.settings()['DATABASE_POOL_SIZE'] ?? SETTINGS.DATABASE_POOL_SIZE.fallback);
  expect(pods * (pool + MORE_CONNECTIONS)).toBeLessThanOrEqual(CONNECTIONS_MAX);
});

test('the production example scales the API when a pod uses most of a processor, and removes old sets', async () => {
  const rendered = await render({}, 'values-production.yaml');
  const { metrics } = rendered.get('HorizontalPodAutoscaler', 'api')['spec'];
  const { cpu } = podOf(rendered, 'api').containers[0].resources.requests;
  const cores = String(cpu).endsWith('m') ? Number.parseInt(cpu, 10) / 1_000 : Number(cpu);
  expect((cores * metrics[0].resource.target.averageUtilization) / 100).toBeGreaterThanOrEqual(0.5);
  expect(Number(rendered.settings()['SET_RETENTION_DAYS'])).toBeGreaterThan(0);
});

const PLACEMENT = {
  nodeSelector: { pool: 'web' },
  tolerations: [{ key: 'web', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  topologySpreadConstraints: [{ maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
  priorityClassName: 'high',
};
const COMMON = {
  nodeSelector: { pool: 'all' },
  tolerations: [{ key: 'all', operator: 'Exists' }],
  affinity: { podAffinity: {} },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'node', whenUnsatisfiable: 'ScheduleAnyway' }],
  priorityClassName: 'low',
};

test.each([
  ['api', 'controller'],
  ['controller', 'api'],
])('the placement of %s replaces that of all pods, and changes nothing for %s', async (component, other) => {
  const rendered = await render({ pods: COMMON, [component]: PLACEMENT });
  expect(podOf(rendered, component)).toMatchObject(PLACEMENT);
  expect(podOf(rendered, component).nodeSelector).toEqual(PLACEMENT.nodeSelector);
  expect(podOf(rendered, other)).toMatchObject(COMMON);
});

test('each component has its budget, pool and grace period', async () => {
  const values: Values = {
    pods: { podDisruptionBudget: { maxUnavailable: 2 } },
    api: { podDisruptionBudget: { maxUnavailable: '50%' }, databasePoolSize: 7, terminationGracePeriodSeconds: 90 },
    controller: { podDisruptionBudget: { enabled: false }, terminationGracePeriodSeconds: 50 },
  };
  const rendered = await render(values);
  expect(rendered.get('PodDisruptionBudget', 'api')['spec'].maxUnavailable).toBe('50%');
  expect(rendered.find('PodDisruptionBudget', 'controller')).toBeUndefined();
  const [api, controller] = ['api', 'controller'].map((component) => podOf(rendered, component));
  expect(api.containers[0].env).toContainEqual({ name: 'DATABASE_POOL_SIZE', value: '7' });
  expect(JSON.stringify(controller)).not.toContain('DATABASE_POOL_SIZE');
  // preStop is a part of what Kubernetes counts.
  expect([api.terminationGracePeriodSeconds, controller.terminationGracePeriodSeconds]).toEqual([95, 50]);
});

test('the times of probes come from the values, and their paths do not', async () => {
  const readinessProbe = { periodSeconds: 20, timeoutSeconds: 3, failureThreshold: 2 };
  const [{ readinessProbe: probe }] = podOf(await render({ pods: { readinessProbe } }), 'api').containers;
  expect(probe).toEqual({ ...readinessProbe, httpGet: expect.objectContaining({ port: 'metrics' }) });
  await expect(render({ pods: { livenessProbe: { httpGet: { path: '/' } } } })).rejects.toThrow('pods/livenessProbe');
});

test('a PodMonitor scrapes the same pods, under the name of the Service by which alerts select', async () => {
  const monitoring = {
    serviceMonitor: { interval: '15s', labels: { release: 'prometheus' } },
    podMonitor: { enabled: true },
    prometheusRule: { enabled: true },
  };
  const rendered = await render({ monitoring });
  const { metadata, spec } = rendered.get('PodMonitor', '');
  expect(rendered.find('ServiceMonitor', '')).toBeUndefined();
  expect(metadata.labels).toMatchObject({ release: 'prometheus' });
  const [endpoint] = spec.podMetricsEndpoints;
  expect(endpoint).toMatchObject({ port: 'metrics', interval: '15s' });
  const { replacement } = endpoint.relabelings.find(({ targetLabel }: Values) => targetLabel === 'service');
  expect(rendered.get('PrometheusRule', '')['spec'].groups[0].rules[0].expr).toContain(`service="${replacement}"`);
  for (const component of ['api', 'controller']) {
    const { metadata: pod, spec: of } = rendered.get('Deployment', component)['spec'].template;
    expect(pod.labels).toMatchObject(spec.selector.matchLabels);
    expect(of.containers[0].ports.map(({ name }: Values) => name)).toContain('metrics');
  }
  await expect(render(merged({ monitoring }, { monitoring: { serviceMonitor: { enabled: true } } }))).rejects.toThrow(
    'monitoring.serviceMonitor.enabled and monitoring.podMonitor.enabled are both set',
  );
});
