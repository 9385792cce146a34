/** Facts that the reader of a picture should know although the picture was taken. Clients match on the codes, so a code never changes. */

export const WARNING_CODES = [
  'image_not_loaded',
  'script_not_loaded',
  'font_not_loaded',
  'fallback_font',
  'size_conflict',
  'size_assumed',
  'scaled',
  'overlay_hidden',
  'page_changed',
  'real_time',
  'part_shown',
  'outside_slot',
  'other',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export interface Warning {
  readonly code: WarningCode;
  /** A sentence for the user. */
  readonly message: string;
}
