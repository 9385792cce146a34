/** Candidate boxes of a record, drawn over its picture and over the picture of the whole page. */
import type { ProvenanceRecord, RecordedCandidate } from '../../src/capture/engine/provenance.ts';

export interface DrawnBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly candidate: RecordedCandidate;
  readonly isChosen: boolean;
}

/**
 * Candidates are measured in the document, and the picture shows a part of it. The ad's box is known in both, so it gives the scale and the
 * scroll position. The slot may be larger than the ad, so the boxes may be off by the difference.
 * @returns boxes in device pixels of the picture; none if the record has no picture.
 */
export function boxesInPicture(record: ProvenanceRecord): DrawnBox[] {
  const { slot, ad_box: ad, ad_size: size, scale } = record;
  if (slot === null || ad === null || size === null || scale === null) return [];
  const pixels = ad.width / (size[0] * scale);
  const left = slot.box.x + (slot.box.width - ad.width / pixels) / 2 - ad.x / pixels;
  const top = slot.box.y - ad.y / pixels;
  // A page that is not scrolled shows the ad inside its slot without any shift.
  const fitsUnscrolled = Math.abs(top) <= Math.max(2, slot.box.height - ad.height / pixels);
  const scroll = { x: Math.max(0, left), y: fitsUnscrolled ? 0 : top };
  return boxesOf(record, ({ x, y, width, height }) => ({
    x: (x - scroll.x) * pixels,
    y: (y - scroll.y) * pixels,
    width: width * pixels,
    height: height * pixels,
  }));
}

/** @returns boxes in CSS pixels of the document. */
export function boxesInDocument(record: ProvenanceRecord): DrawnBox[] {
  return boxesOf(record, (box) => box);
}

function boxesOf(
  record: ProvenanceRecord,
  place: (box: RecordedCandidate['box']) => RecordedCandidate['box'],
): DrawnBox[] {
  return record.candidates.map((candidate) => ({
    ...place(candidate.box),
    candidate,
    isChosen: candidate.element === record.slot?.element && candidate.box.y === record.slot.box.y,
  }));
}

/** An SVG that covers a picture of this size. */
export function overlaySvg(boxes: readonly DrawnBox[], { width, height }: { width: number; height: number }): string {
  const unit = width / 480;
  const shapes = boxes
    .filter((box) => box.x < width && box.y < height && box.x + box.width > 0 && box.y + box.height > 0)
    .map((box) => shape(box, unit));
  return `<svg class="boxes" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${shapes.join('')}</svg>`;
}

function shape({ x, y, width, height, candidate, isChosen }: DrawnBox, unit: number): string {
  const { element, score, size, evidence } = candidate;
  const title = `${element}\n${size.join('×')}, score ${score}\n${evidence.join(', ')}`;
  const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}"`;
  const text = `x="${(x + 2 * unit).toFixed(1)}" y="${(y + 11 * unit).toFixed(1)}" font-size="${(10 * unit).toFixed(1)}"`;
  return `<g${isChosen ? ' class="chosen"' : ''}><title>${escaped(title)}</title><rect ${place} width="${width.toFixed(1)}" height="${Math.max(unit, height).toFixed(1)}"/><text ${text}>${escaped(String(score))}</text></g>`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
