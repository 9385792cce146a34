import { cutCodePoints, storable } from './text.ts';

const UPLOAD_NAME_MAX = 255;
const WITHOUT_NAME = 'upload';

/** Limits of the uploads of one organization. */
export interface UploadLimits {
  /** The most uploads that no ad uses, and their bytes. */
  readonly unused: number;
  readonly unusedBytes: number;
}

export const DEFAULT_UPLOAD_LIMITS: UploadLimits = {
  unused: 1_000,
  unusedBytes: 10 * 1024 ** 3,
};

/** @returns the key of the artifact. It contains no part of the name that the client gave. */
export const uploadKey = (id: string) => `uploads/${id}`;

/** @returns a file name without folders, control characters and marks that reverse the direction of text. */
export function uploadName(given: string): string {
  const name = storable(given.split(/[\\/]/).at(-1) ?? '')
    .replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')
    .trim();
  return /^\.*$/.test(name) ? WITHOUT_NAME : cutCodePoints(name, UPLOAD_NAME_MAX);
}
