/** What `tearsheet shoot` says of a picture, to programs and to people. */
import type { Device } from '../../domain/devices.ts';
import type { PictureResult } from '../engine/pageTask.ts';
import type { RecordedCandidate } from '../engine/provenance.ts';
import type { Box, ScoredCandidate } from '../page/page.ts';

/** One JSON line. All keys are always there. */
export interface PictureLine {
  /** `uploaded` (taken), or the failure as the API names it. */
  readonly status: PictureResult['status'];
  /** Path of the PNG; null where there is none. */
  readonly file: string | null;
  readonly site: string;
  readonly device: string;
  readonly ad: string;
  /** Seconds; null is the resting picture. */
  readonly marker: number | null;
  /** Selector of the slot that was chosen. */
  readonly slot: string | null;
  readonly candidates: readonly ReportedCandidate[];
  /** The candidate that was chosen. */
  readonly chosen: ReportedCandidate | null;
  readonly scale: number | null;
  readonly mode: 'composed' | 'browser' | null;
  /** Why there is no picture, in words. */
  readonly reason: string | null;
}

interface ReportedCandidate {
  readonly element: string;
  /** CSS pixels in the document. */
  readonly box: Box;
  readonly size: readonly [number, number];
  readonly score: number;
  readonly evidence: readonly string[];
}

export function pictureLine(
  result: PictureResult,
  { site, device }: { site: string; device: Device },
  file: string | null,
): PictureLine {
  const taken = result.status === 'uploaded' ? result : undefined;
  const { markerMs, ad } = result.wanted;
  return {
    status: result.status,
    file,
    site,
    device: device.name,
    ad,
    marker: markerMs === null ? null : markerMs / 1000,
    slot: taken?.picture.chosen.element ?? null,
    candidates: result.record.candidates.map(reported),
    chosen: taken ? reported(taken.picture.chosen) : null,
    scale: taken?.picture.scale ?? null,
    mode: taken?.picture.mode ?? null,
    reason: result.status === 'uploaded' ? null : result.reason,
  };
}

function reported({ element, box, size, score, evidence }: RecordedCandidate | ScoredCandidate): ReportedCandidate {
  return { element, box, size, score, evidence };
}

/** One line for people. */
export function textLine(line: PictureLine): string {
  const { status, file, site, device, marker, chosen, scale, mode, reason } = line;
  const where = `${site} as ${device}${marker === null ? '' : ` at ${marker} s`}`;
  if (chosen === null) return `${status}  ${where}: ${reason}`;
  const scaled = scale === 1 || scale === null ? '' : `, scaled to ${Math.round(scale * 100)} %`;
  return `placed  ${where}: ${chosen.size.join('×')} slot ${chosen.element}${scaled} (${mode}) → ${file}`;
}
