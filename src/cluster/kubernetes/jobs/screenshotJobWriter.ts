/** Creates, changes and deletes ScreenshotJobs. An answer of the API server is in the cache at once. */
import { type ScreenshotJob, type ScreenshotJobSpec, ScreenshotJobStatus } from '../../../contract/screenshotJob.ts';
import { ConflictError } from '../../port.ts';
import type { CachedObject, ObjectCache } from '../cache/objectCache.ts';
import { readScreenshotJob, type ScreenshotJobState } from '../cache/objectStates.ts';
import { isConflict, isNotFound, isOtherUid } from '../client/apiRequest.ts';
import { FINALIZER, GROUP, LABEL, REMOVED_BY, TRACEPARENT, VERSION } from '../client/names.ts';
import type { PatchTarget, ResourceClient, ScreenshotJobObject, Wire } from '../client/resourceClient.ts';
import { asRefusedError, deleteObject } from './jobWriter.ts';

interface ScreenshotJobManifestOptions {
  readonly name: string;
  readonly spec: ScreenshotJobSpec;
  readonly namespace: string;
  readonly installation: string;
  readonly traceparent?: string | undefined;
}

const STATUS_FIELDS = ScreenshotJobStatus.keyof().options;

const REMOVAL_ANNOTATION = { [REMOVED_BY]: 'controller' } as const;

export interface ScreenshotJobWriterOptions {
  readonly client: ResourceClient<ScreenshotJobObject>;
  readonly namespace: string;
  readonly installation: string;
  readonly cache: ObjectCache<ScreenshotJobState>;
}

export class ScreenshotJobWriter {
  readonly #options: ScreenshotJobWriterOptions;

  constructor(options: ScreenshotJobWriterOptions) {
    this.#options = options;
  }

  async create(name: string, spec: ScreenshotJobSpec, traceparent?: string): Promise<'created' | 'exists'> {
    const { client, namespace, installation, cache } = this.#options;
    const manifest = screenshotJobManifest({ name, spec, namespace, installation, traceparent });
    try {
      cache.addWritten(readScreenshotJob(await client.create(manifest)));
      return 'created';
    } catch (error) {
      if (!isConflict(error)) throw asRefusedError(error, [403]);
    }
    const existing = await client.get(name);
    if (existing !== undefined) await this.#adoptExisting(existing, spec);
    return 'exists';
  }

  async label(resource: CachedObject): Promise<void> {
    const labels = { [LABEL.installation]: this.#options.installation };
    await this.#patch(resource, { metadata: { uid: resource.uid, labels } });
  }

  async updateStatus(resource: ScreenshotJob, status: ScreenshotJobStatus): Promise<void> {
    const patch = { metadata: { resourceVersion: resource.version }, status: statusPatch(status) };
    const exists = await this.#patch(resource, patch, 'status');
    if (!exists) throw new ConflictError(`The ScreenshotJob ${resource.name} is gone.`);
  }

  async delete(resource: ScreenshotJob): Promise<void> {
    const { client, cache } = this.#options;
    // Another client deleted it. Our annotation would hide that.
    if (resource.deleting) return;
    const patch = { metadata: { uid: resource.uid, annotations: REMOVAL_ANNOTATION } };
    if (!(await this.#patch(resource, patch))) return;
    await deleteObject(resource, { client, cache, read: readScreenshotJob, propagationPolicy: 'Background' });
  }

  async release(resource: ScreenshotJob): Promise<void> {
    const { client } = this.#options;
    const current = await client.get(resource.name);
    const finalizers = current?.metadata?.uid === resource.uid ? withoutFinalizer(current) : undefined;
    if (finalizers === undefined) return;
    await this.#patch(resource, { metadata: { resourceVersion: current?.metadata?.resourceVersion, finalizers } });
  }

  /**
   * The id of the job decides, because a person may have changed or removed the label.
   * @throws ConflictError if the existing ScreenshotJob belongs to another installation.
   */
  async #adoptExisting(existing: Wire<ScreenshotJobObject>, { job }: ScreenshotJobSpec): Promise<void> {
    const { cache, installation } = this.#options;
    const state = readScreenshotJob(existing);
    const label = existing.metadata?.labels?.[LABEL.installation];
    if (label === installation) cache.addWritten(state);
    // No watch reports a ScreenshotJob without our label, so nothing would ever remove its finalizer.
    else if (jobIdOf(existing) === job) await this.label(state);
    else throw new ConflictError(`The ScreenshotJob ${state.name} belongs to another installation.`);
  }

  /** @returns false if the object is gone. @throws ConflictError */
  async #patch(resource: CachedObject, patch: object, subresource?: PatchTarget['subresource']): Promise<boolean> {
    const { client, cache } = this.#options;
    const { name } = resource;
    try {
      const patched = await client.patch(subresource === undefined ? { name } : { name, subresource }, patch);
      const { deletionTimestamp, finalizers = [] } = patched.metadata ?? {};
      const isGone = deletionTimestamp !== undefined && finalizers.length === 0;
      if (isGone) cache.markDeleted(resource);
      else cache.addWritten(readScreenshotJob(patched));
      return true;
    } catch (error) {
      if (isConflict(error))
        throw new ConflictError(`The ScreenshotJob ${name} has changed since it was read.`, { cause: error });
      if (!isNotFound(error) && !isOtherUid(error)) throw error;
      cache.markDeleted(resource);
      return false;
    }
  }
}

/** @returns the id of the row in PostgreSQL. Two installations never have the same one. */
function jobIdOf({ spec }: ScreenshotJobObject | Wire<ScreenshotJobObject>): unknown {
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
export function withoutFinalizer({ metadata }: Wire<ScreenshotJobObject>): string[] | undefined {
  const { finalizers = [] } = metadata ?? {};
  return finalizers.includes(FINALIZER) ? finalizers.filter((name) => name !== FINALIZER) : undefined;
}
