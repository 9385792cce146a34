/** What is kept of a node. */
import type { V1Node } from '@kubernetes/client-node';
import type { Wire } from '../client/wire.ts';

export interface NodeState {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly ready: boolean;
}

export function readNode(object: unknown): NodeState {
  const { metadata = {}, status } = object as Wire<V1Node>;
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    version: metadata.resourceVersion ?? '',
    ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True',
  };
}
