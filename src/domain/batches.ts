/** Plans which index captures which screenshot: one page (a site on a device, with the same options of the page) for each index, or a few pages. */
import type { PageOptions } from './screenshotOptions.ts';

/** Maximum for one index; with more, a repeated capture would take too long. */
export const MAX_PICTURES = 200;
/** Each index costs about 2 s of overhead, so a set with very many pages puts several pages into one index. */
const MAX_PAGES = 4;
/** Above this number of pages for each capture, several pages share an index. */
const MANY_PAGES = 4;
/** Maximum creatives of one index in a job without pages. */
export const MAX_CREATIVES = 20;

export interface PageOfPicture extends Pick<PageOptions, 'otherAds' | 'location' | 'group' | 'givenPage'> {
  readonly siteKey: string;
  readonly device: string;
  /** The row with the cookies and headers of the page. */
  readonly accessId: string | null;
}

/** Pictures with the same key are taken of one page, which a group has for itself. `waitingSets` in core/jobs/backlog.ts counts the same pages in SQL. */
export function pageKey({ siteKey, device, otherAds, location, accessId, group, givenPage }: PageOfPicture): string {
  return `${device}\n${otherAds}\n${location ?? ''}\n${accessId ?? ''}\n${siteKey}\n${group ?? ''}\n${givenPage ?? ''}`;
}

export interface Batches {
  readonly indexes: number;
  /** The index of each screenshot, in the order of the screenshots. */
  readonly assignment: readonly number[];
}

/**
 * Plans one index for each page, and several for a page with more than 200 screenshots. If there are more than four pages for each capture,
 * up to `mostPages` pages share an index, but each capture still gets at least two indexes.
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

/** @returns the number of indexes for a job without pages. */
export function planCreativeIndexes(ads: number): number {
  return Math.max(1, Math.ceil(ads / MAX_CREATIVES));
}

/** @returns the positions of the screenshots of each page, in order; a large page is split into several parts. */
function chunksOf(pictures: readonly PageOfPicture[]): number[][] {
  const open = new Map<string, number[]>();
  const chunks: number[][] = [];
  for (const [position, picture] of pictures.entries()) {
    const key = pageKey(picture);
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

/** @returns the frames to render of an ad: each pair of marker and ratio once, however many pages show it. */
export function wantedFrames(shown: readonly { markerMs: number | null; ratio: number }[]): WantedFrame[] {
  const frames = new Map(shown.map(({ markerMs, ratio }) => [`${markerMs} ${ratio}`, { marker_ms: markerMs, ratio }]));
  return [...frames.values()].sort((a, b) => (a.marker_ms ?? -1) - (b.marker_ms ?? -1) || a.ratio - b.ratio);
}
