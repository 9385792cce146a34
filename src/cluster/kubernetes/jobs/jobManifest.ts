/** The manifest of the Job of a ScreenshotJob. One index is one site on one device, or a share of the ads. */
import type { V1Job, V1PodFailurePolicy } from '@kubernetes/client-node';
import type { CaptureProfile } from '../../../contract/captureProfile.ts';
import { CAPTURE_EXIT, ENDED_UNHEARD } from '../../../contract/captureProtocol.ts';
import { FINISHED_TTL_SECONDS } from '../../../contract/screenshotJob.ts';
import { sha256Of } from '../../../lib/sha256.ts';
import type { CaptureJobSpec } from '../../port.ts';
import { CONTAINER, GROUP, LABEL, PROFILE_HASH, QUEUE_LABEL, VERSION } from '../client/names.ts';
import { podTemplate } from './podTemplate.ts';

/** After these exit codes a retry would fail in the same way. */
const FINAL_EXITS = [CAPTURE_EXIT.usage, CAPTURE_EXIT.superseded, CAPTURE_EXIT.refused, CAPTURE_EXIT.deadline];

const exitCodes = (...values: number[]) => ({ containerName: CONTAINER, operator: 'In', values });

const FAILURE_POLICY: V1PodFailurePolicy = {
  rules: [
    // Kubernetes applies the first rule that matches. An eviction costs no retry, whatever the exit code is.
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    // A client deleted the pod. Kubernetes does not count that as a disruption, but the capture has not failed.
    { action: 'Ignore', onExitCodes: exitCodes(CAPTURE_EXIT.terminated, ENDED_UNHEARD) },
    { action: 'FailIndex', onExitCodes: exitCodes(...FINAL_EXITS) },
  ],
};

export interface JobManifestOptions {
  readonly spec: CaptureJobSpec;
  readonly profile: CaptureProfile;
  readonly namespace: string;
  readonly installation: string;
}

export function jobManifest({ spec, profile, namespace, installation }: JobManifestOptions): V1Job {
  const labels = {
    [LABEL.name]: 'tearsheet',
    [LABEL.component]: 'capture',
    [LABEL.installation]: installation,
    [LABEL.organization]: spec.organization,
    [LABEL.screenshotJob]: spec.owner.name,
  };
  const { queueName } = profile;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: spec.name,
      namespace,
      annotations: { [PROFILE_HASH]: profileHash(profile) },
      labels: queueName === undefined ? labels : { ...labels, [QUEUE_LABEL]: queueName },
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
