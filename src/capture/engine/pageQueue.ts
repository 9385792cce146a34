/** Processes the pages of a capture, several at a time in one browser. */

import { availableParallelism } from 'node:os';
import { readContainerMemory } from '../memory/watchdog.ts';
import { PageLostError, type PageOrder, PageTask, type PageTaskOptions } from './pageTask.ts';

const PAGES_PER_PROCESSOR = 2;
const BYTES_PER_PAGE = 512 * 1024 * 1024;
const MIN_OPEN_PAGES = 2;
const MAX_OPEN_PAGES = 8;

export interface PageQueueOptions extends PageTaskOptions {
  /** Pages that are open at the same time. */
  readonly maxOpenPages: number;
  /** Called each time that a page is opened. */
  readonly onOpening: (page: PageOrder) => void;
}

/**
 * Takes the pictures of all pages. Failures of sites and browsers become results.
 *
 * Pages share a browser, so one page may break or slow down the others. Once a page is lost, the queue opens no further page
 * until the open ones have ended. Then it restarts the browser and processes each lost page alone. A page that is lost alone is
 * opened again, in three browsers at most. A page whose location is unavailable goes to the end of the queue.
 * @throws EngineStartError, the reason of `stop`, and errors of `onResult` and of downloads.
 */
export async function processPages(pages: readonly PageOrder[], tools: PageQueueOptions): Promise<void> {
  const failure = new AbortController();
  const stop = AbortSignal.any([tools.stop, failure.signal]);
  const waiting = pages.map((page) => new PageTask(page, { ...tools, stop }));
  while (waiting.length > 0) {
    const lost: PageTask[] = [];
    const open = new Set<PageTask>();
    const lanes = Array.from({ length: tools.maxOpenPages }, () => processUntilLost({ waiting, open, lost, tools }));
    for (const lane of lanes) lane.catch((error: unknown) => failure.abort(error));
    await Promise.allSettled(lanes);
    await Promise.all(lanes);
    if (lost.length > 0) await tools.engine.restartPageBrowser();
    for (const work of lost) await processAlone(work, tools);
  }
}

interface Lane {
  readonly waiting: PageTask[];
  readonly open: Set<PageTask>;
  readonly lost: PageTask[];
  readonly tools: PageQueueOptions;
}

/** Processes one page after the other, until a page is lost in this lane or in another one. */
async function processUntilLost({ waiting, open, lost, tools }: Lane): Promise<void> {
  for (let work = waiting.shift(); work !== undefined; work = lost.length === 0 ? waiting.shift() : undefined) {
    await work.untilDue();
    open.add(work);
    if (open.size > 1) for (const one of open) one.sharedBrowser = true;
    if ((await runTask(work, tools)) !== undefined) lost.push(work);
    else if (!work.isDone) waiting.push(work);
    open.delete(work);
  }
}

async function processAlone(work: PageTask, tools: PageQueueOptions): Promise<void> {
  work.sharedBrowser = false;
  while (!work.isDone) {
    await work.untilDue();
    const loss = await runTask(work, tools);
    if (loss === undefined) continue;
    await tools.engine.restartPageBrowser();
    if (work.isLastTry)
      await work.failRest(tools.engine.memoryEndReason ?? `The page crashed three browsers: ${loss.message}`);
  }
}

/** @returns the error if the page was lost. */
async function runTask(work: PageTask, { onOpening, log }: PageQueueOptions): Promise<PageLostError | undefined> {
  onOpening(work.page);
  try {
    await work.run();
    return undefined;
  } catch (error) {
    if (!(error instanceof PageLostError)) throw error;
    const { site, device, pictures } = work.page;
    const screenshot_ids = pictures.map(({ id }) => id);
    const fields = { site, device: device.name, screenshot_ids, beside_others: work.sharedBrowser, err: error };
    log.warn(fields, 'a page was lost');
    return error;
  }
}

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
