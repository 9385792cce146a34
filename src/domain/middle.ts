/** @returns the text without its middle if it has more than `max` characters, so that both ends stay readable. */
export function cutMiddle(text: string, max: number): string {
  // Whole grapheme clusters: a cut inside one would show half of an emoji or a lone accent.
  if (text.length <= max) return text;
  const parts = [...SEGMENTER.segment(text.slice(0, MAX_SEGMENTED))].map(({ segment }) => segment);
  if (parts.length <= max && text.length <= MAX_SEGMENTED) return text;
  const end = [...SEGMENTER.segment(text.slice(-MAX_SEGMENTED))].map(({ segment }) => segment);
  const kept = Math.max(1, max - 1);
  const tail = Math.floor(kept / 2);
  return `${parts.slice(0, kept - tail).join('')}…${tail === 0 ? '' : end.slice(-tail).join('')}`;
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
const MAX_SEGMENTED = 4_000;
