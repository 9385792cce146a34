import type { Warning } from '../../domain/warnings.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Frame, Handle } from '../browser/frame.ts';
import { glyphWarnings, scriptsWithoutGlyphs } from '../browser/missingGlyphs.ts';
import type { Tab } from '../browser/tab.ts';
import type { Size } from '../creative/creative.ts';
import type { FoundSlot } from './findSlots.ts';
import type { AdInPage, Hiding, ViewRequest } from './inPage/overlays.ts';
import type { AdToStage, Stage } from './inPage/staging.ts';
import type { Rect } from './inPage/visibility.ts';

type Undo = Pick<Stage, 'undo' | 'spreadOut'>;

/** An ad that is placed in an element or in a frame, wherever that is on the page. */
interface Staging {
  readonly frame: Frame;
  readonly stage: Handle<Stage>;
  /** Changes outside the ad's own frame. */
  readonly outer: Handle<Undo> | undefined;
}

/** For one screenshot. */
const CAPTURE_DEADLINE_MS = 15_000;
const MAX_FROZEN = 40;

/** The area of a picture: the screen, or the whole page. */
export type PictureArea = 'screen' | 'page';

/** A part of the document that is captured alone. */
export interface Clip {
  /** CSS pixels, from the top left corner of the document. */
  readonly rect: Rect;
  /** Whether the screen shows all of it. */
  readonly isOnScreen: boolean;
  /** Below 1 for a smaller picture. */
  readonly scale?: number;
}

export interface Screen {
  /** Device pixels for each CSS pixel, at zoom 1. */
  readonly ratio: number;
  /** Below 1 if the screen shows the page smaller. */
  readonly zoom: number;
  /** The shown part of the page, CSS pixels of the page. */
  readonly view: Size;
  /** The top left corner of the screen, from where the page begins, CSS pixels. Negative left of the beginning. */
  readonly scroll: { readonly x: number; readonly y: number };
  /** Its lines are vertical, so readers scroll it sideways. */
  readonly isVertical: boolean;
  /** It is laid out for a wider screen, so readers have to scroll it sideways. */
  readonly isWide: boolean;
  /** Where the page begins, from the top left corner of the document. Pages from right to left do not begin there. */
  readonly origin: { readonly x: number; readonly y: number };
  /** The whole page, CSS pixels. */
  readonly document: Size;
}

/** How an ad is put into a slot. */
export interface StageRequest extends Readonly<AdToStage> {
  /** A page that the screen shows smaller is zoomed in. */
  readonly minZoom: number;
}

/** The open page. Only one caller at a time may use its methods. */
export class LivePage {
  readonly tab: Tab;
  #firstScale: number | undefined;

  constructor(tab: Tab) {
    this.tab = tab;
  }

  /** PNG in device pixels. @param clip a part of the document, reduced by `scale`; default: the screen. */
  async capture({ rect, isOnScreen = false, scale = 1 }: Partial<Clip> = {}): Promise<Buffer> {
    const area = rect === undefined ? {} : { clip: { ...rect, scale } };
    const captureBeyondViewport = rect !== undefined && !isOnScreen;
    const options = { format: 'png', optimizeForSpeed: true, captureBeyondViewport, ...area } as const;
    const { data } = await this.tab.session.send('Page.captureScreenshot', options, CAPTURE_DEADLINE_MS);
    return Buffer.from(data, 'base64');
  }

  async screen(): Promise<Screen> {
    const [{ from, ...seen }, { cssLayoutViewport }] = await Promise.all([
      this.#seen(),
      this.tab.session.send('Page.getLayoutMetrics'),
    ]);
    const { pageX, pageY } = cssLayoutViewport;
    return { ...seen, origin: { x: Math.round(pageX - from.x), y: Math.round(pageY - from.y) } };
  }

  #seen(): Promise<Omit<Screen, 'origin'> & { readonly from: { readonly x: number; readonly y: number } }> {
    return this.tab.mainFrame.evaluate(() => {
      const view = visualViewport ?? {
        scale: 1,
        width: innerWidth,
        height: innerHeight,
        pageLeft: scrollX,
        pageTop: scrollY,
      };
      const { scale, width, height, pageLeft, pageTop } = view;
      const { scrollWidth, scrollHeight } = document.scrollingElement ?? document.documentElement;
      const { clientWidth } = document.documentElement;
      // If the screen shows the page smaller, the browser rounds the width up to a pixel that the page does not have.
      const isRounded = scrollWidth <= innerWidth && scrollWidth - clientWidth === 1;
      return {
        ratio: devicePixelRatio,
        zoom: scale,
        view: { width, height },
        scroll: { x: pageLeft, y: pageTop },
        from: { x: scrollX, y: scrollY },
        isVertical: inPage.hasVerticalLines(),
        isWide: clientWidth > screen.width * 1.1,
        document: { width: isRounded ? scrollWidth - 1 : scrollWidth, height: scrollHeight },
      };
    });
  }

  /** @throws Error if the slot is gone or cannot hold an ad. */
  async stage(slot: FoundSlot, { minZoom, size, isOverBox }: StageRequest): Promise<StagedSlot> {
    await this.freeze();
    const staging = await beginStaging(this.tab, slot, { size, isOverBox });
    const warnings: Warning[] = [...(await openedWrappers(staging)), ...(await this.#zoomIn(minZoom))];
    return new StagedSlot({ staging, top: this.tab.mainFrame, ad: await adInPage(staging), warnings });
  }

  /** @param top of the screen, CSS pixels from where the page begins. */
  scrollTo(top: number): Promise<void> {
    return this.tab.mainFrame.evaluate((y) => inPage.scrollToRow(y), top);
  }

  async freeze(): Promise<void> {
    await Promise.all(this.tab.frames().slice(0, MAX_FROZEN).map(freezeFrame));
  }

  /** A page that was laid out for a wider screen, or is wider than the screen, is shown smaller. The ad would be too. */
  async #zoomIn(minZoom: number): Promise<Warning[]> {
    const { zoom } = await this.screen();
    this.#firstScale ??= zoom;
    const wanted = Math.min(1, Math.max(minZoom, this.#firstScale));
    if (Math.abs(wanted - zoom) > 0.001)
      await this.tab.session.send('Emulation.setPageScaleFactor', { pageScaleFactor: wanted });
    if (wanted - this.#firstScale < 0.01) return [];
    const percent = (scale: number) => `${Math.round(scale * 100)} %`;
    const message = `The device shows this page at ${percent(this.#firstScale)}, because the page is wider than the screen. The picture shows a part of it at ${percent(wanted)}.`;
    return [{ code: 'page_changed', message }];
  }
}

/** An ad that is placed in a slot of the live page until `end` restores the page. */
export class StagedSlot {
  readonly #staging: Staging;
  readonly #top: Frame;
  readonly #ad: Handle<AdInPage>;
  readonly #hidings: Handle<Hiding>[] = [];
  /** Changes to the page so far. */
  readonly warnings: Warning[];

  constructor(parts: { staging: Staging; top: Frame; ad: Handle<AdInPage>; warnings: Warning[] }) {
    this.#staging = parts.staging;
    this.#top = parts.top;
    this.#ad = parts.ad;
    this.warnings = parts.warnings;
  }

  /** The ad's box in CSS pixels, from the top left corner of the screen or from where the page begins. */
  async rect(area: PictureArea): Promise<Rect> {
    const [rect, origin] = await Promise.all([
      rectInPage(this.#staging),
      this.#top.evaluate((of) => inPage.originOf(of), area),
    ]);
    return { ...rect, x: rect.x - origin.x, y: rect.y - origin.y };
  }

  /** Scrolls to the ad and hides what covers it. */
  async bringIntoView(request: ViewRequest): Promise<void> {
    await this.#record(await this.#ad.evaluateHandle((ad, view) => inPage.bringIntoView(ad, view), request));
    const scripts = await this.#top.evaluate(scriptsWithoutGlyphs);
    const isKnown = this.warnings.some(({ code }) => code === 'missing_glyphs');
    if (!isKnown) this.warnings.push(...glyphWarnings(scripts, 'the page'));
  }

  /** Scrolls to the top, for a picture of the whole page. */
  scrollToTop(): Promise<void> {
    return this.#top.evaluate(() => inPage.toTop());
  }

  /** Hides layers that appeared since then. @returns whether there were any. */
  async hideLateLayers(): Promise<boolean> {
    return this.#record(await this.#ad.evaluateHandle((ad) => inPage.hideLateLayers(ad)));
  }

  /** The content of the page under the ad, in words for the user; null if there is none. The ad must be in view. */
  contentUnder(): Promise<string | null> {
    return this.#ad.evaluate((ad) => inPage.contentUnder(ad));
  }

  /** The container that scrolls in place of the page, in words for the user; null if there is none. */
  innerScroller(): Promise<string | null> {
    return this.#ad.evaluate((ad) => inPage.innerScroller(ad));
  }

  /** Opens the space for the ad in another way. */
  async spreadOut(): Promise<void> {
    const { stage, outer } = this.#staging;
    await (outer ?? stage).evaluate((grown) => grown.spreadOut());
  }

  /** Shows a PNG as the ad; null shows the slot without one. */
  async show(png: Buffer | null): Promise<void> {
    const { stage } = this.#staging;
    if (png === null) await stage.evaluate((shown) => inPage.unpaint(shown));
    else {
      const source = `data:image/png;base64,${png.toString('base64')}`;
      await stage.evaluate((shown, url) => inPage.paint(shown, url), source);
    }
  }

  async end(): Promise<void> {
    for (const hiding of this.#hidings.toReversed()) await hiding.evaluate((done) => inPage.end(done));
    const { stage, outer } = this.#staging;
    await stage.evaluate((shown) => inPage.end(shown));
    await outer?.evaluate((grown) => inPage.end(grown));
  }

  async #record(hiding: Handle<Hiding>): Promise<boolean> {
    const hidden = await hiding.evaluate((done) => done.hidden);
    this.#hidings.push(hiding);
    this.warnings.push(...hidden.map((message) => ({ code: 'overlay_hidden', message }) as const));
    return hidden.length > 0;
  }
}

/** The ad as the top document knows it. The position inside its frame stays the same while the page scrolls. */
async function adInPage(staging: Staging): Promise<Handle<AdInPage>> {
  const owner = await elementInPage(staging);
  const rect = await rectInPage(staging);
  return owner.evaluateHandle((element, { x, y, width, height }): AdInPage => {
    const own = element.getBoundingClientRect();
    return { owner: element, offset: { x: x - own.left, y: y - own.top, width, height } };
  }, rect);
}

async function openedWrappers({ stage }: Staging): Promise<Warning[]> {
  const { opened, collapsed } = await stage.evaluate((shown) => ({ opened: shown.opened, collapsed: shown.collapsed }));
  const messages = opened.map((name) => `The container ${name} was closed or smaller than the ad. It was opened.`);
  if (collapsed) messages.push('Empty ad slots around the ad were collapsed, as the page does without an ad.');
  return messages.map((message) => ({ code: 'page_changed', message }));
}

/** Ignores a frame that disappears or does not answer, because nothing in it would move. */
async function freezeFrame(frame: Frame): Promise<void> {
  const still = frame.evaluate(() => inPage.freeze());
  await withDeadline(1_000, still).catch((error: unknown) => void error);
}

/** @throws Error if the slot is gone or cannot hold an ad; the message says which. */
async function beginStaging(tab: Tab, slot: FoundSlot, ad: AdToStage): Promise<Staging> {
  const element = await slot.element();
  const staging = await (slot.isFrame
    ? inFrame(tab, { around: slot.frame, element }, ad.size)
    : inElement(slot.frame, element, ad));
  if (staging.frame.parent !== undefined) await staging.stage.evaluate((stage) => inPage.scrollOwnFrame(stage));
  return staging;
}

async function inElement(frame: Frame, element: Handle<Element>, ad: AdToStage): Promise<Staging> {
  const stage = await element.evaluateHandle((slot, wanted) => inPage.beginInElement(slot, wanted), ad);
  return { frame, stage, outer: undefined };
}

async function inFrame(
  tab: Tab,
  { around, element }: { around: Frame; element: Handle<Element> },
  size: Size,
): Promise<Staging> {
  const frame = tab.frame((await around.frameIdOf(element)) ?? '');
  if (frame === undefined) throw new Error('the slot is a frame without a document');
  const grown = await element.evaluateHandle((slot, wanted) => inPage.growFrame(slot, wanted), size);
  const seen = await grown.evaluate(({ left, right }) => ({ left, right }));
  const begin = (wanted: Size, columns: typeof seen) => inPage.beginInDocument(wanted, columns);
  return { frame, stage: await frame.evaluateHandle(begin, size, seen), outer: grown };
}

/** The element of the top document that contains the ad: its image, or the frame around it. */
async function elementInPage({ frame, stage }: Staging): Promise<Handle<Element>> {
  for (let at: Frame | undefined = frame; at?.parent; at = at.parent)
    if (at.parent.parent === undefined) return at.owner();
  return stage.evaluateHandle(({ image }) => image);
}

/** The ad's box in the viewport of the top document. */
async function rectInPage({ frame, stage }: Staging): Promise<Rect> {
  const rect = await stage.evaluate((shown) => inPage.rectOfStage(shown));
  const { x, y } = await originInPage(frame);
  return { ...rect, x: rect.x + x, y: rect.y + y };
}

/** The top left corner of a frame's viewport in the viewport of the top document, CSS pixels. */
export async function originInPage(frame: Frame): Promise<{ x: number; y: number }> {
  if (frame.parent === undefined) return { x: 0, y: 0 };
  const [outer, inner] = await Promise.all([originInPage(frame.parent), contentOrigin(await frame.owner())]);
  return { x: outer.x + inner.x, y: outer.y + inner.y };
}

function contentOrigin(element: Handle<Element>): Promise<{ x: number; y: number }> {
  return element.evaluate((node) => {
    const { x, y } = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    return {
      x: x + node.clientLeft + Number.parseFloat(style.paddingLeft),
      y: y + node.clientTop + Number.parseFloat(style.paddingTop),
    };
  });
}
