import { availableParallelism } from 'node:os';
import { readContainerMemory } from '../memory/containerMemory.ts';

const PAGES_PER_PROCESSOR = 2;
const BYTES_PER_PAGE = 512 * 1024 * 1024;
const MIN_OPEN_PAGES = 2;
const MAX_OPEN_PAGES = 8;

/**
 * The number of pages that one capture opens at the same time. Most of the time of a page is spent waiting, so a processor serves
 * two. The memory limit of the container, if there is one, must have space for each of them.
 */
export async function defaultOpenPages({
  processors = availableParallelism(),
  cgroupFolder,
}: {
  processors?: number;
  cgroupFolder?: string;
} = {}): Promise<number> {
  const memory = await readContainerMemory(cgroupFolder);
  const fitting = memory === undefined ? MAX_OPEN_PAGES : Math.floor(memory.limitBytes / BYTES_PER_PAGE);
  return Math.max(MIN_OPEN_PAGES, Math.min(processors * PAGES_PER_PROCESSOR, fitting, MAX_OPEN_PAGES));
}
