/** The texts for statuses: what happened, and what the reader can do. */
import type { ScreenshotTotals } from '../../domain/reviewNotes.ts';
import type { AdFailure, AdStatus, ScreenshotFailure, ScreenshotStatus, SetStatus } from '../../domain/states.ts';
import type { DeliveryRow } from '../../store/deliveries/listDeliveries.ts';

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
  blocked: 'Blocked by the site',
  generic_error: 'Not captured',
  canceled: 'Canceled',
};

export const SCREENSHOT_ADVICE: Readonly<Record<ScreenshotFailure, string>> = {
  ad_not_captured:
    'Open the ad to see why its creative could not be rendered. Correct it, then request the screenshots again.',
  net_read_timeout: 'The site may be slow at the moment. Request this screenshot again later.',
  no_slots:
    'Choose a page of the site that has a slot of the ad’s size, or an ad of a size that the page has slots for.',
  not_found: 'Open the address in a browser to check it. Correct it, then request the screenshot again.',
  blocked: 'The site blocks automated visits. Ask the publisher to allow this service, or choose another site.',
  generic_error: 'Read the reason above. If the site caused the error, request the screenshot again later.',
};

export const AD_LABELS: Readonly<Record<AdStatus, string>> = {
  pending: 'In progress',
  uploaded: 'Captured',
  not_found: 'Media not found',
  net_read_timeout: 'Media too slow',
  generic_error: 'Not captured',
};

export const AD_ADVICE: Readonly<Record<AdFailure, string>> = {
  not_found:
    'Check the address of the media: it must be reachable from the internet without a login. Then create the ad again.',
  net_read_timeout: 'The server of the media did not answer in time. Create the ad again when it does.',
  generic_error: 'Correct the creative as the reason says. Then create the ad again with another lookup key.',
};

/** For example "Failed after 14 attempts". */
export function deliveryLabel({ status, attempts }: Pick<DeliveryRow, 'status' | 'attempts'>): string {
  switch (status) {
    case 'pending':
      return 'Waiting to be sent';
    case 'delivered':
      return 'Delivered';
    case 'retries_exhausted':
      return `Failed after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}`;
    case 'gone':
      return 'Stopped: the receiver answered 410 Gone';
  }
}

/** For example "7 captured, 6 failed". */
export function progressLabel({ uploaded, failed, pending, canceled }: ScreenshotTotals): string {
  const others = [
    [failed, 'failed'],
    [pending, 'in progress'],
    [canceled, 'canceled'],
  ] as const;
  const parts = others.filter(([count]) => count > 0).map(([count, label]) => `${count} ${label}`);
  return [`${uploaded} captured`, ...parts].join(', ');
}

/** `21 Nov 2026, 09:30:05 UTC` */
export function formatTime(time: Date): string {
  const [, day, month, year, clock] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(time.toUTCString()) ?? [];
  return `${day} ${month} ${year}, ${clock} UTC`;
}

export function markerLabel(ms: number | null): string {
  return ms === null ? 'default frame' : `${(ms / 1000).toFixed(ms % 100 === 0 ? 1 : 3)} s`;
}
