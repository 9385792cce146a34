/** The manifest of a ScreenshotJob and the patches that change it. */
import { type ScreenshotJobSpec, ScreenshotJobStatus } from '../../../contract/screenshotJob.ts';
import { FINALIZER, GROUP, LABEL, REMOVED_BY, VERSION } from '../client/names.ts';
import type { Wire } from '../client/resourceClient.ts';
import type { ScreenshotJobObject } from '../client/resourceClients.ts';

export interface ScreenshotJobManifestOptions {
  readonly name: string;
  readonly spec: ScreenshotJobSpec;
  readonly namespace: string;
  readonly installation: string;
}

export function screenshotJobManifest(options: ScreenshotJobManifestOptions): ScreenshotJobObject {
  const { name, spec, namespace, installation } = options;
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

const STATUS_FIELDS = ScreenshotJobStatus.keyof().options;

/** A merge patch keeps the fields that it does not name, so the fields that this status lacks are set to null. */
export function statusPatch(status: ScreenshotJobStatus): object {
  return Object.fromEntries(STATUS_FIELDS.map((field) => [field, status[field] ?? null]));
}

export const REMOVAL_ANNOTATION = { [REMOVED_BY]: 'controller' } as const;

/** @returns the finalizers without ours; undefined if ours is not there. */
export function withoutFinalizer({ metadata }: Wire<ScreenshotJobObject>): string[] | undefined {
  const { finalizers = [] } = metadata ?? {};
  return finalizers.includes(FINALIZER) ? finalizers.filter((name) => name !== FINALIZER) : undefined;
}
