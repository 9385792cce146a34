/** Which version of a screenshot people see, after it was taken again. */
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
 * @returns undefined if the own version is not among them.
 */
export function chooseVersion<V extends Version>(
  versions: readonly V[],
  { own }: { own: string },
): Versions<V> | undefined {
  const ownAt = versions.findIndex(({ id }) => id === own);
  const newer = versions.slice(0, Math.max(0, ownAt)).findIndex(canReplace);
  const shown = versions[newer < 0 ? ownAt : newer];
  return shown && { shown, earlier: versions.slice(versions.indexOf(shown) + 1) };
}

const canReplace = ({ status, decision, set_status }: Version) =>
  set_status !== 'rejected' && status === 'uploaded' && decision !== 'rejected';
