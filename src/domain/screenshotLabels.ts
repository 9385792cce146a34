import type { ScreenshotStatus } from './states.ts';

/** The words for the statuses of screenshots, on pages and in exports. */
export const SCREENSHOT_LABELS: Readonly<Record<ScreenshotStatus, string>> = {
  pending: 'In progress',
  uploaded: 'Captured',
  ad_not_captured: 'Ad not captured',
  net_read_timeout: 'Site too slow',
  no_slots: 'No slot for the ad',
  not_found: 'Page not found',
  blocked: 'Blocked by the site',
  generic_error: 'Not captured',
  canceled: 'Canceled',
};
