import sharp from 'sharp';

/** A patch of one colour inside a creative, CSS pixels, by which a picture of it can be told. */
export interface Signature {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly rgb: readonly [number, number, number];
  readonly tolerance: number;
}

export interface Sighting {
  readonly found: boolean;
  /** What was seen, in words. */
  readonly words: string;
}

/** How far an ad may have been scaled down to fit, and how much of the patch must be there. */
const [LEAST_SCALE, LEAST_FILL] = [0.45, 0.85];

/** Looks for the patch in a picture of a page: pixels of its colour must form a rectangle of its proportions and size. */
export async function seekAd(png: Buffer, signature: Signature, ratio: number): Promise<Sighting> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { count, box } = match(data, info.width, signature);
  if (box === undefined) return { found: false, words: `no pixel of rgb(${signature.rgb.join(', ')})` };
  const width = box.right - box.left + 1;
  const height = box.bottom - box.top + 1;
  const fill = count / (width * height);
  const scale = width / (signature.width * ratio);
  const skew = height / (signature.height * ratio) / scale;
  const found = fill >= LEAST_FILL && scale >= LEAST_SCALE && scale <= 1.03 && skew > 0.8 && skew < 1.25;
  const words = `${width}×${height} px at ${box.left},${box.top}, ${Math.round(fill * 100)} % filled, scale ${scale.toFixed(2)}`;
  return { found, words };
}

interface Edges {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function match(
  data: Buffer,
  width: number,
  { rgb: [red, green, blue], tolerance }: Signature,
): { count: number; box: Edges | undefined } {
  let count = 0;
  let box: Edges | undefined;
  const near = (offset: number, value: number) => Math.abs((data[offset] ?? 0) - value) <= tolerance;
  for (let offset = 0, pixel = 0; offset < data.length; offset += 3, pixel += 1) {
    if (!near(offset, red) || !near(offset + 1, green) || !near(offset + 2, blue)) continue;
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    count += 1;
    box ??= { left: x, top: y, right: x, bottom: y };
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.bottom = y;
  }
  return { count, box };
}
