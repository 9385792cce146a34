import type { RefusedError } from '../../port.ts';

/**
 * Messages of the API server's authorization, and of the admission plugin that asks it about the owner of an object. All other
 * rejections come from admission or validation.
 */
const LACKS_RIGHT = /is forbidden: (User "|cannot set (blockOwnerDeletion|an ownerRef))/;

/** Why the API server rejects an object. Only its message shows the reason. */
export function rejectionReason(message: string): RefusedError['reason'] {
  if (message.includes('exceeded quota')) return 'QuotaExceeded';
  return LACKS_RIGHT.test(message) ? 'PermissionDenied' : 'PodRejected';
}
