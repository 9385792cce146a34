import type { Size } from './creative.ts';

/** The boxes that a creative shows in its frame, in CSS pixels of the frame. */
export interface ShownLayout {
  readonly viewport: Size;
  /** The outermost boxes whose size does not follow the frame. Those that show something come first, then the largest. */
  readonly roots: readonly RootBox[];
  /** The box around all that is painted, clipped by each ancestor, without what fills the frame. Null if there is nothing. */
  readonly painted: LayoutBox | null;
  /** True if an element that paints has the size of the frame. */
  readonly filled: boolean;
  /** True if an element has the size and the position of the frame. */
  readonly fits: boolean;
  /** True if a box that begins in the frame ends outside of it. */
  readonly sticksOut: boolean;
  /** The position of a box that has the size of the frame, but begins inside it. */
  readonly offset: { readonly x: number; readonly y: number } | null;
  /** True if the document itself has a background that is not white. */
  readonly hasBackground: boolean;
  /** True if the document has nothing but text on a background. */
  readonly onlyText: boolean;
}

export interface LayoutBox extends Size {
  readonly x: number;
  readonly y: number;
}

export interface RootBox extends LayoutBox {
  /** True if it cuts off its content, paints, or is an image or the like: then it is a stage. */
  readonly isStage: boolean;
  readonly isImage: boolean;
  /** True if something in it is painted. */
  readonly shows: boolean;
}

/**
 * Runs in the creative's iframe, so it uses only globals. Walks the document and its shadow roots once. A box is clipped by
 * those ancestors that clip it in CSS: an absolute box ignores ancestors that are not positioned.
 */
export function readShownLayout(): ShownLayout {
  type Box = { left: number; top: number; right: number; bottom: number };
  type Clips = { flow: Box; absolute: Box; fixed: Box };
  type Root = { box: Box; isStage: boolean; isImage: boolean; shows: boolean; outer: Root | undefined };
  interface Context {
    readonly clips: Clips;
    readonly alpha: number;
    readonly root: Root | undefined;
    /** The content box of the nearest ancestor that follows the frame. */
    readonly follows: { readonly width: number; readonly height: number };
    readonly dx: number;
    readonly dy: number;
  }
  const vw = innerWidth;
  const vh = innerHeight;
  const ALL: Box = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };
  const REPLACED = new Set('IMG IFRAME CANVAS VIDEO SVG OBJECT EMBED INPUT BUTTON FRAME'.split(' '));
  const IGNORED = new Set('SCRIPT STYLE NOSCRIPT TEMPLATE LINK META HEAD TITLE BASE'.split(' '));
  const roots: Root[] = [];
  let painted: Box | undefined;
  let filled = false;
  let boxed = false;
  let fits = false;
  let sticksOut = false;
  let offset: { x: number; y: number } | null = null;
  let left = 20_000;

  const intersected = (a: Box, b: Box): Box => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  });
  const isEmpty = (box: Box) => box.right - box.left <= 1 || box.bottom - box.top <= 1;
  const isFrame = (box: Box, tolerance: number) =>
    [box.left, box.top, box.right - vw, box.bottom - vh].every((distance) => Math.abs(distance) <= tolerance);
  const boxOf = (rect: DOMRect, { dx, dy }: Context): Box => ({
    left: rect.left + dx,
    top: rect.top + dy,
    right: rect.right + dx,
    bottom: rect.bottom + dy,
  });
  const paints = (style: CSSStyleDeclaration) =>
    style.backgroundImage !== 'none' || !/rgba\(.*, 0\)|transparent/.test(style.backgroundColor);
  const add = (box: Box, context: Context) => {
    if (isEmpty(box)) return;
    for (let root = context.root; root; root = root.outer) root.shows = true;
    if (isFrame(box, 1)) {
      filled = true;
      return;
    }
    painted = painted
      ? {
          left: Math.min(painted.left, box.left),
          top: Math.min(painted.top, box.top),
          right: Math.max(painted.right, box.right),
          bottom: Math.max(painted.bottom, box.bottom),
        }
      : box;
  };
  /** The part of a box that its clip-path leaves; only insets and polygons are exact. */
  const pathClip = (box: Box, style: CSSStyleDeclaration): Box => {
    const length = (text: string, whole: number) =>
      text.endsWith('%') ? (Number.parseFloat(text) / 100) * whole : Number.parseFloat(text);
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    const inset = /^inset\(([^)]*?)(?:\sround[^)]*)?\)/.exec(style.clipPath)?.[1];
    if (inset !== undefined) {
      const [top = '0', right = top, bottom = top, side = right] = inset.trim().split(/\s+/);
      return {
        left: box.left + length(side, width),
        top: box.top + length(top, height),
        right: box.right - length(right, width),
        bottom: box.bottom - length(bottom, height),
      };
    }
    const polygon = /^polygon\((?:\w+,\s*)?([^)]*)\)/.exec(style.clipPath)?.[1];
    if (polygon !== undefined) {
      const points = polygon.split(',').map((point) => point.trim().split(/\s+/));
      const xs = points.map(([x = '0']) => box.left + length(x, width));
      const ys = points.map(([, y = '0']) => box.top + length(y, height));
      const around = { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
      return [...xs, ...ys].some(Number.isNaN) ? box : around;
    }
    const rect = /^rect\(([^)]*)\)/.exec(style.clip)?.[1]?.split(/[\s,]+/);
    if (rect === undefined || !/absolute|fixed/.test(style.position)) return box;
    const edge = (text: string | undefined, auto: number) => (text === 'auto' ? auto : Number.parseFloat(text ?? '0'));
    return {
      left: box.left + edge(rect[3], 0),
      top: box.top + edge(rect[0], 0),
      right: box.left + edge(rect[1], width),
      bottom: box.top + edge(rect[2], height),
    };
  };
  const clipsX = (style: CSSStyleDeclaration) => style.overflowX !== 'visible';
  const clipsY = (style: CSSStyleDeclaration) => style.overflowY !== 'visible';
  const holdsFixed = (style: CSSStyleDeclaration) =>
    style.transform !== 'none' || style.filter !== 'none' || style.perspective !== 'none' || style.contain !== 'none';
  /** True if neither side of the box follows the frame. */
  const isExplicit = (box: Box, { follows, dx, dy }: Context) => {
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    const isFree = Math.abs(width - follows.width) > 1 && Math.abs(height - follows.height) > 1;
    return width >= 40 && height >= 20 && (isFree || dx !== 0 || dy !== 0);
  };
  const followed = (box: Box, style: CSSStyleDeclaration, { follows }: Context) => {
    const px = (text: string) => Number.parseFloat(text) || 0;
    const width = box.right - box.left;
    const height = box.bottom - box.top;
    return {
      width:
        Math.abs(width - follows.width) > 1 ? follows.width : width - px(style.paddingLeft) - px(style.paddingRight),
      height:
        Math.abs(height - follows.height) > 1
          ? follows.height
          : height - px(style.paddingTop) - px(style.paddingBottom),
    };
  };
  /** True for a body whose style gives its size. */
  const isSized = (body: Element, style: CSSStyleDeclaration) => {
    const isFixed = (side: string) => /px$/.test(String(body.computedStyleMap().get(side)));
    return isFixed('width') && (clipsX(style) || isFixed('height'));
  };
  /** Compares a box with the frame. */
  const compare = (box: Box) => {
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    if (isFrame(box, 4)) fits = true;
    const begins = box.left < vw / 2 && box.top < vh / 2 && width >= 40 && height >= 20;
    if (begins && (box.right > vw + 4 || box.bottom > vh + 4)) sticksOut = true;
    const isSameSize = Math.abs(width - vw) <= 4 && Math.abs(height - vh) <= 4;
    if (begins && isSameSize && (box.left > 4 || box.top > 4))
      offset = { x: Math.round(box.left), y: Math.round(box.top) };
  };
  const bodyFollows = (box: Box, style: CSSStyleDeclaration) => {
    const px = (text: string) => Number.parseFloat(text) || 0;
    return { width: box.right - box.left - px(style.paddingLeft) - px(style.paddingRight), height: vh };
  };
  const inner = (element: Element, box: Box, style: CSSStyleDeclaration, context: Context): Context => {
    let { flow, absolute, fixed } = context.clips;
    const own = style.position === 'fixed' ? fixed : style.position === 'absolute' ? absolute : flow;
    // The overflow of the body belongs to the window.
    const isBody = element === element.ownerDocument.body;
    const frame = {
      left: clipsX(style) && !isBody ? box.left : ALL.left,
      right: clipsX(style) && !isBody ? box.right : ALL.right,
      top: clipsY(style) && !isBody ? box.top : ALL.top,
      bottom: clipsY(style) && !isBody ? box.bottom : ALL.bottom,
    };
    flow = intersected(own, frame);
    if (style.clipPath !== 'none' || style.clip !== 'auto') {
      flow = intersected(flow, pathClip(box, style));
      absolute = flow;
      fixed = flow;
    }
    if (style.position !== 'static' || holdsFixed(style)) absolute = flow;
    if (holdsFixed(style)) fixed = flow;
    const alpha = context.alpha * Number(style.opacity);
    const follows = isBody ? bodyFollows(box, style) : followed(box, style, context);
    return { ...context, clips: { flow, absolute, fixed }, alpha, follows };
  };
  const texts = (element: Element, context: Context) => {
    for (const node of element.childNodes) {
      if (node.nodeType !== 3 || !node.nodeValue?.trim()) continue;
      const range = element.ownerDocument.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) add(intersected(boxOf(rect, context), context.clips.flow), context);
    }
  };
  /** The document of a frame that has the size of the window, because that frame does not say how large the ad is. */
  const documentIn = (element: Element, box: Box): Document | null => {
    if (!/^(IFRAME|OBJECT|FRAME)$/.test(element.tagName) || !isFrame(box, 1)) return null;
    try {
      const { contentDocument } = element as HTMLIFrameElement;
      return contentDocument?.body ? contentDocument : null;
    } catch {
      return null;
    }
  };
  const isBroken = (element: Element) =>
    element instanceof HTMLImageElement && element.complete && element.naturalWidth === 0;

  const visit = (element: Element, context: Context): void => {
    const tag = element.tagName.toUpperCase();
    left -= 1;
    if (IGNORED.has(tag) || left < 0) return;
    const style = getComputedStyle(element);
    if (style.display === 'none') return;
    const box = boxOf(element.getBoundingClientRect(), context);
    const within = inner(element, box, style, context);
    const { clips } = context;
    const own = style.position === 'fixed' ? clips.fixed : style.position === 'absolute' ? clips.absolute : clips.flow;
    const clipped = style.clipPath !== 'none' || style.clip !== 'auto' ? pathClip(box, style) : box;
    const seen = intersected(clipped, own);
    const isDocument = element === element.ownerDocument.body;
    const isInline = style.display === 'inline' && !REPLACED.has(tag);
    const isSeen = !isInline && !isEmpty(seen) && seen.right > 0 && seen.bottom > 0;
    let { root } = context;
    const mayBeRoot = isDocument ? isSized(element, style) : !root?.isStage;
    if (isSeen && mayBeRoot && isExplicit(seen, context)) {
      const isStage = clipsX(style) || clipsY(style) || REPLACED.has(tag) || clipped !== box || paints(style);
      root = { box: seen, isStage, isImage: tag === 'IMG', shows: false, outer: root };
      roots.push(root);
    }
    if (isSeen && !isDocument) compare(seen);
    const next: Context = { ...within, root };
    const isVisible = style.visibility === 'visible' && within.alpha > 0;
    const nested = documentIn(element, box);
    if (
      isVisible &&
      !isDocument &&
      !nested &&
      (REPLACED.has(tag) || paints(style) || style.borderTopStyle !== 'none')
    ) {
      boxed = true;
      if (!isBroken(element)) add(seen, next);
    }
    if (isVisible) texts(element, next);
    if (nested) visit(nested.body, { ...next, dx: context.dx + box.left, dy: context.dy + box.top });
    if (tag === 'SVG') return;
    for (const child of element.shadowRoot?.children ?? []) visit(child, next);
    for (const child of element.children) visit(child, next);
  };

  if (document.body)
    visit(document.body, {
      clips: { flow: ALL, absolute: ALL, fixed: ALL },
      alpha: 1,
      root: undefined,
      follows: { width: vw, height: vh },
      dx: 0,
      dy: 0,
    });
  const backgrounds = [document.documentElement, document.body].flatMap((element) =>
    element === null ? [] : [getComputedStyle(element)].filter(paints),
  );
  const hasBackground = backgrounds.some(
    ({ backgroundImage, backgroundColor }) => backgroundImage !== 'none' || backgroundColor !== 'rgb(255, 255, 255)',
  );
  const area = ({ box }: Root) => (box.right - box.left) * (box.bottom - box.top);
  const sorted = roots.sort((a, b) => Number(b.shows) - Number(a.shows) || area(b) - area(a));
  const sized = (box: Box) => ({ x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top });
  return {
    viewport: { width: vw, height: vh },
    roots: sorted.slice(0, 50).map(({ box, isStage, isImage, shows }) => ({ ...sized(box), isStage, isImage, shows })),
    painted: painted ? sized(painted) : null,
    filled,
    fits,
    sticksOut,
    offset,
    hasBackground,
    onlyText: backgrounds.length > 0 && !boxed,
  };
}
