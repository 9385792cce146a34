/**
 * The provenance record of a picture: plain JSON that always has all keys. A value is null if it is unknown, or if no picture
 * was taken.
 */
import { type OptionsJson, optionsToJson } from '../../contract/parseParts.ts';
import type { Device } from '../../domain/devices.ts';
import type { ScreenshotOptions } from '../../domain/screenshotOptions.ts';
import { cutCodePoints } from '../../domain/text.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { CreativeFrame } from '../creative/creative.ts';
import type { Box, Picture, PlacementFailure, ScoredCandidate } from '../page/page.ts';

/** A record holds the candidates with the highest scores. */
const MAX_CANDIDATES = 20;
/** A page may set its URL to two million characters, and each of its records contains the URL. */
const MAX_ADDRESS = 4_000;

export interface RecordedCandidate {
  /** A selector with which a person finds the element. */
  readonly element: string;
  /** CSS pixels, from the top left corner of the document. */
  readonly box: Box;
  /** The declared size that the ad was measured against, CSS pixels. */
  readonly size: readonly [number, number];
  readonly score: number;
  readonly evidence: readonly string[];
  /** Sentences about what raised and lowered the score. */
  readonly reasons: readonly string[];
  /** Why the slot cannot hold the ad; null if it can. */
  readonly problem: string | null;
}

export type ProvenanceRecord = {
  /** Tearsheet placed the ad for the picture. The record does not prove that a campaign ran. */
  readonly kind: 'placement_preview';
  /** UTC, ISO 8601 with milliseconds. */
  readonly captured_at: string;
  readonly requested_url: string;
  /** After redirects; null when the page was not opened. */
  readonly final_url: string | null;
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
  /** The SHA-256 of the PNG. */
  readonly sha256: string | null;
  /** The choices of the client for this screenshot. */
  readonly options: OptionsJson;
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
    kind: 'placement_preview',
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
    browser_version: context.browserVersion,
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
    kind: 'placement_preview',
    captured_at: at.toISOString(),
    ...described(context),
    ad_size: frame === undefined ? null : [frame.width, frame.height],
    slot: null,
    score: null,
    ...listed(candidates),
    scale: null,
    ad_box: null,
    page_mode: null,
    creative_mode: null,
    browser_version: context.browserVersion,
    sha256: null,
    warnings: [],
    reason,
  };
}

function described({ requestedUrl, finalUrl, device, markerMs, options }: PictureContext) {
  return {
    requested_url: requestedUrl,
    final_url: finalUrl === null ? null : cutCodePoints(finalUrl, MAX_ADDRESS),
    device: device.name,
    viewport: { ...device.viewport },
    ratio: device.ratio,
    marker: markerMs === null ? null : markerMs / 1000,
    options: optionsToJson(options),
  };
}

function listed(candidates: readonly ScoredCandidate[]) {
  const best = candidates.toSorted((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES);
  return { candidates: best.map(recorded), candidates_found: candidates.length };
}

function recorded(candidate: ScoredCandidate): RecordedCandidate {
  const { element, box, size, score, evidence, reasons, problem = null } = candidate;
  const { x, y, width, height } = box;
  return {
    element,
    box: { x, y, width, height },
    size: [size[0], size[1]],
    score,
    evidence: [...evidence],
    reasons: [...reasons],
    problem,
  };
}
