/** Reads the pictures of an export, one at a time, as the options want them. */
import sharp from 'sharp';
import type { ArtifactStore } from '../artifacts/store.ts';
import type { ExportPicture } from '../core/exports/exportContent.ts';
import type { ExportOptions } from '../domain/exports.ts';
import { drawFrame } from '../framing/drawFrame.ts';
import type { Log } from '../lib/log.ts';
import { requirePng } from '../lib/requirePng.ts';
import type { Box, DocumentPlan, PictureElement, PlacedPicture } from './document/elements.ts';
import { pageAddress } from './document/labels.ts';

/** Everything that the writers of PPTX and PDF need. */
export interface DocumentOptions {
  /** The id of the export, which the metadata of the document hold. */
  readonly id: string;
  readonly plan: DocumentPlan;
  readonly reader: PictureReader;
  /** The format of all pictures. */
  readonly extension: 'png' | 'jpeg';
  /** Called after each picture. It throws if the export must stop. */
  readonly onPicture: () => Promise<void>;
}

export type PictureReader = ReturnType<typeof createPictureReader>;

/** Pixels for each point of a standard picture: 216 for each inch, which is sharp on paper and on screens. */
const PIXELS_PER_POINT = 3;
const QUALITY = 88;
/** In place of a page that cannot be read. */
const PLAIN = '#eceef1';
const TIMEOUT_SECONDS = 60;

export function createPictureReader(artifacts: ArtifactStore, options: ExportOptions, log: Log) {
  const { frame, label = true, time_zone: timeZone, language } = options;
  const file = async (key: string) => (await artifacts.get(key)).bytes;
  const original = ({ artifact_key }: ExportPicture) => file(artifact_key);
  const framed = async (picture: ExportPicture) => {
    const png = await original(picture);
    if (frame === 'none') return png;
    const { captured_at: capturedAt } = picture;
    const facts = { ...picture, address: pageAddress(picture), capturedAt };
    return drawFrame(png, facts, { frame, label, timeZone, language });
  };
  const forDocument = async ({ picture, box, ground = '#ffffff' }: PictureElement) => {
    const png = requirePng(await framed(picture));
    if (options.pictures === 'original') return opaque(png, ground);
    const width = Math.max(1, Math.round(box.width * PIXELS_PER_POINT));
    return sharp(png)
      .resize({ width, withoutEnlargement: true })
      .flatten({ background: ground })
      .jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' })
      .keepXmp()
      .timeout({ seconds: TIMEOUT_SECONDS })
      .toBuffer();
  };
  // Failures of one page have the same picture.
  const pages = new Map<string, Promise<Buffer>>();
  const logUnreadable = (key: string, error: unknown) =>
    log.warn({ key, err: error }, 'the export lacks the picture of the page of a failure');
  const drawPage = async (key: string, { width, height }: Box) => {
    const size = { width: Math.round(width * PIXELS_PER_POINT), height: Math.round(height * PIXELS_PER_POINT) };
    try {
      return await sharp(requirePng(await file(key)))
        .resize({ ...size, fit: 'cover', position: 'top' })
        .flatten({ background: '#ffffff' })
        .jpeg({ quality: QUALITY })
        .timeout({ seconds: TIMEOUT_SECONDS })
        .toBuffer();
    } catch (error) {
      logUnreadable(key, error);
      return sharp({ create: { ...size, channels: 3, background: PLAIN } })
        .jpeg()
        .toBuffer();
    }
  };
  return {
    /** @returns the PNG as it was captured. */
    original,
    /** @returns the PNG with the frame of the options. */
    framed,
    /**
     * @returns the picture of an element, for its box: JPEG, or PNG if the options ask for originals. The page of a failure is
     *   shown from its top, or as a plain box if it cannot be read.
     */
    image(element: PlacedPicture): Promise<Buffer> {
      const { kind, box } = element;
      if (kind === 'picture') return forDocument(element);
      if (kind === 'logo') return file(element.key);
      const drawn = pages.get(element.key) ?? drawPage(element.key, box);
      pages.set(element.key, drawn);
      return drawn;
    },
    /** Whether the page of a failure is stored as a PNG. */
    async hasPage(key: string): Promise<boolean> {
      try {
        requirePng(await file(key));
        return true;
      } catch (error) {
        logUnreadable(key, error);
        return false;
      }
    },
    /** @returns the key of the GIF that shows the ad in motion; undefined with a frame, which does not move. */
    movingKey: ({ gif_key }: Pick<ExportPicture, 'gif_key'>) =>
      frame === 'none' && gif_key !== null ? gif_key : undefined,
    /** @returns a stored file: a logo, or a file of an animation. */
    file,
  };
}

/** Writing transparent pixels into a PDF takes seconds, and paper is white. A picture without any keeps its bytes. */
async function opaque(png: Buffer, background: string): Promise<Buffer> {
  const picture = sharp(png).timeout({ seconds: TIMEOUT_SECONDS });
  const { hasAlpha } = await picture.metadata();
  return hasAlpha ? picture.flatten({ background }).png().keepXmp().toBuffer() : png;
}
