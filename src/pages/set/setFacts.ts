import type { History } from '../../core/reviews/reviewQueries.ts';
import type { SetHead } from '../../core/sets/readSet.ts';
import type { LaterRetake } from '../../core/sets/readVersions.ts';
import type { Viewer } from '../context.ts';
import type { PagePaths } from '../paths.ts';
import type { Grouping } from './grouping.ts';
import type { PictureView } from './pictures.ts';
import type { Shown } from './shown.ts';

/** The content of the page of a set. */
export interface SetFacts {
  readonly set: SetHead & History;
  readonly views: readonly PictureView[];
  /** Decisions about the shown versions, by their ids. */
  readonly decisions: ReadonlyMap<string, 'approved' | 'rejected'>;
  /** Newest first. */
  readonly retakes: readonly LaterRetake[];
}

export interface SetPageOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** Number of the list page, from 1. */
  readonly page: number;
  readonly by: Grouping;
  readonly show: Shown;
}

type Stage = Pick<SetHead, 'status'>;
export const isRunning = ({ status }: Stage): boolean => status === 'draft' || status === 'capturing';
export const isFinished = (set: Stage): boolean => !isRunning(set);
