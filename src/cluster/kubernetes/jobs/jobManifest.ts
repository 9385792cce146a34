/** The Job of a ScreenshotJob: one index is one site on one device, or a share of the ads. */
import type { V1Job, V1PodFailurePolicy } from '@kubernetes/client-node';
import type { CaptureProfile } from '../../../contract/captureProfile.ts';
import { CAPTURE_EXIT, ENDED_UNHEARD } from '../../../contract/captureProtocol.ts';
import type { CaptureJobSpec } from '../../port.ts';
import { CONTAINER, GROUP, LABEL, QUEUE_LABEL, VERSION } from '../client/names.ts';
import { podTemplate } from './podTemplate.ts';

/** A run that ended so would end so again. */
const FINAL = [CAPTURE_EXIT.usage, CAPTURE_EXIT.superseded, CAPTURE_EXIT.refused, CAPTURE_EXIT.deadline];

const exitCodes = (...values: number[]) => ({ containerName: CONTAINER, operator: 'In', values });

const FAILURE_POLICY: V1PodFailurePolicy = {
  rules: [
    // The first rule that fits counts: an eviction costs no retry, whatever the program made of it.
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    // Somebody deleted the pod: Kubernetes calls that no disruption, and the capture has not failed.
    { action: 'Ignore', onExitCodes: exitCodes(CAPTURE_EXIT.terminated, ENDED_UNHEARD) },
    { action: 'FailIndex', onExitCodes: exitCodes(...FINAL) },
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
      labels: queueName === undefined ? labels : { ...labels, [QUEUE_LABEL]: queueName },
      ownerReferences: [owner(spec)],
    },
    spec: {
      completionMode: 'Indexed',
      completions: spec.indexes,
      parallelism: Math.min(spec.parallelism, spec.indexes),
      // No maxFailedIndexes: once it is reached, healthy pods are killed.
      backoffLimitPerIndex: spec.retriesPerIndex,
      podFailurePolicy: FAILURE_POLICY,
      podReplacementPolicy: 'Failed',
      activeDeadlineSeconds: spec.lastBoundSeconds,
      ttlSecondsAfterFinished: profile.ttlSecondsAfterFinished,
      // The queue lets it run when its turn has come.
      ...(queueName === undefined ? {} : { suspend: true }),
      template: podTemplate({ spec, profile, labels }),
    },
  };
}

function owner({ owner: { name, uid } }: CaptureJobSpec) {
  const apiVersion = `${GROUP}/${VERSION}`;
  return { apiVersion, kind: 'ScreenshotJob', name, uid, controller: true, blockOwnerDeletion: true };
}
