/** The frames that can be drawn around a picture. */

import { sha256Of } from '../lib/sha256.ts';
import { deviceGroup, findDevice } from './devices.ts';
import { withoutQuery } from './webAddresses.ts';

/** Increase it when frames look different, so that no older one is served. */
const VERSION = 2;
export const FRAME_TIME_ZONE = 'UTC';

/** The facts of a screenshot that the frame around its picture shows. */
export interface FrameFacts {
  readonly device: string;
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  readonly address: string;
  readonly capturedAt: Date;
}

export const FRAMES = ['browser', 'device'] as const;
export type Frame = (typeof FRAMES)[number];

export interface FrameChoice {
  readonly frame: Frame;
  /** Whether the frame says "Placement preview". */
  readonly label: boolean;
}

/** All choices. Files of framed pictures exist for these. */
export const FRAME_CHOICES: readonly FrameChoice[] = FRAMES.flatMap((frame) => [
  { frame, label: true },
  { frame, label: false },
]);

export type FrameShape = 'window' | 'phone' | 'tablet';

/** @returns the shape to draw. A device without touch has no body, so its picture always gets a browser window. */
export function frameShape(frame: Frame, deviceName: string): FrameShape {
  const group = deviceGroup(findDevice(deviceName) ?? { agent: 'windows' });
  return frame === 'browser' || group === 'desktop' ? 'window' : group;
}

/** Widths of the parts of a frame around the picture, in CSS pixels. */
interface Edges {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** Below this width, a window shows the time in a line of its own. */
export const NARROW_WINDOW = 640;

const EDGES: Readonly<Record<FrameShape, Edges>> = {
  window: { top: 45, right: 1, bottom: 1, left: 1 },
  phone: { top: 12 + 28 + 44, right: 12, bottom: 12 + 22, left: 12 },
  tablet: { top: 22 + 28 + 44, right: 22, bottom: 22 + 22, left: 22 },
};

/** @param width of the picture in CSS pixels. */
export function frameEdges(shape: FrameShape, width: number): Edges {
  const edges = EDGES[shape];
  return shape === 'window' && width < NARROW_WINDOW ? { ...edges, bottom: 29 } : edges;
}

export interface FramedSize {
  readonly width: number;
  readonly height: number;
  /** The place of the picture inside the frame. */
  readonly left: number;
  readonly top: number;
}

/** @returns the size of a framed picture in whole device pixels, so that the picture keeps its exact pixels. */
export function framedSize(
  { width, height, ratio }: { width: number; height: number; ratio: number },
  shape: FrameShape,
): FramedSize {
  const { top, right, bottom, left } = frameEdges(shape, width / ratio);
  const px = (css: number) => Math.max(1, Math.round(css * ratio));
  return { width: width + px(left) + px(right), height: height + px(top) + px(bottom), left: px(left), top: px(top) };
}

/** @returns the facts without the query of the address, which may hold a secret. People with a share link know the token. */
export function publicFacts(facts: FrameFacts): FrameFacts {
  return { ...facts, address: withoutQuery(facts.address) };
}

/** @returns the key of the picture with a frame. It follows from the key of the picture, so there are no rows to keep. */
export function framedKey(pictureKey: string, { frame, label }: FrameChoice): string {
  return `${pictureKey.replace(/\.png$/, '')}.${frame}${label ? '' : '-no-label'}-v${VERSION}.png`;
}

/** @param sha256 of the picture without its frame. @param facts as {@link publicFacts} returns them. */
export function framedTag(sha256: string, choice: FrameChoice, facts: FrameFacts): string {
  return sha256Of(Buffer.from(JSON.stringify([VERSION, choice, FRAME_TIME_ZONE, sha256, facts])));
}
