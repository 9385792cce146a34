/** A real API server checks the manifests, in a namespace that enforces Pod Security "restricted". */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { buildTool, type Ended, runTool } from '../../../scripts/tools.ts';
import { type TestNamespace, testNamespace } from '../../support/cluster.ts';
import { CHART, type Manifest, REQUIRED_VALUES, render, type Values } from './rendered.ts';

let namespace: TestNamespace;
let program: string;

beforeAll(async () => {
  program = await buildTool('kubectl');
  namespace = await testNamespace('chart');
});
afterAll(() => namespace?.remove());

/** As an apply that changes nothing; unknown fields are faults. */
async function tryOut(manifests: readonly Manifest[]): Promise<Ended> {
  const items = manifests.map((manifest) => ({
    ...manifest,
    metadata: { ...manifest.metadata, namespace: undefined },
    // A dry run creates no account that a pod could have.
    ...(manifest.kind === 'Pod' && { spec: { ...manifest['spec'], serviceAccountName: 'default' } }),
  }));
  const args = ['--kubeconfig', namespace.kubeconfig, '--namespace', namespace.name, 'create', '--dry-run=server'];
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return runTool(program, [...args, '--validate=strict', '-f', '-'], { input });
}

/** Pod Security warns of a Deployment, but refuses only the pod. */
function podOf(workload: Manifest): Manifest {
  const { metadata, spec } = workload['spec'].template;
  const volumes = (spec.volumes ?? []).concat(
    (workload['spec'].volumeClaimTemplates ?? []).map((claim: Manifest) => ({
      name: claim.metadata.name,
      emptyDir: {},
    })),
  );
  const pod = { ...spec, volumes, serviceAccountName: 'default' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: workload.metadata.name }, spec: pod };
}

/** Kinds that only some clusters know. */
const OF_OTHERS = ['ServiceMonitor', 'PrometheusRule', 'HTTPRoute', 'CustomResourceDefinition'];

describe.each<[string, Values, string?]>([
  ['a trial', {}, 'values-trial.yaml'],
  [
    'a trial with volumes',
    { trial: { postgres: { size: '1Gi' } }, artifacts: { folder: { size: '1Gi' } } },
    'values-trial.yaml',
  ],
  ['the production example', {}, 'values-production.yaml'],
  [
    'all optional values',
    {
      egress: { allow: ['10.1.0.0/16', 'fd00::/8'] },
      networkPolicy: {
        publicFrom: [{ namespaceSelector: {} }],
        metricsFrom: [{ podSelector: {} }],
        storageTo: [{ ipBlock: { cidr: '10.9.0.0/16' } }],
        extraEgress: [{ ports: [{ port: 9_000 }] }],
      },
      api: {
        autoscaling: { enabled: true, behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } },
        ingress: { enabled: true, className: 'nginx', tlsSecretName: 'tls', annotations: { a: 'b' } },
        service: { type: 'LoadBalancer', annotations: { a: 'b' } },
        databasePoolSize: 7,
        podDisruptionBudget: { maxUnavailable: '50%' },
      },
      controller: {
        tolerations: [{ key: 'control', operator: 'Exists' }],
        affinity: { nodeAffinity: {} },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
        ],
      },
      pods: {
        labels: { a: 'b' },
        nodeSelector: { pool: 'web' },
        tolerations: [{ key: 'web', operator: 'Exists' }],
        affinity: { podAntiAffinity: {} },
        deploymentAnnotations: { a: 'b' },
        strategy: { type: 'Recreate' },
        dnsPolicy: 'None',
        dnsConfig: { nameservers: ['10.0.0.10'], options: [{ name: 'ndots', value: '1' }] },
        hostAliases: [{ ip: '10.1.2.3', hostnames: ['db.example.com'] }],
        extraEnv: [{ name: 'TZ', value: 'UTC' }],
        extraEnvFrom: [{ secretRef: { name: 'more' } }],
        extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
        extraVolumeMounts: [{ name: 'ca', mountPath: '/ca' }],
      },
      artifacts: { accessKeyId: 'a', secretAccessKey: 'b', endpoint: 'http://minio:9000' },
      imagePullSecrets: [{ name: 'registry' }],
    },
  ],
])('the manifests of %s', (name, values, example) => {
  it(`the manifests of ${name} have only fields that the API server knows`, async () => {
    const { all } = await render(values, example);
    const { stderr, code } = await tryOut(all.filter(({ kind }) => !OF_OTHERS.includes(kind)));
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it(`the manifests of ${name} create pods that Pod Security "restricted" allows`, async () => {
    const { stderr } = await tryOut((await render(values, example)).workloads().map(podOf));
    expect(stderr).toBe('');
  });
});

test('a pod that is not restricted is rejected', async () => {
  const workloads = (await render({ securityContext: { allowPrivilegeEscalation: true } })).workloads();
  expect((await tryOut(workloads.map(podOf))).stderr).toContain('violates PodSecurity "restricted:latest"');
});

test('the CRD of the chart equals the CRD in crds/, which the other cluster tests use', async () => {
  const definition = (await render()).all.find(({ kind }) => kind === 'CustomResourceDefinition');
  const args = ['--kubeconfig', namespace.kubeconfig, 'get', 'crd', 'screenshotjobs.tearsheet.dev', '-o', 'json'];
  const { stdout } = await runTool(program, args);
  expect(JSON.parse(stdout).spec).toMatchObject(definition?.['spec']);
});

test('a CRD without a release or of another release is left unchanged, because Helm cannot adopt it', async () => {
  const args = ['template', 't', CHART, '--dry-run=server', '--kubeconfig', namespace.kubeconfig, '-f', '-'];
  const { stdout, stderr } = await runTool(await buildTool('helm'), args, { input: JSON.stringify(REQUIRED_VALUES) });
  expect(stderr).toBe('');
  expect(stdout).toContain('kind: Deployment');
  expect(stdout).not.toContain('kind: CustomResourceDefinition');
});
