/**
 * The capture profile: how an installation configures the pods of its captures, for example image, resources and node selector. The chart
 * renders it into a ConfigMap as JSON, and the controller reads that file (`CAPTURE_PROFILE`). Parts that Kubernetes defines are passed to
 * the API server unchanged.
 */
import { z } from 'zod';
import { PRIORITIES } from '../domain/priorities.ts';

/** An object that Kubernetes defines. The API server validates it. */
const asKubernetes = z.record(z.string(), z.unknown());
const labels = z.record(z.string(), z.string());
const byPriority = z.partialRecord(z.enum(PRIORITIES), z.string().min(1)).default({});

/** The audience of the tokens of capture pods. The internal API accepts no other. */
export const CAPTURE_TOKEN_AUDIENCE = 'tearsheet-internal';

export const CaptureProfile = z.strictObject({
  image: z.string().min(1),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent'),
  imagePullSecrets: z.array(z.strictObject({ name: z.string() })).default([]),
  /** A service account without permissions. Its projected token identifies the pod. */
  serviceAccountName: z.string().min(1),
  resources: asKubernetes.default({}),
  /** Sizes of /dev/shm, which is in memory, and of /tmp, as Kubernetes quantities. */
  shmSize: z.string().default('256Mi'),
  tmpSize: z.string().default('1Gi'),
  /** The complete profile, for example `{"type":"RuntimeDefault"}`. */
  seccompProfile: asKubernetes.default({ type: 'RuntimeDefault' }),
  /** The capture stops its work 5 s before the end of this period. */
  terminationGracePeriodSeconds: z.number().int().min(6).default(30),
  /** Settings of the capture program; see docs/configuration.md. */
  env: z.array(asKubernetes).default([]),
  nodeSelector: labels.default({}),
  tolerations: z.array(asKubernetes).default([]),
  affinity: asKubernetes.optional(),
  topologySpreadConstraints: z.array(asKubernetes).default([]),
  runtimeClassName: z.string().optional(),
  priorityClassName: z.string().optional(),
  /** PriorityClasses by priority of the set, before `priorityClassName`. */
  priorityClasses: byPriority,
  schedulerName: z.string().optional(),
  dnsPolicy: z.string().optional(),
  dnsConfig: asKubernetes.optional(),
  hostAliases: z.array(asKubernetes).optional(),
  /** Name of a Kueue LocalQueue. The Job is created suspended and with the label of the queue. */
  queueName: z.string().optional(),
  /** WorkloadPriorityClasses of Kueue by priority of the set. */
  queuePriorityClasses: byPriority,
  podLabels: labels.default({}),
  podAnnotations: labels.default({}),
  volumes: z.array(asKubernetes).default([]),
  volumeMounts: z.array(asKubernetes).default([]),
});
export type CaptureProfile = z.infer<typeof CaptureProfile>;
