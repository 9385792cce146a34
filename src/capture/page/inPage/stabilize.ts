/** Stops movement on the page, so that two captures of the same state have the same pixels. */
import { isClobbered } from './clobbering.ts';

/** Resolves after two animation frames, or after 250 ms if the browser draws none. */
function nextFrames(): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, 250);
    const shown = () => {
      clearTimeout(late);
      resolve();
    };
    requestAnimationFrame(() => requestAnimationFrame(shown));
  });
}

/** Waits at most one second for the images in the viewport. */
export async function viewSettled(): Promise<void> {
  await nextFrames();
  const missing = [...document.images].filter((image) => {
    const { top, bottom, width } = image.getBoundingClientRect();
    return !image.complete && width > 0 && bottom > 0 && top < innerHeight;
  });
  if (missing.length === 0) return;
  const loaded = missing.map(
    (image) =>
      new Promise((resolve) => {
        for (const name of ['load', 'error']) image.addEventListener(name, resolve);
      }),
  );
  await Promise.race([Promise.all(loaded), new Promise((resolve) => setTimeout(resolve, 1_000))]);
  await nextFrames();
}

/** Ends animations that end by themselves, because a reader sees their result. Pauses the others. */
function freezeAnimation(animation: Animation): void {
  const { endTime = Number.POSITIVE_INFINITY } = animation.effect?.getComputedTiming() ?? {};
  const ends = animation.timeline === document.timeline && Number(endTime) <= 15_000 && animation.playbackRate > 0;
  if (ends && animation.playState === 'running') animation.finish();
  else animation.pause();
}

/** Shows a page that hides itself until a tool for A/B tests has loaded, because that tool may never load here. */
function showPage(): void {
  for (const part of [document.documentElement, document.body].filter((one) => one !== null)) {
    const { opacity, visibility, display } = getComputedStyle(part);
    if (Number(opacity) < 0.05 || visibility === 'hidden' || display === 'none')
      setStyles(part, { opacity: '1', visibility: 'visible', ...(display === 'none' && { display: 'block' }) });
  }
}

/** Lays out the parts of the page that the browser skips off screen. Until then it only guesses their sizes. */
function showSkipped(): void {
  for (const element of document.querySelectorAll('*')) {
    if (!(element instanceof HTMLElement) || isClobbered(element)) continue;
    if (getComputedStyle(element).contentVisibility !== 'auto') continue;
    setStyles(element, { 'content-visibility': 'visible' });
  }
}

let isStill = false;

/** Stops animations and media, shows a hidden page and what it skips, and hides the caret. */
export function freeze(): void {
  for (const animation of document.getAnimations()) freezeAnimation(animation);
  for (const media of document.querySelectorAll('video, audio')) if (media instanceof HTMLMediaElement) media.pause();
  showPage();
  if (isStill) return;
  isStill = true;
  showSkipped();
  addSheet(document, '* { caret-color: transparent !important; scroll-behavior: auto !important; }');
}

/** Changes styles of the page. Each function returns its undo. */
export function setStyles(element: HTMLElement | SVGElement, styles: Record<string, string>): () => void {
  const before = element.getAttribute('style');
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, 'important');
  return () => {
    if (before === null) element.removeAttribute('style');
    else element.setAttribute('style', before);
  };
}

/** Works in shadow roots and documents, and under any content security policy. */
export function addSheet(root: Document | ShadowRoot, text: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
