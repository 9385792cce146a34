import type { SteppedPage } from '../browser/steppedPage.ts';

/** @returns true if all that the creative shows is a spinner, a progress bar or the like. */
export async function showsOnlyPreloader(page: SteppedPage): Promise<boolean> {
  return (await page.inCreative(onlyPreloader)) === true;
}

/**
 * Runs in the creative's iframe. Each element that paints must be a plain background or belong to a preloader. Its name, or that
 * of an ancestor, then says so, or it has an endless animation and is neither an image nor text.
 */
function onlyPreloader(): boolean {
  const NAME = /(?:^|[^a-z])(?:pre-?load(?:er|ing)?|load(?:er|ing)|spinner|progress(?:-?bar)?|throbber)(?![a-z])/i;
  const MAX_TEXT = 30;
  const frameArea = innerWidth * innerHeight;
  const isNamed = (element: Element | null): boolean => {
    if (element === null || element === document.body) return false;
    const values = ['id', 'class', 'role', 'src'].map((name) => element.getAttribute(name)?.slice(0, 200) ?? '');
    const names = values.join(' ').replaceAll(/([a-z])([A-Z])/g, '$1-$2');
    return element.tagName === 'PROGRESS' || NAME.test(names) || isNamed(element.parentElement);
  };
  const endless = new Set<Element | null>();
  for (const { effect } of document.getAnimations())
    if (effect instanceof KeyframeEffect && effect.getTiming().iterations === Number.POSITIVE_INFINITY)
      endless.add(effect.target);
  endless.delete(null);
  const isEndless = (element: Element | null): boolean =>
    element !== null && (endless.has(element) || isEndless(element.parentElement));
  const textOf = ({ childNodes }: Element) =>
    [...childNodes]
      .map(({ nodeType, nodeValue }) => (nodeType === 3 ? nodeValue : ''))
      .join('')
      .trim();
  const isMedia = (element: Element) =>
    /^(?:IMG|CANVAS|VIDEO|IFRAME|OBJECT|EMBED|SVG|PROGRESS)$/i.test(element.tagName);
  const isSeen = (element: Element, box: DOMRect) =>
    box.width > 1 &&
    box.height > 1 &&
    box.right > 0 &&
    box.bottom > 0 &&
    box.left < innerWidth &&
    box.top < innerHeight &&
    // A spinner may be transparent at this moment.
    element.checkVisibility({ opacityProperty: !isEndless(element), visibilityProperty: true });
  const paints = (element: Element) => {
    const { backgroundImage, backgroundColor, boxShadow, borderTopWidth, borderLeftWidth } = getComputedStyle(element);
    const hasPart = (part: string) => !/^(?:none|normal)$/.test(getComputedStyle(element, part).content);
    const hasBorder = Number.parseFloat(borderTopWidth) + Number.parseFloat(borderLeftWidth) > 0;
    const isFilled = backgroundImage !== 'none' || !/rgba\(.*, 0\)|transparent/.test(backgroundColor);
    return (
      isMedia(element) ||
      textOf(element) !== '' ||
      isFilled ||
      hasBorder ||
      boxShadow !== 'none' ||
      hasPart('::before') ||
      hasPart('::after')
    );
  };
  let found = false;
  const elements = document.body.querySelectorAll(':not(script, style, noscript, template, link, meta, svg *)');
  for (const element of [...elements].slice(0, 2_000)) {
    const box = element.getBoundingClientRect();
    if (!isSeen(element, box) || !paints(element)) continue;
    const text = textOf(element);
    const isLarge = box.width * box.height >= frameArea / 2;
    const isLoader = isNamed(element)
      ? text.length <= MAX_TEXT && !(isMedia(element) && isLarge)
      : text === '' && !isMedia(element) && isEndless(element);
    const isGround =
      isLarge && text === '' && !isMedia(element) && getComputedStyle(element).backgroundImage === 'none';
    if (!isLoader && !isGround) return false;
    found ||= isLoader;
  }
  return found;
}
