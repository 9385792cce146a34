/** How the pictures of a set are shared out: a completion index takes one page (a site on a device), or a few. */

/** Of one index; more would make a capture too long to repeat. */
export const MAX_PICTURES = 200;
/** Turning one index around costs about 2 s, so that a set with very many pages packs some into one. */
const MAX_PAGES = 4;
/** From so many pages a capture on, they are packed. */
const MANY_PAGES = 4;
/** Creatives of an index where a job has ads alone. */
export const MAX_CREATIVES = 20;

export interface PageOfPicture {
  readonly siteKey: string;
  readonly device: string;
}

export interface Batches {
  readonly indexes: number;
  /** For each picture, in order, the index that takes it. */
  readonly assignment: readonly number[];
}

/**
 * One index for each page, several for a page of more than 200 pictures; up to `mostPages` pages in one index where there
 * are more than four times `parallelism`, so few that everybody gets two indexes at least.
 */
export function planBatches(pictures: readonly PageOfPicture[], parallelism: number, mostPages = MAX_PAGES): Batches {
  const chunks = chunksOf(pictures);
  const perIndex = Math.min(mostPages, Math.max(1, Math.floor(chunks.length / (2 * parallelism))));
  const packed = chunks.length > MANY_PAGES * parallelism ? pack(chunks, perIndex) : chunks;
  const assignment = new Array<number>(pictures.length).fill(0);
  for (const [index, members] of packed.entries()) {
    for (const member of members) assignment[member] = index;
  }
  return { indexes: packed.length, assignment };
}

/** How many indexes ads alone take. */
export function planCreativeIndexes(ads: number): number {
  return Math.max(1, Math.ceil(ads / MAX_CREATIVES));
}

/** Positions of pictures, page by page in the order they come in, a large page in several parts. */
function chunksOf(pictures: readonly PageOfPicture[]): number[][] {
  const open = new Map<string, number[]>();
  const chunks: number[][] = [];
  for (const [position, { siteKey, device }] of pictures.entries()) {
    const key = `${device}\n${siteKey}`;
    let chunk = open.get(key);
    if (chunk === undefined || chunk.length === MAX_PICTURES) {
      chunk = [];
      open.set(key, chunk);
      chunks.push(chunk);
    }
    chunk.push(position);
  }
  return chunks;
}

function pack(chunks: readonly number[][], perIndex: number): number[][] {
  const packed: { pages: number; members: number[] }[] = [];
  for (const chunk of chunks) {
    const last = packed.at(-1);
    if (last !== undefined && last.pages < perIndex && last.members.length + chunk.length <= MAX_PICTURES) {
      last.members.push(...chunk);
      last.pages += 1;
    } else {
      packed.push({ pages: 1, members: [...chunk] });
    }
  }
  return packed.map(({ members }) => members);
}

export interface WantedFrame {
  readonly marker_ms: number | null;
  readonly ratio: number;
}

/** Each (marker, ratio) that is shown anywhere, once: what is rendered of an ad, however many sites and devices show it. */
export function wantedFrames(shown: readonly { markerMs: number | null; ratio: number }[]): WantedFrame[] {
  const frames = new Map(shown.map(({ markerMs, ratio }) => [`${markerMs} ${ratio}`, { marker_ms: markerMs, ratio }]));
  return [...frames.values()].sort((a, b) => (a.marker_ms ?? -1) - (b.marker_ms ?? -1) || a.ratio - b.ratio);
}
