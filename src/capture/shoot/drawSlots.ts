import sharp from 'sharp';
import { html } from '../../lib/html.ts';
import type { RecordedCandidate } from '../engine/provenance.ts';
import type { PagePicture } from '../page/page.ts';

/** A slot without an ad may have no height. */
const MIN_HEIGHT = 22;

/** Draws the slots of a page with their numbers: blue if they can hold the ad, else gray. @returns a PNG. */
export function drawSlots(
  { png, width, height }: Pick<PagePicture, 'png' | 'width' | 'height'>,
  candidates: readonly Pick<RecordedCandidate, 'box' | 'problem'>[],
): Promise<Buffer> {
  const drawn = candidates.map(({ box, problem }, at) => {
    const color = problem === null ? '#0b5cad' : '#666';
    return html`<g fill="${color}"><rect x="${box.x}" y="${box.y}" width="${Math.max(box.width, 32)}" height="${Math.max(box.height, MIN_HEIGHT)}" fill-opacity="0.2" stroke="${color}" stroke-width="3"/><text x="${box.x + 4}" y="${box.y + 18}" font-family="sans-serif" font-size="16" font-weight="bold" stroke="#fff" stroke-width="4" paint-order="stroke">${at + 1}</text></g>`;
  });
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drawn.toReversed()}</svg>`;
  return sharp(png)
    .composite([{ input: Buffer.from(svg.text) }])
    .toBuffer();
}
