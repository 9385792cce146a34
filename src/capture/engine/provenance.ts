/**
 * The provenance record of a picture: plain JSON that always has all keys. A value is null if it is unknown, or if no picture
 * was taken.
 */

import type { Location } from '../../contract/locations.ts';
import type { SlotsRecord } from '../../contract/placements.ts';
import type { RuleReport } from '../../contract/siteRules.ts';
import type { PlacementCandidate } from '../../contract/slotCandidates.ts';
import { type OptionsJson, optionsToJson } from '../../contract/storedOptions.ts';
import type { AdSize } from '../../domain/ads.ts';
import type { Device } from '../../domain/devices.ts';
import type { ScreenshotOptions } from '../../domain/screenshotOptions.ts';
import { cutCodePoints } from '../../domain/text.ts';
import type { GivenPageFormat } from '../../domain/uploads.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { CreativeFrame } from '../creative/creative.ts';
import type { Box, Picture, PlacementFailure, ScoredCandidate, SlotOfRule } from '../page/page.ts';
import { withSlotReport } from '../page/siteRules.ts';

/** A record holds the best candidates. */
const MAX_CANDIDATES = 20;
/** A page may set its URL to two million characters, and each of its records contains the URL. */
const MAX_ADDRESS = 4_000;

/** As in the API. `size` is the declared size that the ad was measured against: width and height in CSS pixels. */
export type RecordedCandidate = Readonly<Omit<PlacementCandidate, 'size'>> & {
  readonly size: readonly [number, number];
};

export type ProvenanceRecord = {
  /** Tearsheet placed the ad for the picture. The record does not prove that a campaign ran. */
  readonly kind: 'placement_preview';
  /** UTC, ISO 8601 with milliseconds. */
  readonly captured_at: string;
  readonly requested_url: string;
  /** After redirects; null when the page was not opened. */
  readonly final_url: string | null;
  /** The file of the user that was shown as the page; absent if the page was opened at its address. */
  readonly given_page?: { readonly format: GivenPageFormat; readonly sha256: string } | undefined;
  readonly device: string;
  /** CSS pixels. */
  readonly viewport: { readonly width: number; readonly height: number };
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  /** Seconds of the creative's own time; null is its default frame. */
  readonly marker: number | null;
  /** The creative's own size, CSS pixels. */
  readonly ad_size: readonly [number, number] | null;
  /** The slot in which the ad was placed. */
  readonly slot: RecordedCandidate | null;
  readonly score: number | null;
  readonly candidates: readonly RecordedCandidate[];
  /** The number of candidates, including those that are not recorded. */
  readonly candidates_found: number;
  /** The scale of the ad; 1 is its own size. */
  readonly scale: number | null;
  /** The ad inside the picture, in device pixels. */
  readonly ad_box: Box | null;
  /** `composed`: a composed picture. `browser`: the browser painted the page with the ad. */
  readonly page_mode: string | null;
  /** `stepped`: stepped time. `wall`: real time. `still`: an image. Null: another capture of the job rendered it. */
  readonly creative_mode: string | null;
  readonly browser_version: string | null;
  /** Where the page was opened; null if directly. */
  readonly location: Pick<Location, 'id' | 'name' | 'country' | 'locale' | 'time_zone'> | null;
  /** The IP address from which the page was opened; null without a location that has a check address. */
  readonly exit_address: string | null;
  /** The SHA-256 of the PNG. */
  readonly sha256: string | null;
  /** The choices of the client for this screenshot. */
  readonly options: OptionsJson;
  /** The site rules of the page, and what each part of them did. */
  readonly site_rules: readonly RuleReport[];
  /** Warnings of the creative and of the page. */
  readonly warnings: readonly Warning[];
  /** Why there is no picture. */
  readonly reason: string | null;
};

/** The facts about a picture that are known before it is taken. */
export interface PictureContext {
  readonly requestedUrl: string;
  readonly finalUrl: string | null;
  readonly device: Device;
  readonly markerMs: number | null;
  readonly options: ScreenshotOptions;
  readonly browserVersion: string | null;
  readonly location: Location | null;
  readonly exitAddress: string | null;
  readonly ruleReports: readonly RuleReport[];
  readonly givenPage?: ProvenanceRecord['given_page'];
}

/** The record of a picture that was taken. */
export function recordOfPicture(
  context: PictureContext,
  taken: {
    picture: Picture;
    sha256: string;
    frame: CreativeFrame;
    creativeMode: string | null;
    warnings: readonly Warning[];
  },
): ProvenanceRecord {
  const { picture, sha256, frame, creativeMode, warnings } = taken;
  return {
    captured_at: picture.capturedAt.toISOString(),
    ...described(context),
    ad_size: [frame.width, frame.height],
    slot: recorded(picture.chosen),
    score: picture.chosen.score,
    ...listed(picture.candidates),
    scale: picture.scale,
    ad_box: { ...picture.adBox },
    page_mode: picture.mode,
    creative_mode: creativeMode,
    sha256,
    warnings,
    reason: null,
  };
}

/** The record of a picture that could not be taken. */
export function recordOfFailure(
  context: PictureContext,
  failed: { at: Date; reason: string; candidates: PlacementFailure['candidates']; frame?: CreativeFrame | undefined },
): ProvenanceRecord {
  const { at, reason, candidates, frame } = failed;
  return {
    captured_at: at.toISOString(),
    ...described(context),
    ad_size: frame === undefined ? null : [frame.width, frame.height],
    ...{ slot: null, score: null, scale: null, ad_box: null, page_mode: null, creative_mode: null, sha256: null },
    ...listed(candidates),
    warnings: [],
    reason,
  };
}

/** The record of a page without an ad, and its slots for each size. */
export function recordOfSlots(found: {
  finalUrl: string;
  page: AdSize;
  judged: readonly { size: AdSize; candidates: readonly ScoredCandidate[]; ofRule?: SlotOfRule | undefined }[];
  ruleReports?: readonly RuleReport[];
}): SlotsRecord {
  const sizes = found.judged.map(({ size, candidates, ofRule }) => ({
    ...size,
    ...chosenOf(candidates, ofRule),
    candidates: candidates.slice(0, MAX_CANDIDATES).map(slotOf),
    candidates_found: candidates.length,
  }));
  const reports = found.judged.reduce(
    (all, { ofRule }) => withSlotReport(all, ofRule?.report),
    [...(found.ruleReports ?? [])],
  );
  const site_rules = reports.map(({ effects, ...rule }) => ({ ...rule, effects: [...effects] }));
  return { final_url: cutCodePoints(found.finalUrl, MAX_ADDRESS), page: found.page, sizes, site_rules };
}

function chosenOf(candidates: readonly ScoredCandidate[], ofRule: SlotOfRule | undefined) {
  if (ofRule?.report.effect.problem === null) {
    const { id, effect } = ofRule.report;
    return { chosen: ofRule.index < 0 ? null : ofRule.index + 1, site_rule: { id, selector: effect.target } };
  }
  // Slots that can hold the ad come first.
  return { chosen: candidates[0] !== undefined && candidates[0].problem === undefined ? 1 : null };
}

function slotOf(candidate: ScoredCandidate): PlacementCandidate {
  const [width, height] = candidate.size;
  return { ...recorded(candidate), size: { width, height } };
}

function described({ finalUrl, device, markerMs, location, givenPage, ...context }: PictureContext) {
  return {
    kind: 'placement_preview',
    requested_url: context.requestedUrl,
    final_url: finalUrl === null ? null : cutCodePoints(finalUrl, MAX_ADDRESS),
    ...(givenPage && { given_page: givenPage }),
    device: device.name,
    viewport: { ...device.viewport },
    ratio: device.ratio,
    marker: markerMs === null ? null : markerMs / 1000,
    options: optionsToJson(context.options),
    browser_version: context.browserVersion,
    location: location && {
      id: location.id,
      name: location.name,
      country: location.country,
      locale: location.locale,
      time_zone: location.time_zone,
    },
    exit_address: context.exitAddress,
    site_rules: context.ruleReports,
  } as const;
}

function listed(candidates: readonly ScoredCandidate[]) {
  return { candidates: candidates.slice(0, MAX_CANDIDATES).map(recorded), candidates_found: candidates.length };
}

function recorded(candidate: ScoredCandidate): RecordedCandidate {
  const { element, score, likelihood, evidence, reasons, kind: format = 'display', problem = null } = candidate;
  const { x, y, width, height } = candidate.box;
  const size = [candidate.size[0], candidate.size[1]] as const;
  const listed = { evidence: [...evidence], reasons: [...reasons] };
  return { element, box: { x, y, width, height }, size, score, likelihood, ...listed, format, problem };
}
