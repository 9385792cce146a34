/** Filters over the whole area, which take minutes. Nested references would end earlier: librsvg limits their number. */
const FILTERS = '<feTurbulence baseFrequency="0.9" numOctaves="9"/>'.repeat(400);

/** An SVG of 20 KB that exceeds any deadline of a reader. */
export const SLOW_SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="300"><filter id="slow">${FILTERS}</filter><rect width="600" height="300" filter="url(#slow)"/></svg>`;
