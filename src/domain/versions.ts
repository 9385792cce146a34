/** Which version of a screenshot people see, after it was taken again. */
import type { ScreenshotStatus, SetStatus } from './states.ts';

/** At most this many retakes of a set are considered, the newest ones. */
export const MOST_RETAKES = 20;

interface Version {
  readonly id: string;
  readonly status: ScreenshotStatus;
  readonly decision: 'approved' | 'rejected' | null;
  readonly set_status: SetStatus;
}

export interface Versions<V extends Version> {
  /** The newest version with a picture that no reviewer rejected, else the newest rejected one, else the set's own version. */
  readonly shown: V;
  /** The versions before it, newest first. */
  readonly earlier: readonly V[];
}

/**
 * @param versions newest first. @param own the id of the set's own version; versions before it never replace it.
 * @returns undefined if the own version is not among them.
 */
export function chooseVersion<V extends Version>(
  versions: readonly V[],
  { own }: { own: string },
): Versions<V> | undefined {
  const ownAt = versions.findIndex(({ id }) => id === own);
  const candidates = versions.slice(0, ownAt + 1);
  const shown =
    candidates.find((version) => isGood(version) && (version.id === own || version.set_status !== 'rejected')) ??
    // A rejected picture is more useful than the failure before it, or than an older rejection.
    candidates.find(({ status, decision }) => status === 'uploaded' && decision === 'rejected') ??
    versions[ownAt];
  return shown && { shown, earlier: versions.slice(versions.indexOf(shown) + 1) };
}

const isGood = ({ status, decision }: Version) => status === 'uploaded' && decision !== 'rejected';
