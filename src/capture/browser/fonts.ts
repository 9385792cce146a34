/** The generic families as Playwright sets them on Linux, so that both browsers paint the same text. */
export const FONT_FAMILIES = {
  standard: 'Times New Roman',
  fixed: 'Monospace',
  serif: 'Times New Roman',
  sansSerif: 'Arial',
  cursive: 'Comic Sans MS',
  fantasy: 'Impact',
};
