/** The Job of captures and its pods. A pod loads untrusted pages, so it has no permissions and no secret except a token for its own job. */
import type {
  V1EnvVar,
  V1Job,
  V1PodFailurePolicy,
  V1PodSpec,
  V1PodTemplateSpec,
  V1ResourceRequirements,
  V1Volume,
} from '@kubernetes/client-node';
import { CAPTURE_TOKEN_AUDIENCE, type CaptureProfile } from '../../../contract/captureProfile.ts';
import { CAPTURE_EXIT, ENDED_UNHEARD } from '../../../contract/captureProtocol.ts';
import { FINISHED_TTL_SECONDS } from '../../../contract/screenshotJob.ts';
import { sha256Of } from '../../../lib/sha256.ts';
import { type CaptureJobSpec, FINAL_EXITS } from '../../port.ts';
import { CONTAINER, GROUP, LABEL, PROFILE_HASH, QUEUE_LABEL, QUEUE_PRIORITY_LABEL, VERSION } from '../client/names.ts';

const FAILURE_POLICY: V1PodFailurePolicy = {
  rules: [
    // Kubernetes applies the first rule that matches. An eviction costs no retry, whatever the exit code is.
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    // A client deleted the pod. Kubernetes does not count that as a disruption, but the capture has not failed.
    { action: 'Ignore', onExitCodes: exitCodes(CAPTURE_EXIT.terminated, ENDED_UNHEARD) },
    { action: 'FailIndex', onExitCodes: exitCodes(...FINAL_EXITS) },
  ],
};

interface JobManifestOptions {
  readonly spec: CaptureJobSpec;
  readonly profile: CaptureProfile;
  readonly namespace: string;
  readonly installation: string;
}

/** The cluster notices a lost node after 40 s. After this time it deletes the pod, and another node may do the work. */
const TOLERATED_SECONDS = 30;
/** Added to the deadline of the program, so that the program ends first and its exit code shows the cause. */
const DEADLINE_MARGIN_SECONDS = 30;
/** The cluster autoscaler and Karpenter must not evict a capture to remove its node. */
const KEEP_NODE = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
};
/** A capture that must end needs this long to close its browsers and to write its last log lines. */
const ENDING_SECONDS = 5;
const TOKEN = { folder: '/var/run/secrets/tearsheet', file: 'token', seconds: 3_600 };
/** For files outside of volumes and for logs, unless the profile sets other values. */
const EPHEMERAL_STORAGE = { requests: '256Mi', limits: '2Gi' };

export interface PodTemplateOptions {
  readonly spec: CaptureJobSpec;
  readonly profile: CaptureProfile;
  readonly labels: Readonly<Record<string, string>>;
}

function podTemplate({ spec, profile, labels }: PodTemplateOptions): V1PodTemplateSpec {
  return {
    metadata: {
      labels: { ...profile.podLabels, ...labels },
      annotations: { ...KEEP_NODE, ...profile.podAnnotations },
    },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: spec.podDeadlineSeconds + DEADLINE_MARGIN_SECONDS,
      terminationGracePeriodSeconds: profile.terminationGracePeriodSeconds,
      serviceAccountName: profile.serviceAccountName,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: asGiven(profile.seccompProfile) },
      containers: [container(spec, profile)],
      volumes: volumes(profile),
      ...placement({ spec, profile, labels }),
    },
  };
}

function container(spec: CaptureJobSpec, profile: CaptureProfile): V1PodSpec['containers'][number] {
  return {
    name: CONTAINER,
    image: profile.image,
    imagePullPolicy: profile.imagePullPolicy,
    args: ['capture'],
    env: environment(spec, profile),
    resources: resources(profile),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'shm', mountPath: '/dev/shm' },
      { name: 'token', mountPath: TOKEN.folder, readOnly: true },
      ...asGiven<{ name: string; mountPath: string }[]>(profile.volumeMounts),
    ],
  };
}

/** Variables of the job replace variables of the profile that have the same name. */
function environment(spec: CaptureJobSpec, profile: CaptureProfile): V1EnvVar[] {
  const given = asGiven<V1EnvVar[]>(profile.env);
  const { TEARSHEET_TOKEN: _secret, ...values } = spec.environment;
  const ours: V1EnvVar[] = [
    ...Object.entries(values).map(([name, value]) => ({ name, value })),
    { name: 'TEARSHEET_JOB', value: spec.jobId },
    { name: 'TEARSHEET_POD', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    // Anyone who may read Jobs could read a token in the manifest, so the kubelet puts the token into the pod.
    { name: 'TEARSHEET_TOKEN_FILE', value: `${TOKEN.folder}/${TOKEN.file}` },
    { name: 'TEARSHEET_GRACE_SECONDS', value: String(shutdownGrace(profile)) },
  ];
  const home = given.some(({ name }) => name === 'HOME') ? [] : [{ name: 'HOME', value: '/tmp' }];
  const names = new Set(ours.map(({ name }) => name));
  return [...given.filter(({ name }) => !names.has(name)), ...home, ...ours];
}

/** The grace period of the pod without the time that it needs to end. */
function shutdownGrace({ terminationGracePeriodSeconds }: CaptureProfile): number {
  return Math.max(1, terminationGracePeriodSeconds - ENDING_SECONDS);
}

function resources(profile: CaptureProfile): V1ResourceRequirements {
  const given = asGiven<V1ResourceRequirements>(profile.resources);
  return {
    ...given,
    requests: { 'ephemeral-storage': EPHEMERAL_STORAGE.requests, ...given.requests },
    limits: { 'ephemeral-storage': EPHEMERAL_STORAGE.limits, ...given.limits },
  };
}

function volumes(profile: CaptureProfile): V1Volume[] {
  const { folder: _, file, seconds } = TOKEN;
  const serviceAccountToken = { audience: CAPTURE_TOKEN_AUDIENCE, expirationSeconds: seconds, path: file };
  return [
    { name: 'tmp', emptyDir: { sizeLimit: profile.tmpSize } },
    { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: profile.shmSize } },
    { name: 'token', projected: { sources: [{ serviceAccountToken }] } },
    ...asGiven<V1Volume[]>(profile.volumes),
  ];
}

function placement({ spec, profile, labels }: PodTemplateOptions): Partial<V1PodSpec> {
  const { imagePullSecrets, nodeSelector, affinity, runtimeClassName, schedulerName } = profile;
  const { dnsPolicy, dnsConfig, hostAliases } = profile;
  const priorityClassName = profile.priorityClasses[spec.priority] ?? profile.priorityClassName;
  const lostNode = ['not-ready', 'unreachable'].map((condition) => ({
    key: `node.kubernetes.io/${condition}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: TOLERATED_SECONDS,
  }));
  const spread = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: pick(labels, [LABEL.component, LABEL.installation]) },
  }));
  const constraints = profile.topologySpreadConstraints;
  return {
    imagePullSecrets: [...imagePullSecrets],
    nodeSelector: { ...nodeSelector },
    tolerations: [...lostNode, ...asGiven<object[]>(profile.tolerations)],
    topologySpreadConstraints: constraints.length === 0 ? spread : asGiven(constraints),
    // JSON leaves out what the profile does not set.
    ...asGiven<Partial<V1PodSpec>>({
      ...{ affinity, runtimeClassName, priorityClassName, schedulerName },
      ...{ dnsPolicy, dnsConfig, hostAliases },
    }),
  };
}

function pick(labels: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));
}

/** Types a part of the profile that the API server, and not our schema, validates. */
function asGiven<T>(part: unknown): T {
  return part as T;
}

function exitCodes(...values: number[]) {
  return { containerName: CONTAINER, operator: 'In', values };
}

/** The manifest of the Job of a ScreenshotJob. One index is one site on one device, or a share of the ads. */
export function jobManifest({ spec, profile, namespace, installation }: JobManifestOptions): V1Job {
  const labels = {
    [LABEL.name]: 'tearsheet',
    [LABEL.component]: 'capture',
    [LABEL.installation]: installation,
    [LABEL.organization]: spec.organization,
    [LABEL.screenshotJob]: spec.owner.name,
  };
  const { queueName, queuePriorityClasses } = profile;
  const queuePriority = queuePriorityClasses[spec.priority];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: spec.name,
      namespace,
      annotations: { [PROFILE_HASH]: profileHash(profile) },
      labels: {
        ...labels,
        ...(queueName !== undefined && { [QUEUE_LABEL]: queueName }),
        ...(queueName !== undefined && queuePriority !== undefined && { [QUEUE_PRIORITY_LABEL]: queuePriority }),
      },
      ownerReferences: [owner(spec)],
    },
    spec: {
      completionMode: 'Indexed',
      completions: spec.indexes,
      parallelism: Math.min(spec.parallelism, spec.indexes),
      // maxFailedIndexes is not set, because Kubernetes kills healthy pods when it is reached.
      backoffLimitPerIndex: spec.retriesPerIndex,
      podFailurePolicy: FAILURE_POLICY,
      podReplacementPolicy: 'Failed',
      activeDeadlineSeconds: spec.jobDeadlineSeconds,
      ttlSecondsAfterFinished: FINISHED_TTL_SECONDS,
      // Kueue resumes the Job when it admits it.
      ...(queueName === undefined ? {} : { suspend: true }),
      template: podTemplate({ spec, profile, labels }),
    },
  };
}

/** Two profiles with the same hash create the same pods. */
export function profileHash(profile: CaptureProfile): string {
  return sha256Of(Buffer.from(JSON.stringify(profile))).slice(0, 16);
}

function owner({ owner: { name, uid } }: CaptureJobSpec) {
  const apiVersion = `${GROUP}/${VERSION}`;
  return { apiVersion, kind: 'ScreenshotJob', name, uid, controller: true, blockOwnerDeletion: true };
}
