/** Which version of a screenshot people see, after it was taken again. */
import type { ScreenshotStatus, SetStatus } from './states.ts';

interface Version {
  readonly id: string;
  readonly status: ScreenshotStatus;
  readonly decision: 'approved' | 'rejected' | null;
  readonly set_status: SetStatus;
}

export interface Versions<V extends Version> {
  /** The newest version with a picture that no reviewer rejected, or else the set's own version. */
  readonly shown: V;
  /** The versions before it, newest first. */
  readonly earlier: readonly V[];
}

/**
 * @param versions newest first. @param own the id of the set's own version; versions before it never replace it.
 * @param approvedOnly whether only approved retakes count: the picture or its set is approved. @returns undefined if the own version is not among them.
 */
export function chooseVersion<V extends Version>(
  versions: readonly V[],
  { own, approvedOnly = false }: { own: string; approvedOnly?: boolean },
): Versions<V> | undefined {
  const ownAt = versions.findIndex(({ id }) => id === own);
  const newer = versions.slice(0, Math.max(0, ownAt)).findIndex((version) => canReplace(version, approvedOnly));
  const shown = versions[newer < 0 ? ownAt : newer];
  return shown && { shown, earlier: versions.slice(versions.indexOf(shown) + 1) };
}

function canReplace({ status, decision, set_status }: Version, approvedOnly: boolean): boolean {
  if (status !== 'uploaded' || decision === 'rejected' || set_status === 'rejected') return false;
  return !approvedOnly || decision === 'approved' || set_status === 'approved';
}
