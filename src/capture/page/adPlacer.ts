import sharp from 'sharp';
import type { AdSize } from '../../domain/ads.ts';
import { type ChosenByHand, DEFAULT_OPTIONS, type PlacementOptions } from '../../domain/screenshotOptions.ts';
import { type AppliedRule, slotFor } from '../../domain/siteRules.ts';
import { DRAWN_FORMATS, type DrawnFormat, SLOT_FORMATS, type SlotFormat } from '../../domain/slotFormats.ts';
import type { Warning } from '../../domain/warnings.ts';
import { ConcurrencyLimit } from '../../lib/concurrencyLimit.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { setBounded } from '../../lib/lru.ts';
import { drawInPlayer, type PlayerLook } from '../compose/inStream.ts';
import { changedShare, composed, decodePng, type PixelBox, type Pixels, pngSize } from '../compose/pixels.ts';
import type { CreativeFrame, Size } from '../creative/creative.ts';
import { AdGroup, type AdToPlace, type GroupPicture, OTHER_AD } from './adGroup.ts';
import { drawnUnit, drawnWarning } from './drawnUnits.ts';
import type { FoundSlot } from './findSlots.ts';
import { planGroup } from './groupPlan.ts';
import type { LivePage, StagedSlot } from './livePage.ts';
import { isTimeout, pageFault } from './navigation.ts';
import type {
  AdFrame,
  AdOfGroup,
  PagePicture,
  PageWish,
  Picture,
  PlacementFailure,
  ScoredCandidate,
  SlotOfRule,
} from './page.ts';
import { Camera, faultOfGeometry, geometryOf, MAX_PAGE_EDGE, showsAd, warningsOf } from './pictureCheck.ts';
import type { PictureLook } from './pictureLook.ts';
import { type PreparedSlot, type PrepareRequest, prepareSlot, type RefusedSlot } from './preparedSlot.ts';
import { narrowToBox, type ScoredSlot, scoreSlots } from './scoring.ts';
import { ruleWarnings, type SlotReport } from './siteRules.ts';
import { chooseSlot } from './slotChoice.ts';
import { slotDoubts } from './slotDoubts.ts';
import { belongsInPlayer, videoPlaces, videoWarning } from './videoPlaces.ts';

interface BrowserPicture {
  readonly png: Buffer;
  /** The ad in the picture, device pixels. */
  readonly box: PixelBox;
  readonly warnings: readonly Warning[];
  readonly at: Date;
}

/** A picture, and how it shows its ad. */
type PaintedAd = BrowserPicture &
  Pick<Picture, 'mode' | 'player'> &
  Pick<PreparedSlot, 'zoom' | 'look'> & { readonly isOfPage: boolean };

interface PlacedAd extends Pick<Picture, 'warnings' | 'slotReport'> {
  readonly status: 'placed';
  readonly choice: Choice;
  readonly placement: Placement;
  readonly toPlace: AdToPlace;
  readonly look: PictureLook;
  readonly player: PlayerLook | undefined;
}

/** The slot of a site rule for an ad. */
type RuleForAd = ReturnType<typeof slotFor>;

interface BrowserPictureRequest extends PrepareRequest {
  readonly spot: PreparedSlot;
  /** The ad. */
  readonly png: Buffer;
}

/** A page may cover the ad while the picture is taken. */
const MAX_ATTEMPTS = 3;

/** `player`: the box in which a video is drawn. */
type Choice = ScoredSlot<FoundSlot> & { readonly scale: number; readonly player?: AdSize };

const MAX_TRIES = 5;
/** The slots that the plan of a group compares for each ad. */
const MAX_PLANNED = 20;
/** Each keeps a picture of the whole viewport in memory. */
const MAX_PREPARED_SLOTS = 8;
const STAGE_DEADLINE_MS = 30_000;
/** The ads of a group choose their slots within this time. */
const GROUP_MS = 90_000;

interface Placement {
  readonly frame: AdFrame;
  readonly options: PlacementOptions;
  readonly ranked: readonly ScoredSlot<FoundSlot>[];
  /** All slots of the page, with their boxes from where the page begins. */
  readonly found: readonly ScoredCandidate[];
  /** The places of a video; none for other ads. */
  readonly videos: readonly Choice[];
  readonly inDocument: InDocument;
  /** The unit that Tearsheet draws because the page declares none. */
  readonly drawn?: DrawnFormat;
}

/** Measures a box from the top left corner of the whole page. A page from right to left does not begin there. */
type InDocument = (one: ScoredCandidate) => ScoredCandidate;

interface Layout {
  readonly width: number;
  readonly isVertical: boolean;
  /** Where the page begins in a picture of the whole page, CSS pixels. */
  readonly origin: { readonly x: number; readonly y: number };
}

/** Places ads on one open page. */
export class AdPlacer {
  readonly #live: LivePage;
  readonly #slots: readonly FoundSlot[];
  readonly #lock = new ConcurrencyLimit(1);
  readonly #spots = new Map<string, Promise<PreparedSlot | RefusedSlot>>();
  readonly #decoded = new WeakMap<CreativeFrame, Promise<Pixels & { opaque: boolean }>>();
  readonly #viewport: Size;
  readonly #warnings: readonly Warning[];
  readonly #rules: readonly AppliedRule[];
  #layout: Promise<Layout> | undefined;

  /** @param about facts that hold for each picture, and the site rules of the page, the most specific first. */
  constructor(
    live: LivePage,
    slots: readonly FoundSlot[],
    viewport: Size,
    about: { readonly warnings?: readonly Warning[]; readonly rules?: readonly AppliedRule[] } = {},
  ) {
    this.#live = live;
    this.#slots = slots;
    this.#viewport = viewport;
    this.#warnings = about.warnings ?? [];
    this.#rules = about.rules ?? [];
  }

  async place(
    frame: AdFrame,
    options: PlacementOptions = DEFAULT_OPTIONS,
    only?: 'browser',
  ): Promise<Picture | PlacementFailure> {
    return this.#preferringRules({ frame, options }, this.#ruleFor({ frame, options }), async (ad, given) => {
      const chosen = await this.#choose(ad, { given });
      return 'status' in chosen ? chosen : this.#tryAll(chosen.tries, chosen.placement, only);
    });
  }

  #ruleFor({ frame, options }: AdOfGroup): RuleForAd {
    return options.slot === null ? slotFor(this.#rules, frame) : undefined;
  }

  /** The slot of a rule is for one ad of a group, the first one that it is for. */
  #rulesFor(ads: readonly AdOfGroup[]): Map<AdOfGroup, RuleForAd> {
    const bySelector = Map.groupBy(ads, (ad) => this.#ruleFor(ad)?.selector);
    return new Map([...bySelector.values()].flatMap(([ad]) => (ad ? [[ad, this.#ruleFor(ad)]] : [])));
  }

  /** Tries the slot of a site rule before the score decides. @param attempt gets who chose the slot of the options. */
  async #preferringRules<T extends Picture | PlacedAd>(
    { frame, options }: AdOfGroup,
    known: RuleForAd,
    attempt: (ad: AdOfGroup, given?: string) => Promise<T | PlacementFailure>,
  ): Promise<T | PlacementFailure> {
    if (known === undefined) return attempt({ frame, options });
    const { rule, selector } = known;
    const given = `by the site rule ${rule.id} (${rule.host})`;
    const chosen = await attempt({ frame, options: { ...options, slot: { selector } } }, given);
    if (chosen.status !== 'no_slots') return { ...chosen, slotReport: slotReport(known, null) };
    const report = slotReport(known, `${chosen.reason} The score decided instead.`);
    const placed = await attempt({ frame, options });
    if (!('warnings' in placed)) return { ...placed, slotReport: report };
    const warnings = [...placed.warnings, ...ruleWarnings([{ ...report, effects: [report.effect] }])];
    return { ...placed, warnings, slotReport: report };
  }

  /** Takes one picture of all ads. The larger ones choose first. @returns the results in the order of the ads. */
  placeTogether(ads: readonly AdOfGroup[]): Promise<(Picture | PlacementFailure)[]> {
    return this.#lock.run(async () => {
      const group = new AdGroup(this.#live);
      const until = performance.now() + GROUP_MS;
      try {
        const placed = new Map<AdOfGroup, PlacedAd | PlacementFailure>();
        const largestFirst = ads.toSorted((one, two) => areaOf(two.frame) - areaOf(one.frame));
        const rules = this.#rulesFor(largestFirst);
        const planned = await this.#planOf(largestFirst, rules);
        for (const ad of largestFirst) {
          const placeIt = (one: AdOfGroup, given?: string) =>
            this.#placeInGroup(one, { group, until, given, planned: planned.get(ad) });
          placed.set(ad, await this.#preferringRules(ad, rules.get(ad), placeIt));
        }
        const [first] = ads;
        const picture = first && (await group.capture(first.options));
        return ads.map((ad) => this.#inGroup(placed.get(ad), picture));
      } finally {
        await group.end();
      }
    });
  }

  /** @returns the slots that the ads try first. */
  async #planOf(
    ads: readonly AdOfGroup[],
    rules: ReadonlyMap<AdOfGroup, RuleForAd>,
  ): Promise<Map<AdOfGroup, FoundSlot | undefined>> {
    const tries: (readonly Choice[])[] = [];
    for (const ad of ads) {
      const selector = rules.get(ad)?.selector;
      const options = selector === undefined ? ad.options : { ...ad.options, slot: { selector } };
      const chosen = await this.#choose({ ...ad, options }, { limit: MAX_PLANNED });
      tries.push('status' in chosen ? [] : chosen.tries);
    }
    const { ratio } = await this.#live.screen();
    const plan = planGroup(tries, { screen: this.#viewport.height, largest: MAX_PAGE_EDGE / ratio });
    return new Map(ads.map((ad, index) => [ad, plan[index]?.slot]));
  }

  async #placeInGroup(
    ad: AdOfGroup,
    about: {
      readonly group: AdGroup;
      readonly until: number;
      readonly given: string | undefined;
      readonly planned: FoundSlot | undefined;
    },
  ): Promise<PlacedAd | PlacementFailure> {
    const { group, until, given, planned } = about;
    const chosen = await this.#choose(ad, { given, isFree: ({ slot }) => group.isFree(slot), limit: MAX_PLANNED });
    if ('status' in chosen) return chosen;
    const { placement } = chosen;
    const isPlanned = ({ slot }: Choice) => Number(slot === planned);
    const tries = chosen.tries.toSorted((one, two) => isPlanned(two) - isPlanned(one)).slice(0, MAX_TRIES);
    const refusals: string[] = [];
    for (const choice of tries) {
      if (performance.now() > until) break;
      try {
        const player = choice.player && lookOf(choice.player, ad.frame);
        const png = player === undefined ? ad.frame.png : await player.draw(ad.frame.png, ad.frame.markerMs);
        const request = this.#prepareRequest(choice, ad.frame, ad.options);
        const toPlace = { slot: choice.slot, request, png };
        const added = await group.add(toPlace);
        if (!('fault' in added))
          return { status: 'placed', choice, placement, toPlace, look: added.look, player, warnings: [] };
        refusals.push(`${choice.scored.element}: ${added.fault}`);
      } catch (error) {
        if (this.#live.tab.isLost) return failed('the page crashed or was closed', placement);
        refusals.push(`${choice.scored.element}: ${pageFault(error)}`);
      }
    }
    const taken = placement.ranked.filter((one) => canHoldAd(one) && !group.isFree(one.slot));
    refusals.push(...taken.map(({ scored }) => `${scored.element}: ${OTHER_AD.fault}`));
    return noSlot(noSlotReason(placement, refusals), placement);
  }

  #inGroup(
    placed: PlacedAd | PlacementFailure | undefined,
    picture: GroupPicture | undefined,
  ): Picture | PlacementFailure {
    if (placed === undefined) throw new Error('unreachable: each ad of a group was tried');
    if (placed.status !== 'placed') return placed;
    const { choice, placement, toPlace, look, player, warnings, slotReport } = placed;
    const box = picture?.boxes.get(toPlace);
    if (picture === undefined || box === undefined)
      return noSlot(`The slot ${choice.scored.element} cannot be shown in one picture with the other ads.`, placement);
    const all = [...picture.warnings, ...warnings];
    const painted = { ...picture, box, look, player, mode: 'browser' as const, warnings: all };
    return { ...this.#pictureOf(choice, placement, painted), slotReport };
  }

  /** @returns the slots to try, best first, or why there is none. @param isFree excludes slots before the best are taken. */
  async #choose(
    { frame, options }: AdOfGroup,
    {
      given = 'in the request',
      isFree = () => true,
      limit = MAX_TRIES,
    }: {
      readonly given?: string | undefined;
      readonly isFree?: (one: ScoredSlot<FoundSlot>) => boolean;
      readonly limit?: number;
    },
  ): Promise<{ readonly placement: Placement; readonly tries: readonly Choice[] } | PlacementFailure> {
    const { format, byHand } = choiceOf(options);
    const { request, ranked, inDocument } = await this.#rank(frame, options.allowScaling, format);
    const places = frame.isVideo ? videoPlaces(ranked, { ad: frame, screen: request.viewport }) : [];
    const videos = places.filter(({ scored }) => format === undefined || scored.kind === format);
    const asVideo = new Map(videos.map((one) => [one.slot, one]));
    const shown = ranked.map(({ slot, scored }) => asVideo.get(slot)?.scored ?? scored);
    const placement = { frame, options, ranked, found: shown, videos, inDocument };
    if (byHand !== undefined) {
      const chosen = await chooseSlot(byHand, { tab: this.#live.tab, ranked, given }, request);
      if ('reason' in chosen) return noSlot(chosen.reason, placement);
      const { slot } = chosen;
      const place = asVideo.get(slot.slot);
      const tries = [
        place === undefined ? slot : { ...place, scored: { ...place.scored, reasons: slot.scored.reasons } },
      ];
      return { tries: tries.filter(canHoldAd), placement: { ...placement, ranked: [slot] } };
    }
    if (format !== undefined && !ranked.some(({ scored }) => formatOf(scored) === format && isOnScreen(scored))) {
      const drawn = DRAWN_FORMATS.find((one) => one === format);
      if (drawn === undefined) return noSlot(noFormatReason(format, ranked), placement);
      const screen = this.#viewport;
      const unit: FoundSlot = drawnUnit(drawn, { frame: this.#live.tab.mainFrame, screen, ad: frame });
      const units = scoreSlots([unit], { ...request, viewport: screen });
      return { tries: units.filter(canHoldAd).filter(isFree), placement: { ...placement, ranked: units, drawn } };
    }
    const possible = ranked.filter(canHoldAd).filter(isFree).slice(0, limit);
    const display = possible.flatMap((choice) => [choice, narrowToBox(choice, request)]).filter(canHoldAd);
    const inPlayer = videos.filter(isFree).slice(0, limit);
    const tries = belongsInPlayer(frame) ? [...inPlayer, ...display] : [...display, ...inPlayer];
    return { tries, placement };
  }

  async judge(size: AdSize): Promise<readonly ScoredCandidate[]> {
    const { ranked, inDocument } = await this.#rank(size, DEFAULT_OPTIONS.allowScaling, undefined);
    return ranked.map(({ scored }) => inDocument(scored));
  }

  async slotOfRule(size: AdSize): Promise<SlotOfRule | undefined> {
    const known = slotFor(this.#rules, size);
    if (known === undefined) return undefined;
    const { request, ranked } = await this.#rank(size, DEFAULT_OPTIONS.allowScaling, undefined);
    const slots = { tab: this.#live.tab, ranked, given: 'by a site rule' };
    const chosen = await chooseSlot({ selector: known.selector }, slots, request);
    if ('reason' in chosen) return { report: slotReport(known, chosen.reason), index: -1 };
    const { slot } = chosen.slot;
    return { report: slotReport(known, null), index: ranked.findIndex((one) => one.slot === slot) };
  }

  capture(wanted?: PageWish): Promise<PagePicture> {
    return this.#exclusively(() => capturePage(this.#live, wanted));
  }

  async #rank(ad: AdSize, allowScaling: boolean, format: SlotFormat | undefined) {
    const { width, isVertical, origin } = await this.#layoutOf();
    // A page that is not made for phones is laid out for a window that is wider than the screen.
    const viewport = { width: Math.max(width, this.#viewport.width), height: this.#viewport.height };
    const request = { ad, viewport, allowScaling, isVertical, format };
    const ranked = scoreSlots(this.#slots, request);
    const { x, y } = origin;
    const inDocument: InDocument = (one) => ({ ...one, box: { ...one.box, x: one.box.x + x, y: one.box.y + y } });
    return { request, ranked, inDocument };
  }

  async #tryAll(
    tries: readonly Choice[],
    placement: Placement,
    only: 'browser' | undefined,
  ): Promise<Picture | PlacementFailure> {
    const refusals: string[] = [];
    let late = false;
    for (const choice of tries) {
      try {
        const spot = await this.#spotFor(choice, placement);
        if (!('fault' in spot)) return await this.#picture(choice, { ...placement, spot, only });
        refusals.push(`${choice.scored.element}: ${spot.fault}`);
      } catch (error) {
        if (this.#live.tab.isLost) return failed('the page crashed or was closed', placement);
        refusals.push(`${choice.scored.element}: ${pageFault(error)}`);
        late ||= isTimeout(error);
      }
    }
    return { ...noSlot(noSlotReason(placement, refusals), placement), timedOut: late };
  }

  #spotFor(choice: Choice, { frame, options }: Placement): Promise<PreparedSlot | RefusedSlot> {
    const request = this.#prepareRequest(choice, frame, options);
    const prepare = () => this.#exclusively(() => prepareSlot(this.#live, choice.slot, request));
    const index = this.#slots.indexOf(choice.slot);
    // Pictures of whole pages take too much memory, and slots of a selector are seldom used twice.
    if (index < 0 || options.fullPage) return prepare();
    const key = JSON.stringify([
      index,
      request.size,
      request.pixels,
      request.minZoom,
      request.mayCover,
      request.view,
      request.isOverBox,
    ]);
    const known = this.#spots.get(key);
    if (known !== undefined) return known;
    const spot = prepare();
    setBounded(this.#spots, [key, spot], MAX_PREPARED_SLOTS);
    spot.catch(() => this.#spots.delete(key));
    return spot;
  }

  #prepareRequest({ slot, scale, player }: Choice, frame: CreativeFrame, options: PlacementOptions): PrepareRequest {
    const size = player ?? placedSize(frame, scale);
    return {
      size,
      pixels: player ? inPixels(player, frame) : scale === 1 ? pngSize(frame.png) : undefined,
      viewport: this.#viewport,
      area: options.fullPage && slot.candidate.kind !== 'interstitial' ? 'page' : 'screen',
      view: options.view,
      mayCover: choiceOf(options).byHand !== undefined,
      isOverBox: player !== undefined && slot.candidate.kind === 'in_stream',
      // A player scales its ad anyway, so the page may be as small as the device shows it.
      minZoom: player ? 0 : options.allowScaling ? Math.min(1, this.#viewport.width / size.width) : 1,
    };
  }

  async #picture(
    choice: Choice,
    to: Placement & { readonly spot: PreparedSlot; readonly only: 'browser' | undefined },
  ): Promise<Picture> {
    const { frame, options, spot, only } = to;
    const player = choice.player && lookOf(choice.player, frame);
    const shown = player === undefined ? frame : { ...frame, png: await player.draw(frame.png, frame.markerMs) };
    const ad = await this.#pixelsOf(shown);
    const fits = ad.width === spot.box.width && ad.height === spot.box.height;
    const isUnscaled = player !== undefined || choice.scale === 1;
    const isComposed = spot.composable && ad.opaque && fits && isUnscaled && only !== 'browser';
    const request = this.#prepareRequest(choice, frame, options);
    const painted = isComposed
      ? { png: await composed(spot.page, ad, spot.box), box: spot.box, warnings: spot.warnings, at: spot.capturedAt }
      : await this.#exclusively(() => captureAd(this.#live, choice.slot, { ...request, spot, png: shown.png }));
    const mode = isComposed ? 'composed' : 'browser';
    return this.#pictureOf(choice, to, {
      ...painted,
      zoom: spot.zoom,
      look: spot.look,
      mode,
      player,
      isOfPage: request.area === 'page',
    });
  }

  #pictureOf(choice: Choice, placement: Placement, painted: PaintedAd): Picture {
    const { frame, options, found, videos, inDocument, drawn } = placement;
    const { png, box, at, mode, player, zoom, look, isOfPage } = painted;
    const shownAs = isOfPage ? inDocument : (one: ScoredCandidate) => one;
    const scale = choice.scale * zoom;
    const isUnstyled = this.#warnings.some(({ code }) => code === 'page_unstyled');
    const about = { ad: frame, viewport: this.#viewport, look, isUnstyled };
    return {
      status: 'uploaded',
      png,
      ...pngSize(png),
      chosen: shownAs(choice.scored),
      candidates: found.map(shownAs),
      adBox: box,
      scale,
      player,
      mode,
      capturedAt: at,
      warnings: [
        ...this.#warnings,
        ...painted.warnings,
        ...(player ? [] : scaleWarnings(scale)),
        ...(player || drawn ? [] : slotWarnings(choice.scored, options, about)),
        ...(drawn ? [drawnWarning(drawn)] : []),
        ...(frame.isVideo && !player && options.slot === null && belongsInPlayer(frame) ? [videoWarning(videos)] : []),
      ],
    };
  }

  #layoutOf(): Promise<Layout> {
    this.#layout ??= Promise.all([
      this.#live.tab.mainFrame.evaluate(() => ({
        width: document.documentElement.clientWidth,
        isVertical: inPage.hasVerticalLines(),
      })),
      this.#live.screen(),
    ]).then(([layout, { origin }]) => ({ ...layout, origin }));
    return this.#layout;
  }

  #pixelsOf(frame: CreativeFrame): Promise<Pixels & { opaque: boolean }> {
    const known = this.#decoded.get(frame) ?? decodePng(frame.png);
    this.#decoded.set(frame, known);
    return known;
  }

  /** One at a time, because all calls share the live page. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.run(() => withDeadline(STAGE_DEADLINE_MS, work()));
  }
}

function slotReport({ rule: { id, host }, selector }: NonNullable<RuleForAd>, problem: string | null): SlotReport {
  return { id, host, effect: { part: 'slot', target: selector, found: problem === null ? 1 : 0, problem } };
}

const LARGEST_PAGE = { width: MAX_PAGE_EDGE, height: MAX_PAGE_EDGE };

export async function capturePage(
  live: LivePage,
  { largest = LARGEST_PAGE, ratio: wished = 1 }: PageWish = {},
): Promise<PagePicture> {
  await live.tab.mainFrame.evaluate(() =>
    (document.scrollingElement ?? window).scrollTo({ top: 0, left: 0, behavior: 'instant' }),
  );
  const { ratio, document: page } = await live.screen();
  const [width, height] = [Math.min(largest.width, page.width), Math.min(largest.height, page.height)];
  const pixels = Math.min(wished, MAX_PAGE_EDGE / width, MAX_PAGE_EDGE / height);
  const shot = await live.capture({ rect: { x: 0, y: 0, width, height }, scale: pixels / ratio });
  const capturedAt = new Date();
  // 256 colors are enough to recognize a page, and the file has a third of its size.
  const png = await sharp(shot).png({ palette: true, effort: 1 }).toBuffer();
  return { png, ...pngSize(png), capturedAt, page: { ...page } };
}

function canHoldAd(one: ScoredSlot<FoundSlot> | undefined): one is Choice {
  return one !== undefined && one.scale !== null;
}

function areaOf({ width, height }: AdSize): number {
  return width * height;
}

function lookOf(player: AdSize, frame: CreativeFrame): PlayerLook {
  return { adWidth: frame.width, draw: (png, at) => drawInPlayer(png, { player, ad: frame, at }) };
}

function inPixels({ width, height }: Size, { ratio }: CreativeFrame): Size {
  return { width: Math.round(width * ratio), height: Math.round(height * ratio) };
}

/** Whole CSS pixels, so that a scaled ad has sharp edges. */
function placedSize({ width, height }: CreativeFrame, scale: number): Size {
  if (scale === 1) return { width, height };
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

function scaleWarnings(scale: number): Warning[] {
  if (scale > 0.995) return [];
  return [{ code: 'scaled', message: `The ad is shown at ${Math.round(scale * 100)} % of its size.` }];
}

function slotWarnings(
  slot: ScoredCandidate,
  options: PlacementOptions,
  about: Parameters<typeof slotDoubts>[1],
): Warning[] {
  const { element, problem } = slot;
  if (choiceOf(options).byHand !== undefined)
    return problem === undefined
      ? []
      : [{ code: 'outside_slot', message: `The chosen slot ${element} cannot hold the ad: ${problem}.` }];
  const doubts = slotDoubts(slot, about);
  if (doubts.length === 0) return [];
  return [{ code: 'slot_uncertain', message: `${doubts.join(' ')} Check the picture, or choose a different slot.` }];
}

function choiceOf({ slot }: PlacementOptions): { readonly format?: SlotFormat; readonly byHand?: ChosenByHand } {
  if (slot === null) return {};
  return 'format' in slot ? { format: slot.format } : { byHand: slot };
}

const formatOf = ({ kind = 'display' }: ScoredCandidate): SlotFormat => kind;

/** Most interstitials of a page stay closed, and a script may fix an anchor to the window only when its ad comes. */
function isOnScreen({ kind, visible, collapsed, sticky }: ScoredCandidate): boolean {
  if (kind === 'interstitial') return visible;
  return (visible || collapsed) && (kind !== 'anchor' || sticky);
}

function noFormatReason(format: SlotFormat, ranked: readonly ScoredSlot<FoundSlot>[]): string {
  const counts = SLOT_FORMATS.map(
    (one) => [one, ranked.filter(({ scored }) => formatOf(scored) === one).length] as const,
  );
  const found = counts.flatMap(([one, count]) => (count === 0 ? [] : `${one} (${count})`));
  const others =
    found.length === 0 ? 'It has no other ad slot either.' : `It has slots of these formats: ${found.join(', ')}.`;
  return `The page has no slot of the format ${format}. ${others}`;
}

function noSlotReason({ frame, ranked, options, drawn }: Placement, refusals: readonly string[]): string {
  const { format, byHand } = choiceOf(options);
  const ad = `an ad of ${frame.width}×${frame.height}`;
  if (byHand !== undefined) return `The chosen slot cannot hold ${ad}: ${refusals.join('; ')}.`;
  // Only videos count players as slots, unless the client asks for one.
  const counts = (kind: SlotFormat) => (format === undefined ? frame.isVideo || kind !== 'in_stream' : kind === format);
  const slots = ranked.filter(({ scored }) => counts(formatOf(scored)));
  if (slots.length === 0)
    return frame.isVideo ? 'The page has no video player and no ad slot.' : 'The page has no ad slot.';
  const judged = slots.flatMap(({ scored: { element, problem, kind } }) =>
    problem === undefined || (frame.isVideo && kind === 'in_stream') ? [] : [`${element}: ${problem}`],
  );
  const reasons = [...new Set([...refusals, ...judged])].slice(0, 4).join('; ');
  if (drawn) return `The page shows no ${drawn}, and one that Tearsheet draws cannot hold ${ad}: ${reasons}.`;
  const name = format === undefined ? 'ad slot' : `${format} slot`;
  const all =
    slots.length === 1
      ? `The only ${name} of the page cannot hold`
      : `None of the page's ${slots.length} ${name}s can hold`;
  return `${all} ${ad}: ${reasons}.`;
}

type Found = Pick<Placement, 'found' | 'inDocument'>;

/** A person sees the slots on the picture of the whole page. */
function noSlot(reason: string, { found, inDocument }: Found): PlacementFailure {
  return { status: 'no_slots', reason, candidates: found.map(inDocument) };
}

function failed(reason: string, { found, inDocument }: Found): PlacementFailure {
  return { status: 'generic_error', reason, candidates: found.map(inDocument) };
}

/** A picture in which the browser paints the ad. @throws Error if no capture shows the whole ad. */
async function captureAd(live: LivePage, slot: FoundSlot, request: BrowserPictureRequest): Promise<BrowserPicture> {
  const staged = await live.stage(slot, request);
  try {
    if (request.spot.isSpread) await staged.spreadOut();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await staged.bringIntoView(attempt === 0 ? request.spot.scroll : { ...request.spot.scroll, thorough: true });
      const picture = await captureOnce(live, staged, request);
      if (picture !== undefined) return { ...picture, warnings: [...staged.warnings, ...picture.warnings] };
    }
    throw new Error('the page covered the ad while the picture was taken');
  } finally {
    await staged.end();
  }
}

/** @returns undefined if the picture does not show the whole ad. */
async function captureOnce(
  live: LivePage,
  staged: StagedSlot,
  request: BrowserPictureRequest,
): Promise<BrowserPicture | undefined> {
  const { spot, png, area } = request;
  const geometry = await geometryOf(live, staged, area);
  if (faultOfGeometry(geometry, request) !== undefined) return undefined;
  const { clip } = geometry;
  const box = measuredBox(spot.box, geometry.box);
  const camera = new Camera(live, clip);
  const first = await camera.show(staged, png);
  const shown = await camera.until((picture) => changedShare(spot.page, picture, box) > 0.02, first);
  const without = await camera.show(staged, null);
  const [picture, page] = await Promise.all([shown.pixels, without.pixels]);
  const isWhole = await showsAd(picture, page, { png, box });
  return isWhole ? { png: shown.png, box, at: shown.at, warnings: warningsOf(geometry) } : undefined;
}

/** The browser rounds to another pixel now and then. The probe picture was measured, so its box is more exact. */
function measuredBox(measured: PixelBox, expected: PixelBox): PixelBox {
  const isSame = (['x', 'y', 'width', 'height'] as const).every(
    (side) => Math.abs(measured[side] - expected[side]) <= 2,
  );
  return isSame ? measured : expected;
}
