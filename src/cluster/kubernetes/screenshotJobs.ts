/** ScreenshotJobs as the API server holds them, and as the controller sees them. */
import { type ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../../contract/screenshotJob.ts';
import { FINALIZER, GROUP, LABEL, REMOVED_BY, VERSION } from './names.ts';

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

/** @throws ZodError for what an older or newer version has written */
export function readScreenshotJob(object: unknown): ScreenshotJob {
  const { metadata, spec, status } = object as ScreenshotJobObject;
  const known = ScreenshotJobStatus.safeParse(status);
  return {
    name: metadata.name,
    uid: metadata.uid,
    version: metadata.resourceVersion,
    generation: metadata.generation ?? 1,
    deleting: metadata.deletionTimestamp !== undefined,
    removedByUs: metadata.annotations?.[REMOVED_BY] !== undefined,
    createdAt: new Date(metadata.creationTimestamp),
    spec: ScreenshotJobSpec.parse(spec),
    // Before anybody wrote one there is the schema's default, which is none.
    status: known.success && known.data.observedGeneration !== undefined ? known.data : undefined,
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
