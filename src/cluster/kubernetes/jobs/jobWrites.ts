/** What we do to Jobs. */
import type { V1Job } from '@kubernetes/client-node';
import type { CaptureProfile } from '../../../contract/captureProfile.ts';
import { type CaptureJob, type CaptureJobSpec, ConflictError, NameTakenError } from '../../port.ts';
import { type JobState, readJob } from '../cache/jobState.ts';
import type { ObjectStore } from '../cache/objectStore.ts';
import { isConflict, isNotFound } from '../client/apiError.ts';
import type { ApiServer } from '../client/apiServer.ts';
import { LABEL } from '../client/names.ts';
import type { Wire } from '../client/wire.ts';
import { jobManifest } from './jobManifest.ts';
import { refusalOf } from './refusals.ts';
import { remove } from './remove.ts';

export interface JobWritesOptions {
  readonly api: ApiServer;
  readonly path: string;
  readonly namespace: string;
  readonly installation: string;
  readonly profile: CaptureProfile;
  readonly store: ObjectStore<JobState>;
}

export class JobWrites {
  readonly #options: JobWritesOptions;

  constructor(options: JobWritesOptions) {
    this.#options = options;
  }

  async create(spec: CaptureJobSpec): Promise<'created' | 'exists'> {
    const { api, path, store, profile, namespace, installation } = this.#options;
    const body: V1Job = jobManifest({ spec, profile, namespace, installation });
    try {
      // A field that the server does not know is a fault of the profile, not something to be dropped in silence.
      const query = { fieldValidation: 'Strict' };
      store.assume(readJob(await api.call({ verb: 'create', path, query, body })));
      return 'created';
    } catch (error) {
      // What the profile says is judged here: a Job that is found invalid says so in the status, too.
      if (!isConflict(error)) throw refusalOf(error, [403, 422, 400]);
    }
    const found = await this.#get(spec.name);
    const there = found && readJob(found);
    const isLabelled = found?.metadata?.labels?.[LABEL.installation] === installation;
    const isOwned = there?.ownerUid === spec.owner.uid;
    if (there === undefined || there.deleting) throw new ConflictError(`The Job ${spec.name} is on its way out.`);
    if (!isOwned && !isLabelled)
      throw new NameTakenError(`The name ${spec.name} is taken by a Job that is not of this ScreenshotJob.`);
    // Somebody took its label off: no watch tells how it goes on. It is made again, which needs no further right.
    if (!isLabelled) await this.delete(there, false);
    if (!isOwned || !isLabelled) throw new ConflictError(`The Job ${spec.name} is another one.`);
    store.assume(there);
    return 'exists';
  }

  async delete(seen: Pick<CaptureJob, 'name' | 'uid'>, waits: boolean): Promise<void> {
    const { api, path, store } = this.#options;
    const propagationPolicy = waits ? 'Foreground' : 'Background';
    await remove(seen, { api, path, store, read: readJob, propagationPolicy });
  }

  /** As it is, not as the cache may have it. */
  async #get(name: string): Promise<Wire<V1Job> | undefined> {
    const { api, path } = this.#options;
    try {
      return (await api.call({ verb: 'get', path: `${path}/${name}` })) as Wire<V1Job>;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
