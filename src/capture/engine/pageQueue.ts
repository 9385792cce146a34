/** The pages of a capture, some of them open side by side. */
import { PageLostError, type PageOrder, PageTask, type PageTaskOptions } from './pageTask.ts';

export interface PageQueueOptions extends PageTaskOptions {
  /** Pages open at the same time. */
  readonly maxOpenPages: number;
  /** Told of each opening. */
  readonly onOpening: (page: PageOrder) => void;
}

/**
 * Takes the pictures of all pages. What a site or a browser does ends in results.
 *
 * Pages share a browser, so that one of them may break or hold up the others. Once a page is lost, no other is opened until
 * those that are open have ended; then the browser is renewed, and each page that was lost is taken alone, where it is
 * opened once, and once more when it is lost there.
 * @throws EngineStartError, the reason of `stop`, and what `emit` and downloads throw.
 */
export async function processPages(pages: readonly PageOrder[], tools: PageQueueOptions): Promise<void> {
  const broken = new AbortController();
  const stop = AbortSignal.any([tools.stop, broken.signal]);
  const waiting = pages.map((page) => new PageTask(page, { ...tools, stop }));
  while (waiting.length > 0) {
    const lost: PageTask[] = [];
    const open = new Set<PageTask>();
    const lanes = Array.from({ length: tools.maxOpenPages }, () => takeUntilLost({ waiting, open, lost, tools }));
    for (const lane of lanes) lane.catch((error: unknown) => broken.abort(error));
    await Promise.allSettled(lanes);
    await Promise.all(lanes);
    if (lost.length > 0) await tools.engine.restartPageBrowser();
    for (const work of lost) await takeAlone(work, tools);
  }
}

interface Lane {
  readonly waiting: PageTask[];
  readonly open: Set<PageTask>;
  readonly lost: PageTask[];
  readonly tools: PageQueueOptions;
}

/** One page after the other, while none is lost here or in another lane. */
async function takeUntilLost({ waiting, open, lost, tools }: Lane): Promise<void> {
  for (let work = waiting.shift(); work !== undefined; work = lost.length === 0 ? waiting.shift() : undefined) {
    open.add(work);
    if (open.size > 1) for (const one of open) one.isAccompanied = true;
    if ((await lossOf(work, tools)) !== undefined) lost.push(work);
    open.delete(work);
  }
}

async function takeAlone(work: PageTask, tools: PageQueueOptions): Promise<void> {
  work.isAccompanied = false;
  while (!work.isDone) {
    const loss = await lossOf(work, tools);
    if (loss === undefined) continue;
    await tools.engine.restartPageBrowser();
    if (work.isLastTry)
      await work.failRest(tools.engine.memoryEndReason ?? `The page ended the browser twice: ${loss.message}`);
  }
}

/** @returns undefined where the page was not lost. */
async function lossOf(work: PageTask, { onOpening, log }: PageQueueOptions): Promise<PageLostError | undefined> {
  onOpening(work.page);
  try {
    await work.run();
    return undefined;
  } catch (error) {
    if (!(error instanceof PageLostError)) throw error;
    const { site, device } = work.page;
    log.warn({ site, device: device.name, beside_others: work.isAccompanied, err: error }, 'a page was lost');
    return error;
  }
}
