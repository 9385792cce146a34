import type { ElementHandle, Frame, JSHandle } from 'playwright';
import type { AdSize } from '../../domain/ads.ts';
import type { FoundSlot } from './findSlots.ts';
import type { Rect } from './inPage/rect.ts';
import { STAGING_TOOLS, type Stage, type StagingTools } from './inPage/staging.ts';

type Undo = Pick<Stage, 'undo'>;

/** An ad that is placed in an element or in a frame, wherever that is on the page. */
export interface Staging {
  readonly frame: Frame;
  readonly tools: JSHandle<StagingTools>;
  readonly stage: JSHandle<Stage>;
  /** Changes outside the ad's own frame. */
  readonly outer: { readonly tools: JSHandle<StagingTools>; readonly undo: JSHandle<Undo> } | undefined;
}

export function toolsIn(frame: Frame): Promise<JSHandle<StagingTools>> {
  return frame.evaluateHandle(STAGING_TOOLS);
}

/** @throws Error if the slot is gone or cannot hold an ad; the message says which. */
export async function beginStaging(slot: FoundSlot, size: AdSize): Promise<Staging> {
  const element = await slot.element();
  if (element === null) throw new Error('the slot is no longer in the page');
  const staging = await (slot.isFrame ? inFrame(slot.frame, element, size) : inElement(slot.frame, element, size));
  if (staging.frame.parentFrame() !== null)
    await staging.tools.evaluate((their, stage) => their.scrollOwnFrame(stage as Stage), staging.stage);
  return staging;
}

export async function endStaging({ tools, stage, outer }: Staging): Promise<void> {
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

export async function showAd({ tools, stage }: Staging, png: Buffer | null): Promise<void> {
  if (png === null) await tools.evaluate((their, shown) => their.unpaint(shown as Stage), stage);
  else {
    const source = `data:image/png;base64,${png.toString('base64')}`;
    await tools.evaluate((their, [shown, url]) => their.paint(shown as Stage, url), [stage, source] as const);
  }
}

/** The element of the top document that contains the ad: its image, or the frame around it. */
export async function elementInPage({ frame, stage }: Staging): Promise<JSHandle<Node>> {
  let at = frame;
  for (let parent = at.parentFrame(); parent; parent = at.parentFrame()) {
    if (parent.parentFrame() === null) return at.frameElement();
    at = parent;
  }
  return stage.evaluateHandle(({ image }) => image);
}

/** The ad's box in the viewport of the top document. */
export async function rectInPage({ frame, tools, stage }: Staging): Promise<Rect> {
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
