/**
 * What the pods of captures look like in this installation: node selectors, resources, images. The chart renders it into a
 * ConfigMap as JSON; the controller reads that file (`CAPTURE_PROFILE`). Parts that Kubernetes defines are passed on as they are.
 */
import { z } from 'zod';

/** An object or a list whose shape is Kubernetes' own; the API server judges it. */
const asKubernetes = z.record(z.string(), z.unknown());
const labels = z.record(z.string(), z.string());

export const CaptureProfile = z.strictObject({
  image: z.string().min(1),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent'),
  imagePullSecrets: z.array(z.strictObject({ name: z.string() })).default([]),
  /** Of an account without rights; its projected token is all that a pod can show. */
  serviceAccountName: z.string().min(1),
  /** Of the token that the internal API asks for. */
  tokenAudience: z.string().default('tearsheet-internal'),
  resources: asKubernetes.default({}),
  /** Quantities: of the memory-backed /dev/shm, and of /tmp. */
  shmSize: z.string().default('256Mi'),
  tmpSize: z.string().default('1Gi'),
  /** Whole, as `{"type":"RuntimeDefault"}`. */
  seccompProfile: asKubernetes.default({ type: 'RuntimeDefault' }),
  /** The capture is told to be done 5 s before. */
  terminationGracePeriodSeconds: z.number().int().min(6).default(30),
  ttlSecondsAfterFinished: z.number().int().min(0).default(3_600),
  /** Settings of the capture program: names of docs/configuration.md. */
  env: z.array(asKubernetes).default([]),
  nodeSelector: labels.default({}),
  tolerations: z.array(asKubernetes).default([]),
  affinity: asKubernetes.optional(),
  topologySpreadConstraints: z.array(asKubernetes).default([]),
  runtimeClassName: z.string().optional(),
  priorityClassName: z.string().optional(),
  schedulerName: z.string().optional(),
  dnsPolicy: z.string().optional(),
  dnsConfig: asKubernetes.optional(),
  hostAliases: z.array(asKubernetes).optional(),
  /** A Kueue LocalQueue: the Job is made suspended and with its label. */
  queueName: z.string().optional(),
  podLabels: labels.default({}),
  podAnnotations: labels.default({}),
  volumes: z.array(asKubernetes).default([]),
  volumeMounts: z.array(asKubernetes).default([]),
});
export type CaptureProfile = z.infer<typeof CaptureProfile>;
