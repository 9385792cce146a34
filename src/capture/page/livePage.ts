import type { CDPSession, ElementHandle, Frame, JSHandle, Page } from 'playwright';
import type { AdSize } from '../../domain/ads.ts';
import type { Warning } from '../../domain/warnings.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Size } from '../creative/creative.ts';
import type { FoundSlot } from './findSlots.ts';
import type { AdInPage, Hiding, ViewRequest } from './inPage/overlays.ts';
import { STAGING_TOOLS, type Stage, type StagingTools } from './inPage/staging.ts';
import type { Rect } from './inPage/visibility.ts';

type Undo = Pick<Stage, 'undo'>;

/** An ad that is placed in an element or in a frame, wherever that is on the page. */
interface Staging {
  readonly frame: Frame;
  readonly tools: JSHandle<StagingTools>;
  readonly stage: JSHandle<Stage>;
  /** Changes outside the ad's own frame. */
  readonly outer: { readonly tools: JSHandle<StagingTools>; readonly undo: JSHandle<Undo> } | undefined;
}

/** For one screenshot. */
const CAPTURE_DEADLINE_MS = 15_000;
const MAX_FROZEN = 40;

/** An ad that is placed in a slot of the live page until `end` restores the page. */
export interface StagedSlot {
  /** The ad's box in CSS pixels, from the top left corner of the screen or of the page. */
  rect(area: PictureArea): Promise<Rect>;
  /** Changes to the page so far. */
  readonly warnings: readonly Warning[];
  /** Scrolls to the ad and hides what covers it. */
  bringIntoView(request: ViewRequest): Promise<void>;
  /** Scrolls to the top, for a picture of the whole page. */
  scrollToTop(): Promise<void>;
  /** Hides layers that appeared since then. @returns whether there were any. */
  hideLateLayers(): Promise<boolean>;
  /** Shows a PNG as the ad; null shows the slot without one. */
  show(png: Buffer | null): Promise<void>;
  end(): Promise<void>;
}

/** The area of a picture: the screen, or the whole page. */
export type PictureArea = 'screen' | 'page';

export interface Screen {
  /** Device pixels for each CSS pixel, at zoom 1. */
  readonly ratio: number;
  /** Below 1 if the screen shows the page smaller. */
  readonly zoom: number;
  /** The shown part of the page, CSS pixels of the page. */
  readonly view: Size;
  /** The whole page, CSS pixels. */
  readonly document: Size;
}

/** The open page. Only one caller at a time may use its methods. */
export class LivePage {
  readonly page: Page;
  readonly #session: CDPSession;
  #crashed = false;
  #firstScale: number | undefined;

  constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
    page.once('crash', () => {
      this.#crashed = true;
    });
  }

  /** Whether the page crashed or was closed, so that no call to it succeeds any more. */
  get isLost(): boolean {
    return this.#crashed || this.page.isClosed();
  }

  /** PNG in device pixels. @param clip a part of the document in CSS pixels; default: the viewport. */
  async capture(clip?: Rect): Promise<Buffer> {
    const area =
      clip === undefined
        ? { captureBeyondViewport: false }
        : { captureBeyondViewport: true, clip: { ...clip, scale: 1 } };
    const options = { format: 'png', optimizeForSpeed: true, ...area } as const;
    const { data } = await withDeadline(CAPTURE_DEADLINE_MS, this.#session.send('Page.captureScreenshot', options));
    return Buffer.from(data, 'base64');
  }

  /** The width for which the page was laid out, CSS pixels. */
  layoutWidth(): Promise<number> {
    return this.page.evaluate(() => document.documentElement.clientWidth);
  }

  async screen(): Promise<Screen> {
    return this.page.evaluate(() => {
      const { scale = 1, width = innerWidth, height = innerHeight } = visualViewport ?? {};
      const { scrollWidth, scrollHeight } = document.scrollingElement ?? document.documentElement;
      // If the screen shows the page smaller, the browser rounds the width up to a pixel that the page does not have.
      const isRounded = scrollWidth <= innerWidth && scrollWidth - document.documentElement.clientWidth === 1;
      return {
        ratio: devicePixelRatio,
        zoom: scale,
        view: { width, height },
        document: { width: isRounded ? scrollWidth - 1 : scrollWidth, height: scrollHeight },
      };
    });
  }

  /** @param minZoom a page that the screen shows smaller is zoomed in. @throws Error if the slot is gone or cannot hold an ad. */
  async stage(slot: FoundSlot, size: AdSize, minZoom = 1): Promise<StagedSlot> {
    await this.freeze();
    const staging = await beginStaging(slot, size);
    const warnings: Warning[] = [...(await openedWrappers(staging)), ...(await this.#zoomIn(minZoom))];
    const top = await toolsIn(this.page.mainFrame());
    return new PageStage({ staging, top, ad: await adInPage(staging), warnings });
  }

  async freeze(): Promise<void> {
    await Promise.all(this.page.frames().slice(0, MAX_FROZEN).map(freezeFrame));
  }

  /** A page that was laid out for a wider screen, or is wider than the screen, is shown smaller. The ad would be too. */
  async #zoomIn(minZoom: number): Promise<Warning[]> {
    const { zoom } = await this.screen();
    this.#firstScale ??= zoom;
    const wanted = Math.min(1, Math.max(minZoom, this.#firstScale));
    if (Math.abs(wanted - zoom) > 0.001)
      await this.#session.send('Emulation.setPageScaleFactor', { pageScaleFactor: wanted });
    if (wanted - this.#firstScale < 0.01) return [];
    const percent = (scale: number) => `${Math.round(scale * 100)} %`;
    const message = `The device shows this page at ${percent(this.#firstScale)}, because the page is wider than the screen. The picture shows a part of it at ${percent(wanted)}.`;
    return [{ code: 'page_changed', message }];
  }
}

class PageStage implements StagedSlot {
  readonly #staging: Staging;
  readonly #top: JSHandle<StagingTools>;
  readonly #ad: JSHandle<AdInPage>;
  readonly #hidings: JSHandle<Hiding>[] = [];
  readonly warnings: Warning[];

  constructor(parts: { staging: Staging; top: JSHandle<StagingTools>; ad: JSHandle<AdInPage>; warnings: Warning[] }) {
    this.#staging = parts.staging;
    this.#top = parts.top;
    this.#ad = parts.ad;
    this.warnings = parts.warnings;
  }

  async rect(area: PictureArea): Promise<Rect> {
    const [rect, origin] = await Promise.all([
      rectInPage(this.#staging),
      this.#top.evaluate((tools, of) => tools.originOf(of), area),
    ]);
    return { ...rect, x: rect.x - origin.x, y: rect.y - origin.y };
  }

  async bringIntoView(request: ViewRequest): Promise<void> {
    const args = [this.#ad, request] as const;
    await this.#record(
      await this.#top.evaluateHandle((tools, [ad, view]) => tools.bringIntoView(ad as AdInPage, view), args),
    );
  }

  scrollToTop(): Promise<void> {
    return this.#top.evaluate((tools) => tools.toTop());
  }

  async hideLateLayers(): Promise<boolean> {
    return this.#record(await this.#top.evaluateHandle((tools, ad) => tools.hideLateLayers(ad as AdInPage), this.#ad));
  }

  show(png: Buffer | null): Promise<void> {
    return showAd(this.#staging, png);
  }

  async end(): Promise<void> {
    for (const hiding of this.#hidings.toReversed())
      await this.#top.evaluate((tools, done) => tools.end(done as Hiding), hiding);
    await endStaging(this.#staging);
  }

  async #record(hiding: JSHandle<Hiding>): Promise<boolean> {
    const hidden = await hiding.evaluate((done) => done.hidden);
    this.#hidings.push(hiding);
    this.warnings.push(...hidden.map((message) => ({ code: 'overlay_hidden', message }) as const));
    return hidden.length > 0;
  }
}

/** The ad as the top document knows it. The position inside its frame stays the same while the page scrolls. */
async function adInPage(staging: Staging): Promise<JSHandle<AdInPage>> {
  const owner = await elementInPage(staging);
  const rect = await rectInPage(staging);
  return owner.evaluateHandle((element, { x, y, width, height }): AdInPage => {
    if (!(element instanceof Element)) throw new Error('the slot is no longer in the page');
    const own = element.getBoundingClientRect();
    return { owner: element, offset: { x: x - own.left, y: y - own.top, width, height } };
  }, rect);
}

async function openedWrappers({ stage }: Staging): Promise<Warning[]> {
  const opened = await stage.evaluate((shown) => shown.opened);
  return opened.map((name) => ({
    code: 'page_changed',
    message: `The container ${name} was closed or smaller than the ad. It was opened.`,
  }));
}

/** Ignores a frame that disappears or does not answer, because nothing in it would move. */
async function freezeFrame(frame: Frame): Promise<void> {
  const still = toolsIn(frame).then((tools) => tools.evaluate((their) => their.freeze()));
  await withDeadline(1_000, still).catch((error: unknown) => void error);
}

function toolsIn(frame: Frame): Promise<JSHandle<StagingTools>> {
  return frame.evaluateHandle(STAGING_TOOLS);
}

/** @throws Error if the slot is gone or cannot hold an ad; the message says which. */
async function beginStaging(slot: FoundSlot, size: AdSize): Promise<Staging> {
  const element = await slot.element();
  if (element === null) throw new Error('the slot is no longer in the page');
  const staging = await (slot.isFrame ? inFrame(slot.frame, element, size) : inElement(slot.frame, element, size));
  if (staging.frame.parentFrame() !== null)
    await staging.tools.evaluate((their, stage) => their.scrollOwnFrame(stage as Stage), staging.stage);
  return staging;
}

async function endStaging({ tools, stage, outer }: Staging): Promise<void> {
  await tools.evaluate((their, shown) => their.end(shown as Stage), stage);
  await outer?.tools.evaluate((their, grown) => their.end(grown as Undo), outer.undo);
}

async function inElement(frame: Frame, element: ElementHandle<Element>, size: AdSize): Promise<Staging> {
  const tools = await toolsIn(frame);
  const stage = await tools.evaluateHandle((their, [slot, wanted]) => their.beginInElement(slot as Element, wanted), [
    element,
    size,
  ] as const);
  return { frame, tools, stage, outer: undefined };
}

async function inFrame(around: Frame, element: ElementHandle<Element>, size: AdSize): Promise<Staging> {
  const frame = await element.contentFrame();
  if (frame === null) throw new Error('the slot is a frame without a document');
  const outerTools = await toolsIn(around);
  const grown = await outerTools.evaluateHandle((their, [slot, wanted]) => their.growFrame(slot as Element, wanted), [
    element,
    size,
  ] as const);
  const { left, right } = await grown.evaluate((space) => ({ left: space.left, right: space.right }));
  const tools = await toolsIn(frame);
  const stage = await tools.evaluateHandle((their, [wanted, seen]) => their.beginInDocument(wanted, seen), [
    size,
    { left, right },
  ] as const);
  return { frame, tools, stage, outer: { tools: outerTools, undo: grown } };
}

async function showAd({ tools, stage }: Staging, png: Buffer | null): Promise<void> {
  if (png === null) await tools.evaluate((their, shown) => their.unpaint(shown as Stage), stage);
  else {
    const source = `data:image/png;base64,${png.toString('base64')}`;
    await tools.evaluate((their, [shown, url]) => their.paint(shown as Stage, url), [stage, source] as const);
  }
}

/** The element of the top document that contains the ad: its image, or the frame around it. */
async function elementInPage({ frame, stage }: Staging): Promise<JSHandle<Node>> {
  let at = frame;
  for (let parent = at.parentFrame(); parent; parent = at.parentFrame()) {
    if (parent.parentFrame() === null) return at.frameElement();
    at = parent;
  }
  return stage.evaluateHandle(({ image }) => image);
}

/** The ad's box in the viewport of the top document. */
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
