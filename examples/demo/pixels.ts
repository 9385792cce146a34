import sharp from 'sharp';

/** A patch of one color inside a creative, in CSS pixels from its upper left corner. It identifies the creative in a picture. */
export interface Patch {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly rgb: readonly [number, number, number];
  readonly tolerance: number;
}

export interface Sighting {
  readonly found: boolean;
  /** Result of the search, in words. */
  readonly words: string;
}

/** Tearsheet may have scaled an ad down to fit, to half its size at most. */
const SCALES = [1, ...Array.from({ length: 50 }, (_, step) => 0.99 - step / 100)];

/**
 * Searches a picture of a page for a position and a scale at which every patch of the creative is in its place.
 * @param ratio device pixels of the picture for each CSS pixel.
 */
export async function seekAd(png: Buffer, patches: readonly Patch[], ratio: number): Promise<Sighting> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const fields = patches.map((patch) => ({ patch, field: new Field(data, info, patch) }));
  for (const scale of SCALES) {
    const origin = seekAt(fields, ratio * scale, info);
    if (origin !== undefined)
      return { found: true, words: `found at ${origin.x},${origin.y}, scale ${scale.toFixed(2)}` };
  }
  return {
    found: false,
    words: `${patches.map(({ rgb }) => `rgb(${rgb.join(', ')})`).join(' with ')} nowhere as it belongs`,
  };
}

interface Searched {
  readonly patch: Patch;
  readonly field: Field;
}

function seekAt(fields: readonly Searched[], scale: number, { width, height }: { width: number; height: number }) {
  const [first] = fields;
  if (first === undefined) return undefined;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (!first.field.stands(x, y)) continue; // Quick: the corner itself has another color.
      const origin = { x: x - Math.floor(first.patch.x * scale), y: y - Math.floor(first.patch.y * scale) };
      if (fields.every((searched) => fills(searched, origin, scale))) return origin;
    }
  }
  return undefined;
}

/** Whether the whole patch has its color. Ignores one pixel at each edge, because scaling blends the edges. */
function fills({ patch, field }: Searched, origin: { x: number; y: number }, scale: number): boolean {
  const left = Math.ceil(origin.x + patch.x * scale) + 1;
  const top = Math.ceil(origin.y + patch.y * scale) + 1;
  const right = Math.floor(origin.x + (patch.x + patch.width) * scale) - 1;
  const bottom = Math.floor(origin.y + (patch.y + patch.height) * scale) - 1;
  return right > left && bottom > top && field.count(left, top, right, bottom) === (right - left) * (bottom - top);
}

/** A summed-area table: counts the pixels of a patch's color in any rectangle. */
class Field {
  readonly #sums: Uint32Array;
  readonly #width: number;
  readonly #height: number;

  constructor(
    data: Buffer,
    { width, height }: { width: number; height: number },
    { rgb: [red, green, blue], tolerance }: Patch,
  ) {
    this.#width = width;
    this.#height = height;
    this.#sums = new Uint32Array((width + 1) * (height + 1));
    const near = (offset: number, value: number) => Math.abs((data[offset] ?? 0) - value) <= tolerance;
    for (let y = 0; y < height; y += 1) {
      for (let x = 0, row = 0; x < width; x += 1) {
        const offset = (y * width + x) * 3;
        if (near(offset, red) && near(offset + 1, green) && near(offset + 2, blue)) row += 1;
        this.#sums[(y + 1) * (width + 1) + x + 1] = row + this.#sum(x + 1, y);
      }
    }
  }

  stands(x: number, y: number): boolean {
    return this.count(x, y, x + 1, y + 1) === 1;
  }

  /** Number of pixels of the color with left ≤ x < right, top ≤ y < bottom; 0 if the rectangle is not inside the picture. */
  count(left: number, top: number, right: number, bottom: number): number {
    if (left < 0 || top < 0 || right > this.#width || bottom > this.#height) return 0;
    return this.#sum(right, bottom) - this.#sum(left, bottom) - this.#sum(right, top) + this.#sum(left, top);
  }

  #sum(x: number, y: number): number {
    return this.#sums[y * (this.#width + 1) + x] ?? 0;
  }
}
