/** What we do to ScreenshotJobs. Each write names the object that was seen, and is in the cache once it is answered. */
import type { ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../../../contract/screenshotJob.ts';
import { ConflictError } from '../../port.ts';
import type { ObjectStore, Stored } from '../cache/objectStore.ts';
import {
  REMOVAL_MARK,
  type ResourceState,
  readResource,
  type ScreenshotJobObject,
  screenshotJobManifest,
  statusPatch,
  withoutFinalizer,
} from '../cache/screenshotJobs.ts';
import { isConflict, isNotFound, isOtherUid } from '../client/apiError.ts';
import type { ApiServer } from '../client/apiServer.ts';
import { LABEL } from '../client/names.ts';
import { refusalOf } from './refusals.ts';
import { remove } from './remove.ts';

export interface ResourceWritesOptions {
  readonly api: ApiServer;
  readonly path: string;
  readonly namespace: string;
  readonly installation: string;
  readonly store: ObjectStore<ResourceState>;
}

const MAX_TRIES = 5;

export class ResourceWrites {
  readonly #options: ResourceWritesOptions;

  constructor(options: ResourceWritesOptions) {
    this.#options = options;
  }

  async create(name: string, spec: ScreenshotJobSpec): Promise<'created' | 'exists'> {
    const { api, path, namespace, installation, store } = this.#options;
    const body = screenshotJobManifest({ name, spec, namespace, installation });
    try {
      store.assume(readResource(await api.call({ verb: 'create', path, body })));
      return 'created';
    } catch (error) {
      if (!isConflict(error)) throw refusalOf(error, [403]);
    }
    const there = await this.#get(name);
    if (there === undefined) return 'exists';
    const label = there.metadata.labels?.[LABEL.installation];
    if (label === installation) store.assume(readResource(there));
    // Somebody took its label off: without it no watch tells of it, and its finalizer would hold it, and its namespace, for ever.
    else if (label === undefined && jobOf(there) === spec.job) await this.label(readResource(there));
    else throw new ConflictError(`The ScreenshotJob ${name} is of another installation.`);
    return 'exists';
  }

  async label(seen: Stored): Promise<void> {
    const labels = { [LABEL.installation]: this.#options.installation };
    await this.#patch(seen, { body: { metadata: { uid: seen.uid, labels } } });
  }

  async updateStatus(seen: ScreenshotJob, status: ScreenshotJobStatus): Promise<void> {
    const body = { metadata: { resourceVersion: seen.version }, status: statusPatch(status) };
    const isThere = await this.#patch(seen, { body, part: '/status' });
    if (!isThere) throw new ConflictError(`${seen.name} is gone.`);
  }

  async delete(seen: ScreenshotJob): Promise<void> {
    const { api, path, store } = this.#options;
    // Somebody else's deletion is to be told from ours.
    if (seen.deleting) return;
    const body = { metadata: { uid: seen.uid, annotations: REMOVAL_MARK } };
    if (!(await this.#patch(seen, { body }))) return;
    await remove(seen, { api, path, store, read: readResource, propagationPolicy: 'Background' });
  }

  async release(seen: ScreenshotJob): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const there = await this.#get(seen.name);
      const finalizers = there?.metadata.uid === seen.uid ? withoutFinalizer(there) : undefined;
      if (there === undefined || finalizers === undefined) return;
      const body = { metadata: { resourceVersion: there.metadata.resourceVersion, finalizers } };
      try {
        await this.#patch(seen, { body });
        return;
      } catch (error) {
        // A status was written meanwhile.
        if (!(error instanceof ConflictError)) throw error;
      }
    }
    throw new ConflictError(`${seen.name} changes all the time.`);
  }

  async #get(name: string): Promise<ScreenshotJobObject | undefined> {
    const { api, path } = this.#options;
    try {
      return (await api.call({ verb: 'get', path: `${path}/${name}` })) as ScreenshotJobObject;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** @returns false: it is gone. @throws ConflictError */
  async #patch(seen: Stored, { body, part = '' }: { body: object; part?: string }): Promise<boolean> {
    const { api, path, store } = this.#options;
    try {
      const answer = await api.call({ verb: 'patch', path: `${path}/${seen.name}${part}`, body });
      const { metadata } = answer as ScreenshotJobObject;
      const isGone = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
      if (isGone) store.forget(seen);
      else store.assume(readResource(answer));
      return true;
    } catch (error) {
      if (isConflict(error)) throw new ConflictError(`${seen.name} has changed meanwhile.`, { cause: error });
      if (!isNotFound(error) && !isOtherUid(error)) throw error;
      store.forget(seen);
      return false;
    }
  }
}

/** The row in Postgres that it names: two installations never name the same. */
function jobOf({ spec }: ScreenshotJobObject): unknown {
  return (spec as Partial<ScreenshotJobSpec> | undefined)?.job;
}
