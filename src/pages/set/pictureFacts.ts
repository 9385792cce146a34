/** The data that the parts of the page of a picture share. */

import type { SetHead } from '../../core/sets/readSet.ts';
import type { PlacedScreenshot, VersionRow } from '../../core/sets/readVersions.ts';
import type { Viewer } from '../context.ts';
import type { PagePaths } from '../paths.ts';
import type { FoundSlots } from './candidates.ts';
import type { ReviewedPicture } from './pictures.ts';

/** The content of the page of a picture. */
export interface PictureFacts {
  /** Under the id of the set's own version. */
  readonly view: ReviewedPicture;
  readonly set: SetHead;
  /** Newest first. */
  readonly versions: readonly VersionRow[];
  readonly record: object | undefined;
  readonly slots: FoundSlots | undefined;
  /** The screenshots of the set in the order of its page. */
  readonly places: readonly PlacedScreenshot[];
}

export interface PicturePageOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** The id of a version; '' for the newest. */
  readonly version: string;
  /** The id of a screenshot to compare with; '' for none. */
  readonly compareWith: string;
}
