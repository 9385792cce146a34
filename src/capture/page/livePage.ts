import type { CDPSession, ElementHandle, Frame, JSHandle, Page } from 'playwright';
import { withDeadline } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';
import type { FoundSlot } from './findSlots.ts';
import type { Rect, StagedSize } from './inPage/rect.ts';
import { STAGING_TOOLS, type Stage, type StagingTools } from './inPage/staging.ts';

/** One capture of the browser's. */
const CAPTURE_DEADLINE_MS = 15_000;
const MAX_FROZEN = 40;

/** An ad's place in the live page: shown, measured, photographed, and at the end taken away. */
export interface StagedSlot {
  /** Where the ad stands in the viewport, CSS pixels. */
  readonly rect: Rect;
  /** What had to be done to the page, in words. */
  readonly notes: readonly string[];
  /** Shows a PNG as the ad; null shows the slot without one. */
  show(png: Buffer | null): Promise<void>;
  end(): Promise<void>;
}

interface Staging {
  readonly frame: Frame;
  readonly tools: JSHandle<StagingTools>;
  readonly stage: JSHandle<Stage>;
  /** What to scroll to: the ad, or the frame that it fills. */
  readonly anchor: JSHandle<Element>;
}

/** The page as the browser has it. Its methods are for one caller at a time. */
export class LivePage {
  readonly page: Page;
  readonly #session: CDPSession;

  constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
  }

  /** PNG of the viewport in device pixels. */
  async capture(): Promise<Buffer> {
    const options = { format: 'png', optimizeForSpeed: true, captureBeyondViewport: false } as const;
    const { data } = await withDeadline(CAPTURE_DEADLINE_MS, this.#session.send('Page.captureScreenshot', options));
    return Buffer.from(data, 'base64');
  }

  /** Device pixels for each CSS pixel of the viewport, a page zoomed out to fit a small screen counted in. */
  pixelRatio(): Promise<number> {
    return this.page.evaluate(() => devicePixelRatio * (visualViewport?.scale ?? 1));
  }

  /** @throws Error in words where the slot is gone or cannot hold anything. */
  async stage(slot: FoundSlot, size: StagedSize): Promise<StagedSlot> {
    await this.freeze();
    const element = await slot.element();
    if (element === null) throw new Error('the slot is no longer in the page');
    const staging = await (slot.isFrame ? inFrame(element, size) : inElement(slot.frame, element, size));
    const notes: string[] = [];
    const lifting = await this.#bringIntoView(staging, notes);
    return {
      rect: await rectInPage(staging),
      notes,
      show: (png) => show(staging, png),
      end: async () => {
        await staging.tools.evaluate((tools, stage) => tools.end(stage as Stage), staging.stage);
        await lifting();
      },
    };
  }

  async freeze(): Promise<void> {
    await Promise.all(this.page.frames().slice(0, MAX_FROZEN).map(freezeFrame));
  }

  /** The top of the page where the ad is seen there, for the masthead says whose page it is; else its own middle. */
  async #bringIntoView(staging: Staging, notes: string[]): Promise<() => Promise<void>> {
    const top = await toolsIn(this.page.mainFrame());
    await this.page.evaluate(() => scrollTo({ left: 0, top: 0, behavior: 'instant' }));
    const { y, height } = await rectInPage(staging);
    const screen = await this.page.evaluate(() => innerHeight);
    const seenAtTop = y >= 0 && y + height <= screen - 16;
    if (!seenAtTop) await toMiddle(staging, top);
    else await top.evaluate((tools) => tools.viewSettled());
    const putBack = await liftOverlays(staging, top, notes);
    if (seenAtTop && !(await isClear(staging, top))) await toMiddle(staging, top);
    return putBack;
  }
}

/** A frame that goes away or does not answer moves nothing that matters. */
async function freezeFrame(frame: Frame): Promise<void> {
  const still = toolsIn(frame).then((tools) => tools.evaluate((their) => their.freeze()));
  await withDeadline(1_000, still).catch((error: unknown) => void error);
}

async function toMiddle(staging: Staging, top: JSHandle<StagingTools>): Promise<void> {
  await staging.anchor.evaluate((anchor) => {
    const tall = anchor.getBoundingClientRect().height > innerHeight;
    anchor.scrollIntoView({ block: tall ? 'start' : 'center', inline: 'nearest', behavior: 'instant' });
  });
  await arrived(staging, await top.evaluate(() => innerHeight));
  await top.evaluate((tools) => tools.viewSettled());
}

/** A page that is scrolled from a frame in another process moves in its own time. */
async function arrived(staging: Staging, screen: number): Promise<void> {
  const isFramed = staging.frame.parentFrame() !== null;
  for (let look = 0; isFramed && look < 15; look++) {
    const { y, height } = await rectInPage(staging);
    if (Math.abs(y + height / 2 - screen / 2) < 2) return;
    await sleep(40);
  }
}

async function isClear(staging: Staging, top: JSHandle<StagingTools>): Promise<boolean> {
  const where = [await elementInPage(staging), await rectInPage(staging)] as const;
  return top.evaluate((tools, [slot, at]) => tools.isClear(slot as Element, at), where);
}

/** @returns what puts them back. */
async function liftOverlays(
  staging: Staging,
  top: JSHandle<StagingTools>,
  notes: string[],
): Promise<() => Promise<void>> {
  const where = [await elementInPage(staging), await rectInPage(staging)] as const;
  const lifting = await top.evaluateHandle((tools, [slot, at]) => tools.liftOverlays(slot as Element, at), where);
  const lifted = await lifting.evaluate((done) => done.lifted);
  if (lifted.length > 0) notes.push(`an overlay that lay on the slot was taken away: ${lifted.join(', ')}`);
  return () => top.evaluate((tools, done) => tools.end(done as Pick<Stage, 'undo'>), lifting);
}

async function toolsIn(frame: Frame): Promise<JSHandle<StagingTools>> {
  return frame.evaluateHandle(STAGING_TOOLS);
}

async function inElement(frame: Frame, element: ElementHandle<Element>, size: StagedSize): Promise<Staging> {
  const tools = await toolsIn(frame);
  const stage = await tools.evaluateHandle((their, [slot, wanted]) => their.beginInElement(slot as Element, wanted), [
    element,
    size,
  ] as const);
  return { frame, tools, stage, anchor: element };
}

async function inFrame(element: ElementHandle<Element>, size: StagedSize): Promise<Staging> {
  const frame = await element.contentFrame();
  if (frame === null) throw new Error('the slot is a frame without a document');
  const tools = await toolsIn(frame);
  const stage = await tools.evaluateHandle((their, wanted) => their.beginInDocument(wanted), size);
  return { frame, tools, stage, anchor: element };
}

async function show({ tools, stage }: Staging, png: Buffer | null): Promise<void> {
  if (png === null) await tools.evaluate((their, shown) => their.unpaint(shown as Stage), stage);
  else {
    const source = `data:image/png;base64,${png.toString('base64')}`;
    await tools.evaluate((their, [shown, url]) => their.paint(shown as Stage, url), [stage, source] as const);
  }
}

/** The element of the top document that the ad stands in: its image, or the frame around it. */
async function elementInPage({ frame, stage }: Staging): Promise<ElementHandle | JSHandle> {
  let at = frame;
  for (let parent = at.parentFrame(); parent; parent = at.parentFrame()) {
    if (parent.parentFrame() === null) return at.frameElement();
    at = parent;
  }
  return stage.evaluateHandle(({ image }) => image);
}

async function rectInPage({ frame, tools, stage }: Staging): Promise<Rect> {
  const rect = await tools.evaluate((their, shown) => their.rectOfStage(shown as Stage), stage);
  let { x, y } = rect;
  for (let at = frame; at.parentFrame() !== null; at = at.parentFrame() ?? at) {
    const origin = await contentOrigin(await at.frameElement());
    x += origin.x;
    y += origin.y;
  }
  return { ...rect, x, y };
}

function contentOrigin(element: ElementHandle): Promise<{ x: number; y: number }> {
  return element.evaluate((node) => {
    if (!(node instanceof Element)) return { x: 0, y: 0 };
    const { x, y } = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    return {
      x: x + node.clientLeft + Number.parseFloat(style.paddingLeft),
      y: y + node.clientTop + Number.parseFloat(style.paddingTop),
    };
  });
}
