/** Brings the page to rest, so that two pictures of the same thing are the same. */
import type { PagePart } from './script.ts';
import { STYLES } from './styles.ts';

declare const addSheet: typeof STYLES.addSheet;

/** Resolves after two pictures of the screen, or soon where none are made. */
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

/** Until the pictures in view are there, for a second at most. */
async function viewSettled(): Promise<void> {
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

/** Holds still what moves by itself, so that two pictures of the same thing are the same. */
function freeze(): void {
  for (const animation of document.getAnimations()) animation.pause();
  for (const media of document.querySelectorAll('video, audio')) if (media instanceof HTMLMediaElement) media.pause();
  const sheet = '__stillSheet';
  if (Reflect.get(document, sheet) === true) return;
  Object.defineProperty(document, sheet, { value: true });
  addSheet(document, '* { caret-color: transparent !important; scroll-behavior: auto !important; }');
}

export const STILLNESS = { ...STYLES, nextFrames, viewSettled, freeze } satisfies PagePart;
