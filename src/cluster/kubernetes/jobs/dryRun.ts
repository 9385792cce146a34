/** Asks the API server whether it would accept the captures of a profile, with the namespace's quotas and policies. It stores nothing. */
import type { V1Pod } from '@kubernetes/client-node';
import type { CaptureProfile } from '../../../contract/captureProfile.ts';
import { PRIORITIES, type Priority } from '../../../domain/priorities.ts';
import type { ClusterConnection } from '../client/connection.ts';
import { jobManifest } from './jobManifest.ts';
import { asRefusedError } from './jobWriter.ts';

export interface DryRunOptions {
  readonly connection: ClusterConnection;
  readonly profile: CaptureProfile;
  readonly namespace: string;
  readonly installation: string;
  /** Also tries the pods, which the policies of most clusters are about. It needs the right to create pods. */
  readonly pods: boolean;
}

const NAME = 'tearsheet-check';

/** Tries each priority that has a class of its own. @throws RefusedError */
export async function dryRunCaptures({ connection, pods, ...options }: DryRunOptions): Promise<void> {
  const { batch, core } = connection.apis;
  const request = { namespace: options.namespace, fieldValidation: 'Strict', dryRun: 'All', body: {} };
  try {
    for (const priority of prioritiesOf(options.profile)) {
      const { metadata, ...job } = manifest(priority, options);
      // Its owner does not exist.
      const body = { ...job, metadata: { ...metadata, ownerReferences: [] } };
      await batch.createNamespacedJob(request, connection.options({ body }));
      const { template } = job.spec ?? {};
      const pod: V1Pod = {
        ...template,
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...template?.metadata, name: NAME },
      };
      if (pods) await core.createNamespacedPod(request, connection.options({ body: pod }));
    }
  } catch (error) {
    throw asRefusedError(error, [400, 403, 422]);
  }
}

function prioritiesOf({ priorityClasses, queuePriorityClasses }: CaptureProfile): Priority[] {
  return PRIORITIES.filter(
    (priority) =>
      priority === 'normal' || priorityClasses[priority] !== undefined || queuePriorityClasses[priority] !== undefined,
  );
}

function manifest(priority: Priority, options: Omit<DryRunOptions, 'connection' | 'pods'>) {
  const owner = { name: NAME, uid: '' };
  const limits = { retriesPerIndex: 0, podDeadlineSeconds: 60, jobDeadlineSeconds: 60 };
  const size = { indexes: 1, parallelism: 1, ...limits };
  const spec = { name: NAME, owner, jobId: NAME, organization: 'check', priority, ...size, environment: {} };
  return jobManifest({ spec, ...options });
}
