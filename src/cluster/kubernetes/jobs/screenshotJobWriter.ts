/** Creates, changes and deletes ScreenshotJobs. Each answer of the API server updates the cache at once. */
import { type ScreenshotJobSpec, ScreenshotJobStatus } from '../../../contract/screenshotJob.ts';
import { type ClusterPort, ConflictError } from '../../port.ts';
import type { CachedObject, ObjectCache } from '../cache/objectCache.ts';
import { readScreenshotJob, type ScreenshotJobState } from '../cache/objectStates.ts';
import { isConflict, isNotFound, isOtherUid, unlessNotFound } from '../client/apiErrors.ts';
import type { ClusterConnection } from '../client/connection.ts';
import { SCREENSHOT_JOBS, type ScreenshotJobObject } from '../client/kinds.ts';
import { FINALIZER, GROUP, LABEL, REMOVED_BY, TRACEPARENT, VERSION } from '../client/names.ts';
import { asRefusedError, deleteObject } from './jobWriter.ts';

interface ScreenshotJobManifestOptions {
  readonly name: string;
  readonly spec: ScreenshotJobSpec;
  readonly namespace: string;
  readonly installation: string;
  readonly traceparent?: string | undefined;
}

const STATUS_FIELDS = ScreenshotJobStatus.keyof().options;

export interface ScreenshotJobWriterOptions {
  readonly connection: ClusterConnection;
  readonly namespace: string;
  readonly installation: string;
  readonly cache: () => ObjectCache<ScreenshotJobState>;
}

type ScreenshotJobWriter = Pick<
  ClusterPort,
  'createScreenshotJob' | 'labelScreenshotJob' | 'updateStatus' | 'deleteScreenshotJob' | 'releaseScreenshotJob'
>;

export function screenshotJobWriter(options: ScreenshotJobWriterOptions): ScreenshotJobWriter {
  const { connection, namespace, installation, cache } = options;
  const { custom } = connection.apis;

  const read = (name: string): Promise<ScreenshotJobObject | undefined> =>
    unlessNotFound(custom.getNamespacedCustomObject({ ...SCREENSHOT_JOBS, namespace, name }));

  /** @returns false if the object is gone. @throws ConflictError */
  async function patch(resource: CachedObject, body: object, subresource?: 'status'): Promise<boolean> {
    const { name } = resource;
    const request = { ...SCREENSHOT_JOBS, namespace, name, body };
    try {
      const patched: ScreenshotJobObject = await (subresource === undefined
        ? custom.patchNamespacedCustomObject(request)
        : custom.patchNamespacedCustomObjectStatus(request));
      const { deletionTimestamp, finalizers = [] } = patched.metadata ?? {};
      const isGone = deletionTimestamp !== undefined && finalizers.length === 0;
      if (isGone) cache().markDeleted(resource);
      else cache().addWritten(readScreenshotJob(patched));
      return true;
    } catch (error) {
      if (isConflict(error))
        throw new ConflictError(`The ScreenshotJob ${name} has changed since it was read.`, { cause: error });
      if (!isNotFound(error) && !isOtherUid(error)) throw error;
      cache().markDeleted(resource);
      return false;
    }
  }

  async function label(resource: CachedObject): Promise<void> {
    await patch(resource, { metadata: { uid: resource.uid, labels: { [LABEL.installation]: installation } } });
  }

  /**
   * The id of the job decides, because a person may have changed or removed the label.
   * @throws ConflictError if the existing ScreenshotJob belongs to another installation.
   */
  async function adopt(existing: ScreenshotJobObject, { job }: ScreenshotJobSpec): Promise<void> {
    const state = readScreenshotJob(existing);
    if (existing.metadata?.labels?.[LABEL.installation] === installation) cache().addWritten(state);
    // No watch reports a ScreenshotJob without our label, so nothing would ever remove its finalizer.
    else if (jobIdOf(existing) === job) await label(state);
    else throw new ConflictError(`The ScreenshotJob ${state.name} belongs to another installation.`);
  }

  return {
    async createScreenshotJob(name, spec, traceparent) {
      const body = screenshotJobManifest({ name, spec, namespace, installation, traceparent });
      try {
        const created = await custom.createNamespacedCustomObject({ ...SCREENSHOT_JOBS, namespace, body });
        cache().addWritten(readScreenshotJob(created));
        return 'created';
      } catch (error) {
        if (!isConflict(error)) throw asRefusedError(error, [403]);
      }
      const existing = await read(name);
      if (existing !== undefined) await adopt(existing, spec);
      return 'exists';
    },
    labelScreenshotJob: label,
    async updateStatus(resource, status) {
      const body = { metadata: { resourceVersion: resource.version }, status: statusPatch(status) };
      const exists = await patch(resource, body, 'status');
      if (!exists) throw new ConflictError(`The ScreenshotJob ${resource.name} is gone.`);
    },
    async deleteScreenshotJob(resource) {
      // Another client deleted it. Our annotation would hide that.
      if (resource.deleting) return;
      const annotations = { [REMOVED_BY]: 'controller' };
      if (!(await patch(resource, { metadata: { uid: resource.uid, annotations } }))) return;
      const deletion = { kind: SCREENSHOT_JOBS, read: readScreenshotJob, propagationPolicy: 'Background' as const };
      await deleteObject(resource, { connection, namespace, cache: cache(), ...deletion });
    },
    async releaseScreenshotJob(resource) {
      const current = await read(resource.name);
      const finalizers = current?.metadata?.uid === resource.uid ? withoutFinalizer(current) : undefined;
      if (finalizers === undefined) return;
      await patch(resource, { metadata: { resourceVersion: current?.metadata?.resourceVersion, finalizers } });
    },
  };
}

/** @returns the id of the row in PostgreSQL. Two installations never have the same one. */
function jobIdOf({ spec }: ScreenshotJobObject): unknown {
  return typeof spec === 'object' && spec !== null && 'job' in spec ? spec.job : undefined;
}

/** The manifest of a ScreenshotJob and the patches that change it. */
export function screenshotJobManifest(options: ScreenshotJobManifestOptions): ScreenshotJobObject {
  const { name, spec, namespace, installation, traceparent } = options;
  return {
    apiVersion: `${GROUP}/${VERSION}`,
    kind: 'ScreenshotJob',
    metadata: {
      name,
      namespace,
      labels: {
        [LABEL.name]: 'tearsheet',
        [LABEL.installation]: installation,
        [LABEL.organization]: spec.organization,
      },
      ...(traceparent !== undefined && { annotations: { [TRACEPARENT]: traceparent } }),
      finalizers: [FINALIZER],
    },
    spec,
  };
}

/** A merge patch keeps the fields that it does not name, so the fields that this status lacks are set to null. */
export function statusPatch(status: ScreenshotJobStatus): object {
  return Object.fromEntries(STATUS_FIELDS.map((field) => [field, status[field] ?? null]));
}

/** @returns the finalizers without ours; undefined if ours is not there. */
export function withoutFinalizer({ metadata }: ScreenshotJobObject): string[] | undefined {
  const { finalizers = [] } = metadata ?? {};
  return finalizers.includes(FINALIZER) ? finalizers.filter((name) => name !== FINALIZER) : undefined;
}
