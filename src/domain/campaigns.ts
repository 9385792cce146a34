import { cutCodePoints } from './text.ts';

const CAMPAIGN_NAME_MAX = 250;

/** The name that find-or-create compares exactly: trimmed, cut to 250 code points, trimmed again. May be empty, which is a fault. */
export function campaignName(sent: string): string {
  return cutCodePoints(sent.trim(), CAMPAIGN_NAME_MAX).trim();
}

/** The campaign of creatives that people try on the page of a new request, until a request uses them. */
export const DRAFT_CAMPAIGN = 'Drafts';
