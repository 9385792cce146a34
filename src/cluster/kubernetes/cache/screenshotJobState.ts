/** The fields of a ScreenshotJob that the cache keeps, and the ScreenshotJob that the controller gets. */
import { type ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../../../contract/screenshotJob.ts';
import { REMOVED_BY } from '../client/names.ts';
import type { Wire } from '../client/resourceClient.ts';
import type { ScreenshotJobObject } from '../client/resourceClients.ts';
import { readIdentity } from './metadata.ts';
import type { CachedObject } from './objectCache.ts';

/** The cache may hold 10,000 of them. Spec and status are kept as JSON text, which takes a third of the memory of objects. */
export interface ScreenshotJobState extends CachedObject {
  readonly generation: number;
  readonly deleting: boolean;
  readonly removedByUs: boolean;
  readonly createdAt: string;
  readonly spec: string;
  readonly status: string;
}

export function readScreenshotJob({ metadata, spec, status }: Wire<ScreenshotJobObject>): ScreenshotJobState {
  if (metadata === undefined) throw new TypeError('The object has no metadata.');
  return {
    ...readIdentity(metadata),
    generation: metadata.generation ?? 1,
    deleting: metadata.deletionTimestamp !== undefined,
    removedByUs: metadata.annotations?.[REMOVED_BY] !== undefined,
    createdAt: metadata.creationTimestamp ?? '',
    spec: JSON.stringify(spec),
    status: JSON.stringify(status ?? {}),
  };
}

/** Parses spec and status only when they are read, because most callers need only the name. */
export class CachedScreenshotJob implements ScreenshotJob {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly removedByUs: boolean;
  readonly createdAt: Date;
  readonly #spec: string;
  readonly #status: string;

  constructor(state: ScreenshotJobState, { removedByUs = state.removedByUs } = {}) {
    this.name = state.name;
    this.uid = state.uid;
    this.version = state.version;
    this.generation = state.generation;
    this.deleting = state.deleting;
    this.removedByUs = removedByUs;
    this.createdAt = new Date(state.createdAt);
    this.#spec = state.spec;
    this.#status = state.status;
  }

  /** @throws ZodError if a version of Tearsheet that this one does not know wrote it. */
  get spec(): ScreenshotJobSpec {
    return ScreenshotJobSpec.parse(JSON.parse(this.#spec));
  }

  /** Undefined until a controller has written a status. The default of the CRD has no `observedGeneration`. */
  get status(): ScreenshotJobStatus | undefined {
    const { data } = ScreenshotJobStatus.safeParse(JSON.parse(this.#status));
    return data?.observedGeneration === undefined ? undefined : data;
  }
}
