import type { PictureReader } from '../pictureReader.ts';
import type { DocumentPlan } from './elements.ts';

/** Everything that the writers of PPTX and PDF need. */
export interface DocumentOptions {
  readonly plan: DocumentPlan;
  readonly reader: PictureReader;
  /** The format of all pictures. */
  readonly extension: 'png' | 'jpeg';
  /** Called after each picture. It throws if the export must stop. */
  readonly onPicture: () => Promise<void>;
}
