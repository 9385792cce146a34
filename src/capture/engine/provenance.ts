/**
 * The record of a picture: what makes it a proof. Plain JSON, all keys always there; null where something is not known,
 * or where no picture was taken.
 */
import type { Device } from '../../domain/devices.ts';
import { cutCodePoints } from '../../domain/text.ts';
import type { CreativeFrame } from '../creative/creative.ts';
import type { Box, Picture, PlacementFailure, ScoredCandidate } from '../page/page.ts';

/** Candidates a record holds at most: those with the highest scores. */
const MAX_CANDIDATES = 20;
/** A page may call itself by an address of two million characters, and stands so in every picture of it. */
const MAX_ADDRESS = 4_000;

export interface RecordedCandidate {
  /** A selector that a person can find it by. */
  readonly element: string;
  /** CSS pixels, from the top left corner of the document. */
  readonly box: Box;
  /** The declared size that the ad was measured against, CSS pixels. */
  readonly size: readonly [number, number];
  readonly score: number;
  readonly evidence: readonly string[];
  /** In words, what counted for and against it. */
  readonly reasons: readonly string[];
}

export type ProvenanceRecord = {
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
  /** Seconds of the creative's own time; null is its resting picture. */
  readonly marker: number | null;
  /** The creative's own size, CSS pixels. */
  readonly ad_size: readonly [number, number] | null;
  /** Where the ad was put. */
  readonly slot: RecordedCandidate | null;
  readonly score: number | null;
  readonly candidates: readonly RecordedCandidate[];
  /** How many there were, recorded or not. */
  readonly candidates_found: number;
  /** How far the ad was scaled down; 1 is its own size. */
  readonly scale: number | null;
  /** The ad inside the picture, device pixels. */
  readonly ad_box: Box | null;
  /** `composed`: the creative's pixels over the page's; `browser`: the browser's own picture. */
  readonly page_mode: string | null;
  /** `stepped`: virtual time; `wall`: real time; `still`: an image; null: rendered by another capture of the job. */
  readonly creative_mode: string | null;
  readonly browser_version: string | null;
  /** Of the PNG's bytes. */
  readonly sha256: string | null;
  /** Why there is no picture, in words. */
  readonly reason: string | null;
};

/** What is known of a picture before it is taken. */
export interface PictureContext {
  readonly requestedUrl: string;
  readonly finalUrl: string | null;
  readonly device: Device;
  readonly markerMs: number | null;
  readonly browserVersion: string | null;
}

/** The record of a picture that was taken. */
export function recordOfPicture(
  circumstances: PictureContext,
  taken: { picture: Picture; sha256: string; frame: CreativeFrame; creativeMode: string | null },
): ProvenanceRecord {
  const { picture, sha256, frame, creativeMode } = taken;
  return {
    captured_at: picture.capturedAt.toISOString(),
    ...described(circumstances),
    ad_size: [frame.width, frame.height],
    slot: recorded(picture.chosen),
    score: picture.chosen.score,
    ...listed(picture.candidates),
    scale: picture.scale,
    ad_box: { ...picture.adBox },
    page_mode: picture.mode,
    creative_mode: creativeMode,
    browser_version: circumstances.browserVersion,
    sha256,
    reason: null,
  };
}

/** The record of a picture that could not be taken. */
export function recordOfFailure(
  circumstances: PictureContext,
  failed: { at: Date; reason: string; candidates: PlacementFailure['candidates']; frame?: CreativeFrame | undefined },
): ProvenanceRecord {
  const { at, reason, candidates, frame } = failed;
  return {
    captured_at: at.toISOString(),
    ...described(circumstances),
    ad_size: frame === undefined ? null : [frame.width, frame.height],
    slot: null,
    score: null,
    ...listed(candidates),
    scale: null,
    ad_box: null,
    page_mode: null,
    creative_mode: null,
    browser_version: circumstances.browserVersion,
    sha256: null,
    reason,
  };
}

function described({ requestedUrl, finalUrl, device, markerMs }: PictureContext) {
  return {
    requested_url: requestedUrl,
    final_url: finalUrl === null ? null : cutCodePoints(finalUrl, MAX_ADDRESS),
    device: device.name,
    viewport: { ...device.viewport },
    ratio: device.ratio,
    marker: markerMs === null ? null : markerMs / 1000,
  };
}

function listed(candidates: readonly ScoredCandidate[]) {
  const best = candidates.toSorted((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES);
  return { candidates: best.map(recorded), candidates_found: candidates.length };
}

function recorded({ element, box, size, score, evidence, reasons }: ScoredCandidate): RecordedCandidate {
  const { x, y, width, height } = box;
  return {
    element,
    box: { x, y, width, height },
    size: [size[0], size[1]],
    score,
    evidence: [...evidence],
    reasons: [...reasons],
  };
}
