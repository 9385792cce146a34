/** ScreenshotJobs as the API server holds them, as they are kept, and as the controller sees them. */
import { type ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../../../contract/screenshotJob.ts';
import { FINALIZER, GROUP, LABEL, REMOVED_BY, VERSION } from '../client/names.ts';

interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

export interface ScreenshotJobObject {
  readonly metadata: Metadata;
  readonly spec: unknown;
  readonly status?: unknown;
}

/** What is kept of one: there may be ten thousand, so its parts are kept as text, a third of what objects take. */
export interface ResourceState {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly removedByUs: boolean;
  readonly createdAt: string;
  readonly spec: string;
  readonly status: string;
}

export function readResource(object: unknown): ResourceState {
  const { metadata, spec, status } = object as ScreenshotJobObject;
  return {
    name: metadata.name,
    uid: metadata.uid,
    version: metadata.resourceVersion,
    generation: metadata.generation ?? 1,
    deleting: metadata.deletionTimestamp !== undefined,
    removedByUs: metadata.annotations?.[REMOVED_BY] !== undefined,
    createdAt: metadata.creationTimestamp,
    spec: JSON.stringify(spec),
    status: JSON.stringify(status ?? {}),
  };
}

/** As the controller sees it; what is kept as text is read when somebody asks for it, for most only go through the names. */
export class SeenScreenshotJob implements ScreenshotJob {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly removedByUs: boolean;
  readonly createdAt: Date;
  readonly #spec: string;
  readonly #status: string;

  constructor(state: ResourceState, { removedByUs = state.removedByUs } = {}) {
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

  /** @throws ZodError where it is not what this version knows */
  get spec(): ScreenshotJobSpec {
    return ScreenshotJobSpec.parse(JSON.parse(this.#spec));
  }

  /** Before anybody wrote one there is the schema's default, which is none. */
  get status(): ScreenshotJobStatus | undefined {
    const { data } = ScreenshotJobStatus.safeParse(JSON.parse(this.#status));
    return data?.observedGeneration === undefined ? undefined : data;
  }
}

export interface ManifestOptions {
  readonly name: string;
  readonly spec: ScreenshotJobSpec;
  readonly namespace: string;
  readonly installation: string;
}

export function screenshotJobManifest({ name, spec, namespace, installation }: ManifestOptions) {
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
      finalizers: [FINALIZER],
    },
    spec,
  };
}

/** A merge patch keeps what it does not name: what this status lacks is taken out. */
export function statusPatch(status: ScreenshotJobStatus): object {
  const entries = Object.keys(ScreenshotJobStatus.shape).map((key) => [
    key,
    status[key as keyof ScreenshotJobStatus] ?? null,
  ]);
  return Object.fromEntries(entries);
}

export const REMOVAL_MARK = { [REMOVED_BY]: 'controller' } as const;

/** The finalizers that stay when ours goes; undefined: it is not there. */
export function withoutFinalizer({ metadata }: ScreenshotJobObject): string[] | undefined {
  const { finalizers = [] } = metadata;
  return finalizers.includes(FINALIZER) ? finalizers.filter((name) => name !== FINALIZER) : undefined;
}
