import { describe, expect, test } from 'vitest';
import { jobManifest } from '../../../../../src/cluster/kubernetes/jobs/jobManifest.ts';
import type { CaptureJobSpec } from '../../../../../src/cluster/port.ts';
import { CaptureProfile } from '../../../../../src/contract/captureProfile.ts';
import { required } from '../../../../support/required.ts';

const INSTALLATION = '0d4a3f6e-57a1-4f3e-9a7a-d1c1d6c9d7f0';
const SPEC: CaptureJobSpec = {
  name: 'set-1-2',
  owner: { name: 'set-1', uid: '6f0e8a9c-3a57-4f0e-9c07-2a1c6bd0a001' },
  jobId: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
  organization: 'acme',
  priority: 'normal',
  indexes: 5,
  parallelism: 3,
  retriesPerIndex: 2,
  podDeadlineSeconds: 300,
  jobDeadlineSeconds: 7_200,
  environment: { TEARSHEET_INTERNAL_URL: 'http://api.tearsheet:8081', TEARSHEET_TOKEN: 'a secret' },
};

function build({ profile = {}, spec = {} }: { profile?: object; spec?: Partial<CaptureJobSpec> } = {}) {
  const manifest = jobManifest({
    spec: { ...SPEC, ...spec },
    profile: CaptureProfile.parse({ image: 'tearsheet:1', serviceAccountName: 'capture', ...profile }),
    namespace: 'shots',
    installation: INSTALLATION,
  });
  // As the API server gets it.
  const job: typeof manifest = JSON.parse(JSON.stringify(manifest));
  const pod = required(job.spec?.template.spec);
  return { job, pod, template: required(job.spec?.template), container: required(pod.containers[0]) };
}

const envOf = (options?: Parameters<typeof build>[0]) =>
  (build(options).container.env ?? []).map(({ name, value, valueFrom }) => [
    name,
    value ?? valueFrom?.fieldRef?.fieldPath,
  ]);

describe('the manifest of a Job', () => {
  test('a capture Job is an Indexed Job whose indexes fail independently', () => {
    expect(build().job.spec).toMatchObject({
      ...{ completionMode: 'Indexed', completions: 5, parallelism: 3, backoffLimitPerIndex: 2 },
      ...{ podReplacementPolicy: 'Failed', activeDeadlineSeconds: 7_200, ttlSecondsAfterFinished: 3_600 },
    });
  });

  test('a Job never runs more pods than it has indexes', () => {
    expect(build({ spec: { indexes: 2 } }).job.spec?.parallelism).toBe(2);
  });

  test('a disruption or a termination counts as no retry, and a final exit is not repeated', () => {
    expect(build().job.spec?.podFailurePolicy).toEqual({
      rules: [
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        { action: 'Ignore', onExitCodes: { containerName: 'capture', operator: 'In', values: [43, 143] } },
        { action: 'FailIndex', onExitCodes: { containerName: 'capture', operator: 'In', values: [2, 40, 41, 42] } },
      ],
    });
  });

  test('a Job has no field that kills healthy pods or selects another Job controller', () => {
    const { spec } = build({ profile: { queueName: 'captures' } }).job;
    expect(spec).not.toHaveProperty('maxFailedIndexes');
    expect(spec).not.toHaveProperty('backoffLimit');
    expect(spec).not.toHaveProperty('managedBy');
  });

  test('a Job has its ScreenshotJob as owner, and labels of installation and organization', () => {
    const { metadata } = build().job;
    expect(metadata).toMatchObject({ name: 'set-1-2', namespace: 'shots' });
    expect(metadata?.ownerReferences).toEqual([
      {
        ...{ apiVersion: 'tearsheet.dev/v1alpha1', kind: 'ScreenshotJob', name: 'set-1', uid: SPEC.owner.uid },
        ...{ controller: true, blockOwnerDeletion: true },
      },
    ]);
    expect(metadata?.labels).toEqual({
      'app.kubernetes.io/name': 'tearsheet',
      'app.kubernetes.io/component': 'capture',
      'tearsheet.dev/installation': INSTALLATION,
      'tearsheet.dev/organization': 'acme',
      'tearsheet.dev/screenshotjob': 'set-1',
    });
  });

  test('a Job is suspended only if the profile names a queue', () => {
    const queued = build({ profile: { queueName: 'captures' } }).job;
    expect(queued.spec?.suspend).toBe(true);
    expect(queued.metadata?.labels?.['kueue.x-k8s.io/queue-name']).toBe('captures');
    expect(build().job.spec).not.toHaveProperty('suspend');
    expect(Object.keys(build().job.metadata?.labels ?? {}).join()).not.toContain('kueue');
  });
});

describe('the pods of a Job', () => {
  test('capture pods have no privileges', () => {
    const { pod, container } = build();
    expect(pod).toMatchObject({
      ...{ restartPolicy: 'Never', automountServiceAccountToken: false, enableServiceLinks: false },
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container.securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ['ALL'] },
    });
    for (const key of ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace'])
      expect(pod).not.toHaveProperty(key);
  });

  test('capture pods have a token for the internal API and no other secret', () => {
    const { pod, job } = build();
    const token = pod.volumes?.find(({ name }) => name === 'token');
    expect(token?.projected?.sources).toEqual([
      { serviceAccountToken: { audience: 'tearsheet-internal', expirationSeconds: 3_600, path: 'token' } },
    ]);
    expect(JSON.stringify(job)).not.toContain('a secret');
    expect(envOf()).toContainEqual(['TEARSHEET_TOKEN_FILE', '/var/run/secrets/tearsheet/token']);
  });

  test('capture pods have limits of time, of memory-backed storage and of other storage', () => {
    const { pod, container } = build({
      profile: { shmSize: '1Gi', tmpSize: '3Gi', terminationGracePeriodSeconds: 45 },
    });
    // The program's own deadline of 300 s must come first.
    expect(pod).toMatchObject({ activeDeadlineSeconds: 330, terminationGracePeriodSeconds: 45 });
    expect(pod.volumes?.slice(0, 2)).toEqual([
      { name: 'tmp', emptyDir: { sizeLimit: '3Gi' } },
      { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
    ]);
    expect(container.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual([
      '/tmp',
      '/dev/shm',
      '/var/run/secrets/tearsheet',
    ]);
    expect(container.resources?.limits).toEqual({ 'ephemeral-storage': '2Gi' });
  });

  test('capture pods keep the resources of the profile, including its limit of storage', () => {
    const resources = {
      requests: { cpu: '1' },
      limits: { memory: '2Gi', 'ephemeral-storage': '5Gi' },
      claims: [{ name: 'gpu' }],
    };
    expect(build({ profile: { resources } }).container.resources).toEqual({
      requests: { cpu: '1', 'ephemeral-storage': '256Mi' },
      limits: { memory: '2Gi', 'ephemeral-storage': '5Gi' },
      claims: [{ name: 'gpu' }],
    });
  });

  test('capture pods get the identity of their job and pod from the environment', () => {
    expect(envOf()).toEqual([
      ['HOME', '/tmp'],
      ['TEARSHEET_INTERNAL_URL', 'http://api.tearsheet:8081'],
      ['TEARSHEET_JOB', SPEC.jobId],
      ['TEARSHEET_POD', 'metadata.uid'],
      ['TEARSHEET_TOKEN_FILE', '/var/run/secrets/tearsheet/token'],
      ['TEARSHEET_GRACE_SECONDS', '25'],
    ]);
  });

  test.each([
    [6, '1'],
    [60, '55'],
  ])('capture pods with a grace period of %i s must shut down in %s s', (terminationGracePeriodSeconds, grace) => {
    const env = [{ name: 'TEARSHEET_GRACE_SECONDS', value: '25' }];
    const said = envOf({ profile: { terminationGracePeriodSeconds, env } }).filter(
      ([name]) => name === 'TEARSHEET_GRACE_SECONDS',
    );
    expect(said).toEqual([['TEARSHEET_GRACE_SECONDS', grace]]);
  });

  test('capture pods take settings of the profile, except those that identify the pod', () => {
    const env = [
      { name: 'HOME', value: '/var/tmp' },
      { name: 'TEARSHEET_JOB', value: 'another' },
      { name: 'LOG_LEVEL', value: 'debug' },
    ];
    const names = envOf({ profile: { env } });
    expect(names.filter(([name]) => name === 'TEARSHEET_JOB')).toEqual([['TEARSHEET_JOB', SPEC.jobId]]);
    expect(names).toContainEqual(['HOME', '/var/tmp']);
    expect(names.filter(([name]) => name === 'HOME')).toHaveLength(1);
    expect(names).toContainEqual(['LOG_LEVEL', 'debug']);
  });

  test('capture pods leave a lost node after 30 s, and spread over zones and nodes', () => {
    const { pod } = build();
    expect(pod.tolerations).toEqual(
      ['not-ready', 'unreachable'].map((condition) => ({
        ...{ key: `node.kubernetes.io/${condition}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
      })),
    );
    expect(pod.topologySpreadConstraints).toEqual(
      ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
        ...{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway' },
        labelSelector: {
          matchLabels: { 'app.kubernetes.io/component': 'capture', 'tearsheet.dev/installation': INSTALLATION },
        },
      })),
    );
  });

  test('capture pods write the cause of their end into the termination message', () => {
    expect(build().container.terminationMessagePolicy).toBe('FallbackToLogsOnError');
  });

  test('capture pods keep our labels if the profile sets the same ones', () => {
    const profile = { podLabels: { team: 'ads', 'app.kubernetes.io/name': 'x' }, podAnnotations: { note: 'n' } };
    expect(build({ profile }).template.metadata).toMatchObject({
      labels: { team: 'ads', 'app.kubernetes.io/name': 'tearsheet', 'tearsheet.dev/screenshotjob': 'set-1' },
      annotations: {
        ...{ note: 'n', 'karpenter.sh/do-not-disrupt': 'true' },
        'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
      },
    });
  });

  test('the priority of a set chooses the priority class of its pods, and that of its Job in a queue of Kueue', () => {
    const profile = {
      ...{ priorityClassName: 'captures', priorityClasses: { high: 'urgent' } },
      ...{ queueName: 'captures', queuePriorityClasses: { low: 'bulk' } },
    };
    const classesOf = (priority: CaptureJobSpec['priority']) => {
      const { job, pod } = build({ profile, spec: { priority } });
      return [pod.priorityClassName, job.metadata?.labels?.['kueue.x-k8s.io/priority-class']];
    };
    expect(classesOf('high')).toEqual(['urgent', undefined]);
    expect(classesOf('low')).toEqual(['captures', 'bulk']);
    const { pod, job } = build({ spec: { priority: 'low' }, profile: { queuePriorityClasses: { low: 'bulk' } } });
    expect(pod).not.toHaveProperty('priorityClassName');
    expect(Object.keys(job.metadata?.labels ?? {}).join()).not.toContain('kueue');
  });

  test.each<[field: string, profile: object, expected: object]>([
    ['imagePullSecrets', { imagePullSecrets: [{ name: 'r' }] }, { imagePullSecrets: [{ name: 'r' }] }],
    ['serviceAccountName', {}, { serviceAccountName: 'capture' }],
    [
      'seccompProfile',
      { seccompProfile: { type: 'Localhost', localhostProfile: 'c.json' } },
      {
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'Localhost', localhostProfile: 'c.json' } },
      },
    ],
    ['nodeSelector', { nodeSelector: { pool: 'shots' } }, { nodeSelector: { pool: 'shots' } }],
    ['affinity', { affinity: { nodeAffinity: { a: 1 } } }, { affinity: { nodeAffinity: { a: 1 } } }],
    [
      'topologySpreadConstraints',
      { topologySpreadConstraints: [{ maxSkew: 2 }] },
      { topologySpreadConstraints: [{ maxSkew: 2 }] },
    ],
    ['runtimeClassName', { runtimeClassName: 'gvisor' }, { runtimeClassName: 'gvisor' }],
    ['priorityClassName', { priorityClassName: 'low' }, { priorityClassName: 'low' }],
    ['schedulerName', { schedulerName: 'ours' }, { schedulerName: 'ours' }],
    ['dnsPolicy', { dnsPolicy: 'None' }, { dnsPolicy: 'None' }],
    ['dnsConfig', { dnsConfig: { nameservers: ['10.0.0.10'] } }, { dnsConfig: { nameservers: ['10.0.0.10'] } }],
    ['hostAliases', { hostAliases: [{ ip: '10.0.0.1' }] }, { hostAliases: [{ ip: '10.0.0.1' }] }],
    ['tolerations', { tolerations: [{ key: 'spot' }] }, { tolerations: expect.arrayContaining([{ key: 'spot' }]) }],
    [
      'volumes',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumes: expect.arrayContaining([{ name: 'v', emptyDir: {} }]) },
    ],
  ])('capture pods take %s from the profile', (_field, profile, expected) => {
    expect(build({ profile }).pod).toMatchObject(expected);
  });

  test('a Job takes image, pull policy and mounts from the profile', () => {
    const mount = { name: 'v', mountPath: '/v' };
    const profile = {
      imagePullPolicy: 'Always',
      volumeMounts: [mount],
    };
    const { container, pod } = build({ profile });
    expect(container).toMatchObject({
      name: 'capture',
      image: 'tearsheet:1',
      imagePullPolicy: 'Always',
      args: ['capture'],
    });
    expect(container.volumeMounts).toContainEqual(mount);
    expect(JSON.stringify(pod.volumes)).toContain('"audience":"tearsheet-internal"');
  });

  test('capture pods have no fields that the profile does not set', () => {
    const { pod } = build();
    const keys = [
      'affinity',
      'runtimeClassName',
      'priorityClassName',
      'schedulerName',
      'dnsPolicy',
      'dnsConfig',
      'hostAliases',
    ];
    for (const key of keys) expect(pod).not.toHaveProperty(key);
  });
});
