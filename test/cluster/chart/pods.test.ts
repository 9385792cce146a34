/** The pods of a release: what they read, how they end, and that they pass Pod Security "restricted". */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../../src/config.ts';
import { CaptureProfile } from '../../../src/contract/captureProfile.ts';
import { KeyRing } from '../../../src/lib/keyRing.ts';
import { SHUTDOWN_GRACE_MS } from '../../../src/observe/shutdown.ts';
import { CHART, type Manifest, NAMESPACE, REQUIRED_VALUES, render, type Values } from './rendered.ts';

const podOf = (manifest: Manifest) => manifest['spec'].template.spec;
const containersOf = (manifest: Manifest): Manifest[] => [
  ...(podOf(manifest).initContainers ?? []),
  ...podOf(manifest).containers,
];
const first = (manifest: Manifest) => podOf(manifest).containers[0];

/** A digest, everything extra: what SREs hang on pods. */
const EVERYTHING: Values = {
  image: { repository: 'registry.example.com/tearsheet', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  settings: { LOG_LEVEL: 'debug', RATE_LIMIT_PER_SECOND: 1_000_000, NAVIGATION_TIMEOUT_MS: 5_000 },
  egress: { allow: ['10.1.0.0/16', 'fd00::/8'] },
  capture: {
    nodeSelector: { pool: 'captures' },
    tolerations: [{ key: 'captures', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    runtimeClassName: 'gvisor',
    priorityClassName: 'low',
    priorityClasses: { high: 'urgent' },
    queuePriorityClasses: { low: 'bulk' },
    schedulerName: 'other',
    queueName: 'captures',
    dnsPolicy: 'ClusterFirst',
    dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
    hostAliases: [{ ip: '10.1.2.3', hostnames: ['staging.example.com'] }],
    podLabels: { team: 'ads' },
    podAnnotations: { note: 'here' },
    extraEnv: [{ name: 'TZ', value: 'UTC' }],
    extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
    extraVolumeMounts: [{ name: 'ca', mountPath: '/ca' }],
  },
};

describe('every pod', () => {
  it.each<[string, Values, string?]>([
    ['a trial', {}, 'values-trial.yaml'],
    ['the production example', {}, 'values-production.yaml'],
    ['all optional values', EVERYTHING],
  ])('every pod of %s runs without root, rights and a writable root file system', async (_case, values, example) => {
    const { workloads } = await render(values, example).then((rendered) => ({ workloads: rendered.workloads() }));
    expect(workloads.length).toBeGreaterThanOrEqual(3);
    for (const workload of workloads) {
      expect(podOf(workload)).toMatchObject({
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const container of containersOf(workload)) {
        expect(container['securityContext']).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container['resources']).toMatchObject({ requests: { memory: expect.anything() }, limits: {} });
        expect(container['volumeMounts']).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
      }
    }
  });

  it('every pod runs the image by its digest and pulls it with the secret that the values name', async () => {
    const rendered = await render(EVERYTHING);
    for (const workload of rendered.workloads()) {
      expect(podOf(workload).imagePullSecrets).toEqual([{ name: 'registry' }]);
      for (const { image } of containersOf(workload) as unknown as { image: string }[])
        expect(image).toBe(`registry.example.com/tearsheet@sha256:${'a'.repeat(64)}`);
    }
  });

  it('the main container of a pod is the default container of kubectl', async () => {
    const rendered = await render();
    for (const component of ['api', 'controller']) {
      const { annotations } = rendered.get('Deployment', component)['spec'].template.metadata;
      expect(annotations).toMatchObject({ 'kubectl.kubernetes.io/default-container': component });
    }
  });

  it('a pod runs the version of the chart if the values name no tag', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(first((await render()).get('Deployment', 'api')).image).toBe(`tearsheet:${version}`);
  });

  it('pods get only settings that the program knows', async () => {
    const rendered = await render(EVERYTHING);
    const known = new Set(Object.keys(SETTINGS));
    const unknown = Object.keys(rendered.settings()).filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
    const env: { name: string }[] = first(rendered.get('Deployment', 'api')).env;
    expect(env.map(({ name }) => name).filter((name) => !known.has(name) && !name.startsWith('AWS_'))).toEqual([]);
  });
});

test('large numbers are written without an exponent', async () => {
  const settings = (await render({ ...EVERYTHING, capture: { maxPods: 1_500_000 } })).settings();
  expect(settings).toMatchObject({ RATE_LIMIT_PER_SECOND: '1000000', MAX_PODS: '1500000', CAPTURE_RETRIES: '3' });
});

describe('pods are replaced', () => {
  const template = async (values: Values, component: string) =>
    (await render(values)).get('Deployment', component)['spec'].template;

  it.each<[string, Values, string]>([
    ['a setting changes', { settings: { LOG_LEVEL: 'debug' } }, 'api'],
    ['the database moves', { database: { url: 'postgres://other/db' } }, 'api'],
    ['the capture profile changes', { capture: { shmSize: '1Gi' } }, 'controller'],
  ])('pods are replaced if %s', async (_case, values, component) => {
    expect(await template(values, component)).not.toEqual(await template({}, component));
  });

  it('pods are kept if only values change that they do not read', async () => {
    expect(await template({ capture: { shmSize: '1Gi' } }, 'api')).toEqual(await template({}, 'api'));
  });
});

describe('a Deployment', () => {
  it.each(['api', 'controller'])(
    'the Deployment of the %s has the annotations, strategy and host names of its values',
    async (component) => {
      const own = {
        deploymentAnnotations: { 'reloader.stakater.com/auto': 'true' },
        strategy: { type: 'Recreate' },
        dnsPolicy: 'None',
        dnsConfig: { nameservers: ['10.0.0.10'] },
        hostAliases: [{ ip: '10.1.2.3', hostnames: ['db'] }],
      };
      const deployment = (await render({ pods: own })).get('Deployment', component);
      const { deploymentAnnotations: annotations, strategy, ...ofPods } = own;
      expect(deployment.metadata).toMatchObject({ annotations });
      expect(deployment['spec']).toMatchObject({ strategy, revisionHistoryLimit: 3 });
      expect(podOf(deployment)).toMatchObject(ofPods);
      const plain = (await render()).get('Deployment', component);
      expect(plain.metadata.annotations).toBeUndefined();
      expect(Object.keys(podOf(plain)).filter((key) => key in ofPods)).toEqual([]);
    },
  );
});

describe('graceful termination', () => {
  it('the grace period of a pod covers the time that the program takes to shut down', async () => {
    const rendered = await render();
    const seconds = SHUTDOWN_GRACE_MS / 1_000;
    const api = rendered.get('Deployment', 'api');
    // Both servers have it, one after the other, after the Service has forgotten the pod.
    expect(first(api).lifecycle.preStop).toEqual({ sleep: { seconds: 5 } });
    expect(podOf(api).terminationGracePeriodSeconds).toBeGreaterThan(5 + 2 * seconds);
    expect(podOf(rendered.get('Deployment', 'controller')).terminationGracePeriodSeconds).toBeGreaterThan(seconds);
  });

  it('a new API pod starts before an old one is terminated', async () => {
    const { spec } = (await render()).get('Deployment', 'api');
    expect(spec['strategy']).toMatchObject({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  });

  it('the probes of a pod use the metrics port', async () => {
    const api = first((await render()).get('Deployment', 'api'));
    expect(api.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'metrics' });
    expect(api.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'metrics' });
    expect(api.ports).toContainEqual({ name: 'metrics', containerPort: 9090 });
  });
});

describe('the capture profile', () => {
  const profileOf = async (values: Values, example?: string) =>
    CaptureProfile.parse(
      JSON.parse((await render(values, example)).get('ConfigMap', 'capture-profile')['data']['profile.json']),
    );

  it.each<[string, Values, string?]>([
    ['a trial', {}, 'values-trial.yaml'],
    ['the production example', {}, 'values-production.yaml'],
    ['the minimal values', {}],
  ])('the capture profile of %s is valid for the controller', async (_case, values, example) => {
    const profile = await profileOf(values, example);
    expect(profile).toMatchObject({
      serviceAccountName: 't-tearsheet-capture',
      seccompProfile: { type: 'RuntimeDefault' },
    });
  });

  it('the capture profile contains all capture values', async () => {
    expect(await profileOf(EVERYTHING)).toMatchObject({
      image: `registry.example.com/tearsheet@sha256:${'a'.repeat(64)}`,
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { pool: 'captures' },
      tolerations: [{ key: 'captures', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      runtimeClassName: 'gvisor',
      priorityClassName: 'low',
      schedulerName: 'other',
      queueName: 'captures',
      dnsPolicy: 'ClusterFirst',
      dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
      hostAliases: [{ ip: '10.1.2.3', hostnames: ['staging.example.com'] }],
      podLabels: { team: 'ads', 'app.kubernetes.io/instance': 't' },
      podAnnotations: { note: 'here' },
      volumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      volumeMounts: [{ name: 'ca', mountPath: '/ca' }],
    });
  });

  it('the capture profile contains the settings for captures, and none for the database or the artifact store', async () => {
    const { env } = await profileOf(EVERYTHING);
    expect(env).toEqual([
      { name: 'LOG_LEVEL', value: 'debug' },
      { name: 'EGRESS_ALLOW', value: '10.1.0.0/16,fd00::/8' },
      { name: 'NAVIGATION_TIMEOUT_MS', value: '5000' },
      { name: 'TZ', value: 'UTC' },
    ]);
  });

  it('the capture profile contains every setting of the group Capture in docs/configuration.md', async () => {
    const names = Object.entries(SETTINGS).filter(([, { group }]) => group === 'Capture');
    // The image says where its browser is.
    const given = names.map(([name]) => name).filter((name) => name !== 'CHROMIUM_PATH');
    const valid: Values = { LOG_LEVEL: 'debug', CHROMIUM_SANDBOX: 'off', NAVIGATION_TIMEOUT_MS: 5_000 };
    const { env } = await profileOf({ settings: Object.fromEntries(given.map((name) => [name, valid[name] ?? ''])) });
    expect(env.map(({ name }) => name).sort()).toEqual(given.sort());
  });

  it('the capture profile leaves out fields that the values set to null', async () => {
    const profile = await profileOf({ capture: { nodeSelector: null } }, 'values-production.yaml');
    expect(profile.nodeSelector).toEqual({});
  });

  it('the capture profile is mounted at the path in CAPTURE_PROFILE', async () => {
    const rendered = await render();
    const controller = rendered.get('Deployment', 'controller');
    expect(rendered.settings()['CAPTURE_PROFILE']).toBe('/etc/tearsheet/capture/profile.json');
    expect(first(controller).volumeMounts).toContainEqual({
      name: 'capture-profile',
      mountPath: '/etc/tearsheet/capture',
      readOnly: true,
    });
    expect(podOf(controller).volumes).toContainEqual({
      name: 'capture-profile',
      configMap: { name: rendered.get('ConfigMap', 'capture-profile').metadata.name },
    });
  });
});

/** As Helm writes JSON: by the names of the fields. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, sorted(part)]));
}

describe('secrets', () => {
  it('a changed secret replaces pods, and the checksum in a pod does not reveal a password', async () => {
    const defaults = parse(readFileSync(path.join(CHART, 'values.yaml'), 'utf8'));
    const sums = async (password: string) => {
      const url = `postgres://user:${password}@db.example.com/tearsheet`;
      const rendered = await render({ database: { url } });
      const guess = sorted([
        { ...defaults.database, url },
        { ...defaults.artifacts, ...REQUIRED_VALUES.artifacts },
      ]);
      return {
        checksum: rendered.get('Deployment', 'api')['spec'].template.metadata.annotations['checksum/secrets'],
        guess: createHash('sha256').update(JSON.stringify(guess)).digest('hex'),
      };
    };
    const [one, again, other] = [await sums('pass'), await sums('pass'), await sums('word')];
    expect(one.checksum).toMatch(/^[0-9a-f]{64}$/);
    expect(again.checksum).toBe(one.checksum);
    expect(other.checksum).not.toBe(one.checksum);
    expect(one.checksum).not.toBe(one.guess);
  });

  const names = async (values: Values) =>
    (await render(values)).all.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name);

  it('secrets of the values are stored in Secrets of the release', async () => {
    const artifacts = { accessKeyId: 'id', secretAccessKey: 'secret' };
    const rendered = await render({ artifacts });
    expect(rendered.get('Secret', 'database')['stringData'].DATABASE_URL).toContain('db.example.com');
    expect(rendered.get('Secret', 'artifacts')['stringData']).toEqual({
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
    });
    const plain = rendered.all.filter(({ kind }) => kind !== 'Secret');
    expect(JSON.stringify(plain)).not.toMatch(/user:pass/);
  });

  it('the chart makes an immutable key for stored secrets, and keeps it with the database', async () => {
    const made = (await render({})).get('Secret', 'secrets-keys');
    expect(KeyRing.parse(made['stringData'].SECRETS_KEYS).currentId).toMatch(/^[a-z0-9]{8}$/);
    expect(made['immutable']).toBe(true);
    expect(made.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  });

  it('existing Secrets are used instead of new ones', async () => {
    const values = {
      database: { url: '', existingSecret: 'db', existingSecretKey: 'uri' },
      artifacts: { existingSecret: 's3' },
      secretsKeys: { existingSecret: 'keys', existingSecretKey: 'ring' },
    };
    expect(await names(values)).toEqual([]);
    const rendered = await render(values);
    for (const component of ['api', 'controller'])
      for (const container of containersOf(rendered.get('Deployment', component))) {
        const env: { name: string; valueFrom: unknown }[] = container['env'];
        expect(env).toContainEqual({ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'db', key: 'uri' } } });
        expect(env).toContainEqual({
          name: 'SECRETS_KEYS',
          valueFrom: { secretKeyRef: { name: 'keys', key: 'ring' } },
        });
        expect(env).toContainEqual({
          name: 'AWS_SECRET_ACCESS_KEY',
          valueFrom: { secretKeyRef: { name: 's3', key: 'AWS_SECRET_ACCESS_KEY' } },
        });
      }
  });

  it('secrets for the artifact store are absent if the cloud gives pods their identity', async () => {
    const rendered = await render({ api: { serviceAccount: { annotations: { role: 'arn' } } } });
    expect(rendered.find('Secret', 'artifacts')).toBeUndefined();
    expect(rendered.get('ServiceAccount', 'api').metadata.annotations).toEqual({ role: 'arn' });
  });
});

describe('a trial', () => {
  it('a trial connects to its PostgreSQL with the password in the Secret', async () => {
    const rendered = await render({ trial: { postgres: { password: 'p/ss' } } }, 'values-trial.yaml');
    expect(rendered.get('Secret', 'database')['stringData']).toEqual({
      PASSWORD: 'p/ss',
      DATABASE_URL: 'postgres://postgres:p%2Fss@t-tearsheet-postgres:5432/tearsheet',
    });
    expect(first(rendered.get('StatefulSet', 'postgres')).args).toContain('trial-postgres');
  });

  it('a trial stores data and pictures on volume claims if sizes are set, and runs the controller on the node of the API', async () => {
    const values = { trial: { postgres: { size: '1Gi' } }, artifacts: { folder: { size: '2Gi' } } };
    const rendered = await render(values, 'values-trial.yaml');
    expect(rendered.get('StatefulSet', 'postgres')['spec'].volumeClaimTemplates).toHaveLength(1);
    const claim = rendered.get('PersistentVolumeClaim', 'pictures');
    expect(claim.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    // Data that outlives the release accepts only its first password.
    expect(rendered.get('Secret', 'database').metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    const volume = { name: 'pictures', persistentVolumeClaim: { claimName: 't-tearsheet-pictures' } };
    for (const component of ['api', 'controller'])
      expect(podOf(rendered.get('Deployment', component)).volumes).toContainEqual(volume);
    expect(podOf(rendered.get('Deployment', 'controller')).affinity.podAffinity).toBeDefined();
    expect(podOf(rendered.get('Deployment', 'api')).affinity).toBeUndefined();
  });
});

test('each object of a release has its labels and its namespace', async () => {
  const { all } = await render({ commonLabels: { team: 'ads' } }, 'values-production.yaml');
  for (const { kind, metadata } of all) {
    expect(metadata.labels, `${kind} ${metadata.name}`).toMatchObject({
      'app.kubernetes.io/name': 'tearsheet',
      'app.kubernetes.io/instance': 't',
      team: 'ads',
    });
    if (kind.startsWith('ClusterRole')) expect(metadata.name).toMatch(new RegExp(`^${NAMESPACE}:`));
  }
});

describe('the internal API by HTTPS', () => {
  const TLS: Values = { api: { internalTls: { existingSecret: 'internal-cert' } } };
  const profileOf = (rendered: Awaited<ReturnType<typeof render>>) =>
    CaptureProfile.parse(JSON.parse(rendered.get('ConfigMap', 'capture-profile')['data']['profile.json']));

  it('the API gets the certificate and key of the internal API, and captures get only the CA certificate', async () => {
    const rendered = await render(TLS);
    const api = podOf(rendered.get('Deployment', 'api'));
    expect(api.volumes).toContainEqual({ name: 'internal-tls', secret: { secretName: 'internal-cert' } });
    expect(api.containers[0].volumeMounts).toContainEqual({
      ...{ name: 'internal-tls', mountPath: '/etc/tearsheet/internal-tls', readOnly: true },
    });
    const { data } = rendered.get('ConfigMap', 'settings');
    expect(data).toMatchObject({
      INTERNAL_URL: 'https://t-tearsheet-internal:8081',
      INTERNAL_TLS_FOLDER: '/etc/tearsheet/internal-tls',
    });
    const { env, volumes, volumeMounts } = profileOf(rendered);
    expect(env).toContainEqual({ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/tearsheet/internal-ca/ca.crt' });
    const items = [{ key: 'ca.crt', path: 'ca.crt' }];
    expect(volumes).toEqual([{ name: 'internal-ca', secret: { secretName: 'internal-cert', items } }]);
    expect(volumeMounts).toEqual([{ name: 'internal-ca', mountPath: '/etc/tearsheet/internal-ca', readOnly: true }]);
    const controller = podOf(rendered.get('Deployment', 'controller'));
    expect(JSON.stringify(controller.volumes)).not.toContain('internal-cert');
  });

  it('captures keep a certificate bundle from the values besides HTTPS for the internal API', async () => {
    const extraEnv = [{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca/all.crt' }];
    const { env } = profileOf(await render({ ...TLS, capture: { extraEnv } }));
    expect(env.filter(({ name }) => name === 'NODE_EXTRA_CA_CERTS')).toEqual(extraEnv);
  });

  it('HTTPS for the internal API is disabled by default', async () => {
    const rendered = await render();
    const { data } = rendered.get('ConfigMap', 'settings');
    expect(data.INTERNAL_URL).toBe('http://t-tearsheet-internal:8081');
    expect(Object.keys(data)).not.toContain('INTERNAL_TLS_FOLDER');
    expect(profileOf(rendered).volumes).toEqual([]);
  });
});
