/** Creates, resizes and deletes Jobs. Each answer of the API server updates the cache at once. */
import type { CaptureProfile } from '../../../contract/captureProfile.ts';
import {
  type CaptureJobSpec,
  type ClusterPort,
  ConflictError,
  JobNameConflictError,
  RefusedError,
} from '../../port.ts';
import type { CachedObject, ObjectCache } from '../cache/objectCache.ts';
import { type JobState, readJob } from '../cache/objectStates.ts';
import {
  ApiError,
  isConflict,
  isNamespaceEnding,
  isNotFound,
  isOtherUid,
  unlessNotFound,
} from '../client/apiErrors.ts';
import type { ClusterConnection } from '../client/connection.ts';
import { LABEL } from '../client/names.ts';
import { jobManifest } from './jobManifest.ts';
import { rejectionReason } from './rejectionReason.ts';

interface DeleteOptions<Source, T extends CachedObject> {
  readonly connection: ClusterConnection;
  readonly namespace: string;
  readonly kind: { readonly group: string; readonly version: string; readonly plural: string };
  readonly cache: ObjectCache<T>;
  readonly read: (object: Source) => T;
  /** Foreground: the object stays, as deleting, until the objects that it owns are gone. */
  readonly propagationPolicy: 'Foreground' | 'Background';
}

export interface JobWriterOptions {
  readonly connection: ClusterConnection;
  readonly namespace: string;
  readonly installation: string;
  readonly profile: CaptureProfile;
  readonly cache: () => ObjectCache<JobState>;
}

const JOBS = { group: 'batch', version: 'v1', plural: 'jobs' };

type JobWriter = Pick<ClusterPort, 'createJob' | 'resizeJob' | 'deleteJob'>;

export function jobWriter(options: JobWriterOptions): JobWriter {
  const { connection, cache, profile, namespace, installation } = options;
  const { batch } = connection.apis;

  const deleteJob: JobWriter['deleteJob'] = async (job, { waitForPods = false } = {}) => {
    const propagationPolicy = waitForPods ? 'Foreground' : 'Background';
    await deleteObject(job, { connection, namespace, cache: cache(), kind: JOBS, read: readJob, propagationPolicy });
  };

  /** Adds the existing Job of this name to the cache. @throws ConflictError, JobNameConflictError if it must not be used. */
  async function adoptExisting({ name, owner }: CaptureJobSpec): Promise<void> {
    const existing = await unlessNotFound(batch.readNamespacedJob({ name, namespace }));
    const job = existing && readJob(existing);
    if (job === undefined || job.deleting) throw new ConflictError(`The Job ${name} is being deleted.`);
    const isLabeled = existing?.metadata?.labels?.[LABEL.installation] === installation;
    const isOwned = job.ownerUid === owner.uid;
    if (!isOwned && !isLabeled)
      throw new JobNameConflictError(`The name ${name} is taken by a Job that does not belong to this ScreenshotJob.`);
    // No watch reports a Job without our label. It is deleted and created again.
    if (!isLabeled) await deleteJob(job);
    if (!isOwned || !isLabeled) throw new ConflictError(`The Job ${name} is now a different object.`);
    cache().addWritten(job);
  }

  return {
    deleteJob,
    async createJob(spec) {
      const body = jobManifest({ spec, profile, namespace, installation });
      try {
        // Strict: an unknown field is a mistake in the capture profile, so the API server must not drop it silently.
        const request = { namespace, body: {}, fieldValidation: 'Strict' };
        cache().addWritten(readJob(await batch.createNamespacedJob(request, connection.options({ body }))));
        return 'created';
      } catch (error) {
        // The API server validates the profile here, so an invalid Job is reported in the status of the ScreenshotJob.
        if (!isConflict(error)) throw asRefusedError(error, [400, 403, 422]);
      }
      await adoptExisting(spec);
      return 'exists';
    },
    async resizeJob({ name, uid }, parallelism) {
      const body = { metadata: { uid }, spec: { parallelism } };
      try {
        cache().addWritten(readJob(await batch.patchNamespacedJob({ name, namespace, body })));
      } catch (error) {
        if (isConflict(error)) throw new ConflictError(`The Job ${name} is now a different object.`, { cause: error });
        if (!isNotFound(error) && !isOtherUid(error)) throw error;
        cache().markDeleted({ name, uid });
      }
    },
  };
}

/**
 * Turns a rejected create into a RefusedError with its reason.
 * @param codes status codes that reject the object itself. All other errors are returned as they are.
 */
export function asRefusedError(error: unknown, codes: readonly number[]): unknown {
  const isRejection = error instanceof ApiError && codes.includes(error.code) && !isNamespaceEnding(error);
  if (!isRejection) return error;
  return new RefusedError(rejectionReason(error.message), error.message);
}

/** Deletes the object with this uid. It is not an error if the object is gone or another object has its name. */
export async function deleteObject<Source, T extends CachedObject>(
  { name, uid }: Pick<CachedObject, 'name' | 'uid'>,
  { connection, namespace, kind, cache, read, propagationPolicy }: DeleteOptions<Source, T>,
): Promise<void> {
  try {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy, preconditions: { uid } };
    // The typed calls read each answer as a Status, also if it is the object because a finalizer still holds it.
    const answer = await connection.apis.custom.deleteNamespacedCustomObject({ ...kind, namespace, name, body });
    if (answer.kind === 'Status') cache.markDeleted({ name, uid });
    else cache.addWritten(read(answer));
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
    cache.markDeleted({ name, uid });
  }
}
