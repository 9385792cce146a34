/** Finds the video players of a page. A video ad is shown in one before its content. */
import { PLAYERS } from '../slotTable.ts';
import { isClobbered, parentElementOf } from './clobbering.ts';
import { isShown, isWithin, type Rect, rectOf } from './visibility.ts';

export interface Player {
  element: Element;
  rect: Rect;
}

/** CSS pixels. A smaller player shows no ad before its content. */
const SIZE_MIN = { width: 200, height: 112 };
/** Width by height, from upright videos to wide ones. Others are bars of an audio player. */
const SHAPES = { min: 0.5, max: 3.2 };
/** The boxes around a video differ so much from it at most. CSS pixels. */
const SAME_BOX = 6;
const LEVELS_MAX = 10;
const PLAYERS_MAX = 50;
const ADDRESS_MAX = 300;

const HOSTS = new RegExp(`^(https?:)?//([a-z0-9-]+\\.)*(${PLAYERS.hosts})`, 'i');

/** @param elements of the page, in its order. @returns the box of each player with its controls. */
export function findPlayers(elements: readonly Element[]): Player[] {
  const large = elements.filter((one) => isPlayer(one) && isLarge(rectOf(one))).slice(0, PLAYERS_MAX);
  const found = [...new Set(large.map(wholePlayer))];
  return found
    .filter((one) => !found.some((outer) => outer !== one && isWithin(one, outer)))
    .map((element) => ({ element, rect: rectOf(element) }))
    .filter(({ element, rect }) => isShown(element, rect));
}

function isLarge({ width, height }: Rect): boolean {
  const shape = width / height;
  return width >= SIZE_MIN.width && height >= SIZE_MIN.height && shape >= SHAPES.min && shape <= SHAPES.max;
}

function isPlayer(element: Element): boolean {
  if (isClobbered(element)) return false;
  if (element instanceof HTMLVideoElement) return !isDecoration(element);
  if (element instanceof HTMLIFrameElement)
    return [element.src, element.dataset['src'] ?? '', element.dataset['lazySrc'] ?? ''].some((address) =>
      HOSTS.test(address.slice(0, ADDRESS_MAX)),
    );
  return element.matches(PLAYERS.selectors);
}

/** A moving background. */
function isDecoration(video: HTMLVideoElement): boolean {
  return video.loop && !video.controls && (video.muted || video.defaultMuted);
}

/** The outermost box of the player's size, which holds its controls too. */
function wholePlayer(element: Element): Element {
  const own = rectOf(element);
  let whole = element;
  let at = parentElementOf(element);
  for (let level = 0; level < LEVELS_MAX && at && at !== document.body; level++, at = parentElementOf(at)) {
    const { x, y, width, height } = rectOf(at);
    const differs = [x - own.x, y - own.y, width - own.width, height - own.height].some(
      (by) => Math.abs(by) > SAME_BOX,
    );
    // The box of a whole page may have the height of the screen too, and the page overflows it.
    if (holdsMore(at)) break;
    // A box without a height of its own stands between two that have the size of the player.
    if (differs && height > 1) break;
    if (!differs) whole = at;
  }
  return whole;
}

function holdsMore(box: Element): boolean {
  const overflows = box.clientHeight > 1 && box.scrollHeight > box.clientHeight + SAME_BOX;
  return overflows || box.querySelector('h1, p, article') !== null;
}
