import type { CDPSession, ElementHandle, Frame, JSHandle, Page } from 'playwright';
import { withDeadline } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';
import type { FoundSlot } from './findSlots.ts';
import type { AdSize, Rect } from './inPage/rect.ts';
import { STAGING_TOOLS, type Stage, type StagingTools } from './inPage/staging.ts';

/** For one screenshot. */
const CAPTURE_DEADLINE_MS = 15_000;
const MAX_FROZEN = 40;

/** An ad that is placed in a slot of the live page until `end` restores the page. */
export interface StagedSlot {
  /** The ad's box in the viewport, CSS pixels. */
  readonly rect: Rect;
  /** Sentences on changes to the page, for example a hidden overlay. */
  readonly notes: readonly string[];
  /** Shows a PNG as the ad; null shows the slot without one. */
  show(png: Buffer | null): Promise<void>;
  end(): Promise<void>;
}

interface Staging {
  readonly frame: Frame;
  readonly tools: JSHandle<StagingTools>;
  readonly stage: JSHandle<Stage>;
  /** The element to scroll to: the ad's container, or the frame that the ad fills. */
  readonly anchor: JSHandle<Element>;
}

/** The open page. Only one caller at a time may use its methods. */
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

  /** Device pixels for each CSS pixel, including the zoom of a page that a small screen shows zoomed out. */
  pixelRatio(): Promise<number> {
    return this.page.evaluate(() => devicePixelRatio * (visualViewport?.scale ?? 1));
  }

  /** @throws Error if the slot is gone or cannot hold an ad; the message says which. */
  async stage(slot: FoundSlot, size: AdSize): Promise<StagedSlot> {
    await this.freeze();
    const element = await slot.element();
    if (element === null) throw new Error('the slot is no longer in the page');
    const staging = await (slot.isFrame ? inFrame(element, size) : inElement(slot.frame, element, size));
    const notes: string[] = [];
    const hiding = await this.#bringIntoView(staging, notes);
    return {
      rect: await rectInPage(staging),
      notes,
      show: (png) => show(staging, png),
      end: async () => {
        await staging.tools.evaluate((tools, stage) => tools.end(stage as Stage), staging.stage);
        await hiding();
      },
    };
  }

  async freeze(): Promise<void> {
    await Promise.all(this.page.frames().slice(0, MAX_FROZEN).map(freezeFrame));
  }

  /** Scrolls to the top if the ad is visible there, because the masthead identifies the site; else centres the ad. */
  async #bringIntoView(staging: Staging, notes: string[]): Promise<() => Promise<void>> {
    const top = await toolsIn(this.page.mainFrame());
    await this.page.evaluate(() => scrollTo({ left: 0, top: 0, behavior: 'instant' }));
    const { y, height } = await rectInPage(staging);
    const screen = await this.page.evaluate(() => innerHeight);
    const seenAtTop = y >= 0 && y + height <= screen - 16;
    if (!seenAtTop) await toMiddle(staging, top);
    else await top.evaluate((tools) => tools.viewSettled());
    const putBack = await hideOverlays(staging, top, notes);
    if (seenAtTop && !(await isUncovered(staging, top))) await toMiddle(staging, top);
    return putBack;
  }
}

/** Ignores a frame that disappears or does not answer, because nothing in it would move. */
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

/** Waits until the scroll has arrived: a page that a frame in another process scrolls moves later. */
async function arrived(staging: Staging, screen: number): Promise<void> {
  const isFramed = staging.frame.parentFrame() !== null;
  for (let look = 0; isFramed && look < 15; look++) {
    const { y, height } = await rectInPage(staging);
    if (Math.abs(y + height / 2 - screen / 2) < 2) return;
    await sleep(40);
  }
}

async function isUncovered(staging: Staging, top: JSHandle<StagingTools>): Promise<boolean> {
  const where = [await elementInPage(staging), await rectInPage(staging)] as const;
  return top.evaluate((tools, [slot, at]) => tools.isUncovered(slot as Element, at), where);
}

/** @returns a function that shows the overlays again. */
async function hideOverlays(
  staging: Staging,
  top: JSHandle<StagingTools>,
  notes: string[],
): Promise<() => Promise<void>> {
  const where = [await elementInPage(staging), await rectInPage(staging)] as const;
  const hiding = await top.evaluateHandle((tools, [slot, at]) => tools.hideOverlays(slot as Element, at), where);
  const hidden = await hiding.evaluate((done) => done.hidden);
  if (hidden.length > 0) notes.push(`an overlay that covered the slot was hidden: ${hidden.join(', ')}`);
  return () => top.evaluate((tools, done) => tools.end(done as Pick<Stage, 'undo'>), hiding);
}

async function toolsIn(frame: Frame): Promise<JSHandle<StagingTools>> {
  return frame.evaluateHandle(STAGING_TOOLS);
}

async function inElement(frame: Frame, element: ElementHandle<Element>, size: AdSize): Promise<Staging> {
  const tools = await toolsIn(frame);
  const stage = await tools.evaluateHandle((their, [slot, wanted]) => their.beginInElement(slot as Element, wanted), [
    element,
    size,
  ] as const);
  return { frame, tools, stage, anchor: element };
}

async function inFrame(element: ElementHandle<Element>, size: AdSize): Promise<Staging> {
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

/** The element of the top document that contains the ad: its image, or the frame around it. */
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
