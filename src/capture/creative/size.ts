import { CreativeError } from './creativeError.ts';

/** CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** CSS pixels. */
const MAX_SIDE = 4_096;

/** @returns the size in whole pixels. @throws CreativeError if it is empty or too large. */
export function checkedSize({ width, height }: Size): Size {
  const size = { width: Math.round(width), height: Math.round(height) };
  if (!(size.width >= 1 && size.height >= 1))
    throw new CreativeError('generic_error', `The creative has no area: its size is ${width} × ${height}.`);
  if (size.width > MAX_SIDE || size.height > MAX_SIDE)
    throw new CreativeError(
      'generic_error',
      `The creative is ${size.width} × ${size.height} pixels large; at most ${MAX_SIDE} × ${MAX_SIDE} is possible.`,
    );
  return size;
}
