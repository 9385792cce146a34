/** Facts that the reader of a picture should know although the picture was taken. Clients match on the codes, so a code never changes. */

export const WARNING_CODES = [
  'image_not_loaded',
  'script_not_loaded',
  'font_not_loaded',
  'fallback_font',
  'missing_glyphs',
  'size_conflict',
  'size_assumed',
  'scaled',
  'overlay_hidden',
  'page_changed',
  'page_unstyled',
  'page_given',
  'http_used',
  'real_time',
  'part_shown',
  'outside_slot',
  'slot_uncertain',
  'slot_drawn',
  'ad_covers_content',
  'site_rule_failed',
  'no_animation',
  'large_animation',
  'other',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export interface Warning {
  readonly code: WarningCode;
  /** A sentence for the user. */
  readonly message: string;
}
