/** The places of a video ad: the video players of the page, else its outstream units. */
import { isStandardSize } from '../../domain/adSizes.ts';
import type { AdSize } from '../../domain/ads.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { ScorableSlot, ScoredSlot } from './scoring.ts';
import type { SlotKind } from './slotTable.ts';

/** A slot that shows the video in a box of its own. */
export type VideoPlace<S extends ScorableSlot> = ScoredSlot<S> & {
  /** The scale of the video in its box. */
  readonly scale: number;
  /** The box that is drawn, whole CSS pixels. */
  readonly player: AdSize;
};

/** An outstream unit opens to this width. CSS pixels. */
const UNIT_WIDTH = 640;
const UNIT_WIDTH_MIN = 200;
/** A player that floats in a corner shows what another one plays. */
const FLOATING_SHARE = 0.2;

/** Width by height of videos, and of the boxes that show them. */
const SHAPES = { min: 1.3, max: 2.6 };

const isShapedAsVideo = ({ width, height }: AdSize): boolean =>
  width >= SHAPES.min * height && width <= SHAPES.max * height;

/** Videos of the sizes of banners and rectangles are made for display slots. */
export function belongsInPlayer(video: AdSize): boolean {
  return isShapedAsVideo(video) || !isStandardSize(video);
}

/** @returns the players first, the main one of the page at the top, then the outstream units. */
export function videoPlaces<S extends ScorableSlot>(
  slots: readonly ScoredSlot<S>[],
  { ad, screen }: { readonly ad: AdSize; readonly screen: AdSize },
): VideoPlace<S>[] {
  const ofKind = (kind: SlotKind) => slots.filter(({ scored }) => scored.kind === kind);
  const players = ofKind('in_stream')
    .map((one) => ({ one, weight: weightOf(one, screen) }))
    .toSorted((a, b) => b.weight - a.weight);
  const all = players.reduce((sum, { weight }) => sum + weight, 0);
  const inPlayers = players.map(({ one, weight }) => inBox(one, ad, { ...one.scored.box, likelihood: weight / all }));
  const units = ofKind('video');
  const inUnits = units.map((one) => inUnit(one, ad, { screen, likelihood: all > 0 ? 0 : 1 / units.length }));
  return [...inPlayers, ...inUnits].filter((one) => one !== undefined);
}

/** A large player near the headline is the main one. */
function weightOf<S extends ScorableSlot>({ scored }: ScoredSlot<S>, screen: AdSize): number {
  const { box, surroundings, sticky } = scored;
  const away = Math.abs(surroundings?.belowHeadline ?? box.y) / screen.height;
  return ((box.width * box.height) / (1 + away) ** 2) * (sticky ? FLOATING_SHARE : 1);
}

function inUnit<S extends ScorableSlot>(
  one: ScoredSlot<S>,
  ad: AdSize,
  { screen, likelihood }: { readonly screen: AdSize; readonly likelihood: number },
): VideoPlace<S> | undefined {
  const { box, collapsed, visible, surroundings } = one.scored;
  if (!visible && !collapsed) return undefined;
  if (!collapsed && isShapedAsVideo(box) && box.width >= UNIT_WIDTH_MIN) return inBox(one, ad, { ...box, likelihood });
  const width = Math.min(UNIT_WIDTH, screen.width, surroundings?.room || box.width);
  if (width < UNIT_WIDTH_MIN) return undefined;
  return inBox(one, ad, { width, height: (width * ad.height) / ad.width, likelihood });
}

function inBox<S extends ScorableSlot>(
  one: ScoredSlot<S>,
  ad: AdSize,
  box: AdSize & { readonly likelihood: number },
): VideoPlace<S> {
  const player = { width: Math.floor(box.width), height: Math.floor(box.height) };
  const { problem: _, ...found } = one.scored;
  const reasons = [found.kind === 'in_stream' ? 'a video player of the page' : 'an outstream unit'];
  const likelihood = Math.round(box.likelihood * 1_000) / 1_000;
  const scored = { ...found, reasons, likelihood, size: [player.width, player.height] as const };
  return { ...one, scale: Math.min(player.width / ad.width, player.height / ad.height), player, scored };
}

/** @param places for videos, which the page may have although none could show this one. */
export function videoWarning(places: readonly unknown[]): Warning {
  const message =
    places.length === 0
      ? 'The page has no video player, so the video is shown in a display slot.'
      : 'No video player or outstream unit of the page could show the video, so it is shown in a display slot.';
  return { code: 'slot_uncertain', message };
}
