/** Which version of a screenshot people see, after it was taken again. */
import type { SharedPictures } from './shareLinks.ts';
import type { ScreenshotStatus, SetStatus } from './states.ts';

/** Retakes of a set that are looked at; the newest ones. */
export const MOST_RETAKES = 20;

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

function canReplace(version: Version, approvedOnly: boolean): boolean {
  if (version.set_status === 'rejected' || !hasPicture(version)) return false;
  return !approvedOnly || isApproved(version);
}

const hasPicture = ({ status, decision }: Version) => status === 'uploaded' && decision !== 'rejected';
const isApproved = ({ decision, set_status }: Version) => decision === 'approved' || set_status === 'approved';

/**
 * @param versions newest first. @param own the id of the set's own version.
 * @returns the version that a share link shows; undefined if it shows none.
 */
export function sharedVersion<V extends Version>(
  versions: readonly V[],
  { own, pictures }: { own: string; pictures: SharedPictures },
): V | undefined {
  const shown = chooseVersion(versions, { own, approvedOnly: true })?.shown;
  const isHidden = versions.find(({ id }) => id === own)?.set_status === 'rejected';
  if (shown === undefined || isHidden || !hasPicture(shown)) return undefined;
  return pictures === 'all' || isApproved(shown) ? shown : undefined;
}
