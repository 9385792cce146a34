/** The pages of a capture, some of them open side by side. */
import { PageLostError, type PageTools, type PageToTake, PageWork } from './pagePictures.ts';

export interface QueueTools extends PageTools {
  /** Pages open at the same time. */
  readonly atOnce: number;
  /** Told of each opening. */
  readonly opening: (page: PageToTake) => void;
}

/**
 * Takes the pictures of all pages. What a site or a browser does ends in results.
 *
 * Pages share a browser, so that one of them may break or hold up the others. Once a page is lost, no other is opened until
 * those that are open have ended; then the browser is renewed, and each page that was lost is taken alone, where it is
 * opened once, and once more when it is lost there.
 * @throws EngineStartError, the reason of `stop`, and what `emit` and downloads throw.
 */
export async function takePages(pages: readonly PageToTake[], tools: QueueTools): Promise<void> {
  const broken = new AbortController();
  const stop = AbortSignal.any([tools.stop, broken.signal]);
  const waiting = pages.map((page) => new PageWork(page, { ...tools, stop }));
  while (waiting.length > 0) {
    const lost: PageWork[] = [];
    const open = new Set<PageWork>();
    const lanes = Array.from({ length: tools.atOnce }, () => takeUntilLost({ waiting, open, lost, tools }));
    for (const lane of lanes) lane.catch((error: unknown) => broken.abort(error));
    await Promise.allSettled(lanes);
    await Promise.all(lanes);
    if (lost.length > 0) await tools.engine.renewPages();
    for (const work of lost) await takeAlone(work, tools);
  }
}

interface Lane {
  readonly waiting: PageWork[];
  readonly open: Set<PageWork>;
  readonly lost: PageWork[];
  readonly tools: QueueTools;
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

async function takeAlone(work: PageWork, tools: QueueTools): Promise<void> {
  work.isAccompanied = false;
  while (!work.isDone) {
    const loss = await lossOf(work, tools);
    if (loss === undefined) continue;
    await tools.engine.renewPages();
    if (work.isLastTry)
      await work.failRest(tools.engine.pagesTooHeavy ?? `The page ended the browser twice: ${loss.message}`);
  }
}

/** @returns undefined where the page was not lost. */
async function lossOf(work: PageWork, { opening, log }: QueueTools): Promise<PageLostError | undefined> {
  opening(work.page);
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
