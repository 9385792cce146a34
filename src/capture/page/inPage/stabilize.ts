/** Stops movement on the page, so that two captures of the same state have the same pixels. */
import type { PagePart } from './script.ts';
import { STYLES } from './styles.ts';

declare const addSheet: typeof STYLES.addSheet;

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

/** Ends animations that end by themselves, because a reader sees their result. Pauses the others. */
function freezeAnimation(animation: Animation): void {
  const { endTime = Number.POSITIVE_INFINITY } = animation.effect?.getComputedTiming() ?? {};
  const ends = animation.timeline === document.timeline && Number(endTime) <= 15_000 && animation.playbackRate > 0;
  if (ends && animation.playState === 'running') animation.finish();
  else animation.pause();
}

/** Stops animations and media, and hides the caret. */
function freeze(): void {
  for (const animation of document.getAnimations()) freezeAnimation(animation);
  for (const media of document.querySelectorAll('video, audio')) if (media instanceof HTMLMediaElement) media.pause();
  const sheet = '__stillSheet';
  if (Reflect.get(document, sheet) === true) return;
  Object.defineProperty(document, sheet, { value: true });
  addSheet(document, '* { caret-color: transparent !important; scroll-behavior: auto !important; }');
}

export const STABILIZE = { ...STYLES, nextFrames, viewSettled, freezeAnimation, freeze } satisfies PagePart;
