/** The metadata that every cached object has. */
import type { V1ObjectMeta } from '@kubernetes/client-node';
import { LABEL } from '../client/names.ts';
import type { Wire } from '../client/resourceClient.ts';
import type { CachedObject } from './objectCache.ts';

export type Metadata = Wire<V1ObjectMeta>;

export function readIdentity({ name = '', uid = '', resourceVersion = '' }: Metadata): CachedObject {
  return { name, uid, version: resourceVersion };
}

/** @returns the uid of the object that controls this one; empty if no object does. */
export function controllerUid({ ownerReferences = [] }: Metadata): string {
  return ownerReferences.find(({ controller }) => controller === true)?.uid ?? '';
}

/** @returns the name of the ScreenshotJob that a Job or a pod belongs to; empty if the label is missing. */
export function screenshotJobName({ labels = {} }: Metadata): string {
  return labels[LABEL.screenshotJob] ?? '';
}
