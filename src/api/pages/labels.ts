/** The words for states: what happened, and what can be done. */
import type { AdFailure, AdStatus, ScreenshotFailure, ScreenshotStatus, SetStatus } from '../../domain/states.ts';

export const SET_LABELS: Readonly<Record<SetStatus, string>> = {
  draft: 'Waiting to start',
  capturing: 'Capturing',
  in_review: 'In review',
  approved: 'Approved',
  rejected: 'Rejected',
  failed: 'Failed',
  canceled: 'Canceled',
};

export const SCREENSHOT_LABELS: Readonly<Record<ScreenshotStatus, string>> = {
  pending: 'In progress',
  uploaded: 'Captured',
  ad_not_captured: 'Ad not captured',
  net_read_timeout: 'Site too slow',
  no_slots: 'No slot for the ad',
  not_found: 'Page not found',
  blocked: 'Site refused the visit',
  generic_error: 'Not captured',
  canceled: 'Canceled',
};

export const SCREENSHOT_ADVICE: Readonly<Record<ScreenshotFailure, string>> = {
  ad_not_captured:
    'Open the ad to see why its creative could not be rendered, correct it, and request the pictures again.',
  net_read_timeout: 'The site may be slow at the moment: request this picture again later.',
  no_slots:
    'Choose a page of the site that has a slot of the ad’s size, or an ad of a size that the page has slots for.',
  not_found: 'Check the address: open it in a browser, correct it, and request the picture again.',
  blocked: 'The site keeps automated visitors out. Ask the publisher to let this service in, or choose another site.',
  generic_error: 'The reason is given in its own words; where the site is at fault, request the picture again later.',
};

export const AD_LABELS: Readonly<Record<AdStatus, string>> = {
  pending: 'In progress',
  uploaded: 'Captured',
  not_found: 'Media not found',
  net_read_timeout: 'Media too slow',
  generic_error: 'Not captured',
};

export const AD_ADVICE: Readonly<Record<AdFailure, string>> = {
  not_found: 'Check the media’s address: it must answer from the internet without a login. Then create the ad anew.',
  net_read_timeout: 'The server of the media did not answer in time. Create the ad again when it does.',
  generic_error: 'Correct the creative as the reason says, then create the ad anew with another lookup key.',
};

export const DELIVERY_LABELS: Readonly<Record<'pending' | 'delivered' | 'retries_exhausted' | 'gone', string>> = {
  pending: 'On its way',
  delivered: 'Delivered',
  retries_exhausted: 'Given up',
  gone: 'Receiver is gone',
};

/** `21 Nov 2026, 09:30:05 UTC` */
export function formatTime(time: Date): string {
  const [, day, month, year, clock] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(time.toUTCString()) ?? [];
  return `${day} ${month} ${year}, ${clock} UTC`;
}

export function markerLabel(ms: number | null): string {
  return ms === null ? 'resting' : `${(ms / 1000).toFixed(ms % 100 === 0 ? 1 : 3)} s`;
}
