/** The texts for statuses: what happened, and what the reader can do. */

import type { ReviewRow } from '../../core/sets/history.ts';
import type { SetOfRounds } from '../../core/sets/rounds.ts';
import type { DeliveryRow } from '../../core/webhooks/listDeliveries.ts';
import type { ScreenshotTotals } from '../../domain/reviewNotes.ts';
import type { Decision } from '../../domain/reviews.ts';
import type { AdFailure, AdStatus, ScreenshotFailure, SetStatus } from '../../domain/states.ts';
import { counted } from '../../domain/text.ts';
import type { Language } from '../../domain/texts/languages.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge } from './components.ts';

export const SET_LABELS: Readonly<Record<SetStatus, string>> = {
  draft: 'Waiting to start',
  capturing: 'Capturing',
  in_review: 'In review',
  approved: 'Approved',
  rejected: 'Rejected',
  failed: 'Failed',
  canceled: 'Canceled',
};

export { SCREENSHOT_LABELS } from '../../domain/screenshotLabels.ts';

export const SCREENSHOT_ADVICE: Readonly<Record<ScreenshotFailure, string>> = {
  ad_not_captured:
    'Open the ad to see what is wrong with it. Correct its file, then make a new request with the corrected ad.',
  net_read_timeout: 'The site may be slow at the moment. Press Retake later.',
  no_slots:
    'Choose a page of the site that has a slot of the ad’s size, or an ad of a size that the page has slots for.',
  not_found:
    'Open the address in a browser to check it. To use another address, press Retake and enter it as “Another page”.',
  blocked: 'The site blocks automated visits. Ask the publisher to allow this service, or choose another site.',
  generic_error: 'Read the reason. If the site caused the error, press Retake later.',
};

export const AD_LABELS: Readonly<Record<AdStatus, string>> = {
  pending: 'In progress',
  uploaded: 'Captured',
  not_found: 'Media not found',
  net_read_timeout: 'Media too slow',
  generic_error: 'Not captured',
};

export const AD_ADVICE: Readonly<Record<AdFailure, string>> = {
  not_found: 'Check the address of the ad: it must open without a login. Then add the ad again, in a new request.',
  net_read_timeout: 'The server of the ad did not answer in time. Add the ad again later, in a new request.',
  generic_error: 'Correct the file as the reason says. Then add the ad again, in a new request.',
};

/** The status in a word. Only a decision is "Approved": a set that the rule of the organization took over says so. */
function setWord({ status, isReviewed }: Judged, failed: number): string {
  if (status !== 'approved' || isReviewed) return SET_LABELS[status];
  return failed > 0 ? 'Ready' : 'Approved automatically';
}

type Judged = Pick<SetOfRounds, 'status' | 'isReviewed'>;

/** The result of a set, for example "Approved, 3 failed": the status alone hides that pictures are missing. */
export function setLabel(set: Judged, { total, uploaded, failed }: ScreenshotTotals): string {
  if (set.status === 'canceled') return `Canceled after ${uploaded} of ${total}`;
  return `${setWord(set, failed)}${hasPartial(set.status) && failed > 0 ? `, ${failed} failed` : ''}`;
}

const hasPartial = (status: SetStatus) => status === 'approved' || status === 'in_review' || status === 'rejected';

/** As {@link setLabel}; a cancellation that is not finished says so. */
export function setBadge(set: Judged & Pick<SetOfRounds, 'cancel_requested_at'>, { failed }: ScreenshotTotals): Html {
  const { status, cancel_requested_at } = set;
  const isCanceling = cancel_requested_at !== null && status === 'capturing';
  const partly = failed > 0 && hasPartial(status) && html` <span class="badge failed">${failed} failed</span>`;
  return html`<span class="badge ${status}">${isCanceling ? 'Canceling' : setWord(set, failed)}</span>${partly}`;
}

/** The decision of a reviewer in a sentence. */
export const DECISION_LABELS: Readonly<Record<Decision, string>> = {
  approved: 'Approved',
  rejected: 'Rejected',
  none: 'Decision withdrawn',
};

/** The decision of a reviewer about a picture; nothing without one. */
export function decisionBadge(decision: Decision): HtmlContent {
  return decision !== 'none' && badge(decision, DECISION_LABELS[decision]);
}

/** For example "Failed after 14 attempts". */
export function deliveryLabel({
  status,
  attempts,
  channel,
}: Pick<DeliveryRow, 'status' | 'attempts' | 'channel'>): string {
  switch (status) {
    case 'pending':
      return attempts === 0 ? 'Waiting to be sent' : `Retrying after ${counted(attempts, 'attempt')}`;
    case 'delivered':
      return 'Delivered';
    case 'retries_exhausted':
      return `Failed after ${counted(attempts, 'attempt')}`;
    case 'gone':
      return channel === 'email' || channel === 'chat' ? 'Stopped' : 'Stopped: the receiver answered 410 Gone';
    case 'refused':
      return channel === 'email' ? 'Refused by the mail server' : 'Stopped: the address is not allowed';
  }
}

/** For example "7 taken, 6 failed". */
export function progressLabel({ uploaded, failed, pending, canceled }: ScreenshotTotals): string {
  const others = [
    [failed, 'failed'],
    [pending, 'in progress'],
    [canceled, 'canceled'],
  ] as const;
  const parts = others.filter(([count]) => count > 0).map(([count, label]) => `${count} ${label}`);
  return [`${uploaded} taken`, ...parts].join(', ');
}

/** For example "by Anna, 21 Nov 2026, 09:30:05 UTC"; a key without a name has its id. */
export function reviewedBy({ key_id, key_name, user_name, created_at }: ReviewRow): Html {
  const name = user_name ?? (key_name || key_id);
  return html`${name !== null && `by ${name}, `}${timeElement(created_at)}`;
}

/** `21 Nov 2026, 09:30:05 UTC` */
function formatTime(time: Date): string {
  const [, day, month, year, clock] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(time.toUTCString()) ?? [];
  return `${day} ${month} ${year}, ${clock} UTC`;
}

/** A time that times.js shows in the zone of the reader. */
export function timeElement(time: Date): Html {
  return html`<time datetime="${time.toISOString()}">${formatTime(time)}</time>`;
}

/** A date for readers who do not work with the pictures every day. */
export function dateElement(time: Date): Html {
  return html`<time datetime="${time.toISOString()}" data-date>${formatTime(time).split(',')[0]}</time>`;
}

export function markerLabel(ms: number | null, language: Language = 'en'): string {
  const format = { minimumFractionDigits: 1, maximumFractionDigits: 3, useGrouping: false };
  return ms === null ? 'default moment' : `${(ms / 1000).toLocaleString(language, format)} s`;
}
