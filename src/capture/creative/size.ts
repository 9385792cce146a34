import { CreativeError } from './creativeError.ts';

/** CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Of a side, CSS pixels. */
const MAX_SIDE = 4_096;

/** @throws CreativeFailure for a size that nothing can be shown at. */
export function checkedSize({ width, height }: Size): Size {
  const size = { width: Math.round(width), height: Math.round(height) };
  if (!(size.width >= 1 && size.height >= 1))
    throw new CreativeError('generic_error', `The creative has no area: its size is ${width} × ${height}.`);
  if (size.width > MAX_SIDE || size.height > MAX_SIDE)
    throw new CreativeError(
      'generic_error',
      `The creative is ${size.width} × ${size.height} pixels large; at most ${MAX_SIDE} × ${MAX_SIDE} can be shown.`,
    );
  return size;
}
