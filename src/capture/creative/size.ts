import { AD_SIDE_MAX } from '../../domain/ads.ts';
import { CreativeError } from './creativeError.ts';

/** CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** @returns the size in whole pixels. @throws CreativeError if it is empty or too large. */
export function checkedSize({ width, height }: Size): Size {
  const size = { width: Math.round(width), height: Math.round(height) };
  if (!(size.width >= 1 && size.height >= 1))
    throw new CreativeError('generic_error', `The creative has no area: its size is ${width} × ${height}.`);
  if (size.width > AD_SIDE_MAX || size.height > AD_SIDE_MAX)
    throw new CreativeError(
      'generic_error',
      `The creative is ${size.width} × ${size.height} pixels large; at most ${AD_SIDE_MAX} × ${AD_SIDE_MAX} is possible.`,
    );
  return size;
}
