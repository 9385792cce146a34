/** The statuses of ads, screenshots and sets, and the allowed transitions between them. */

import type { ReviewMode } from './reviews.ts';

export const AD_STATUSES = ['pending', 'uploaded', 'not_found', 'net_read_timeout', 'generic_error'] as const;
export type AdStatus = (typeof AD_STATUSES)[number];
export type AdFailure = Exclude<AdStatus, 'pending' | 'uploaded'>;

export const SCREENSHOT_STATUSES = [
  'pending',
  'uploaded',
  'ad_not_captured',
  'net_read_timeout',
  'no_slots',
  'not_found',
  'blocked',
  'generic_error',
  'canceled',
] as const;
export type ScreenshotStatus = (typeof SCREENSHOT_STATUSES)[number];
export type ScreenshotFailure = Exclude<ScreenshotStatus, 'pending' | 'uploaded' | 'canceled'>;

/** Whether an ad or a screenshot ended without a picture, and nobody canceled it. */
export function isFailure(status: AdStatus | ScreenshotStatus): status is AdFailure | ScreenshotFailure {
  return status !== 'pending' && status !== 'uploaded' && status !== 'canceled';
}

export const SET_STATUSES = ['draft', 'capturing', 'in_review', 'approved', 'rejected', 'failed', 'canceled'] as const;
export type SetStatus = (typeof SET_STATUSES)[number];

const SET_MOVES: Readonly<Record<SetStatus, readonly SetStatus[]>> = {
  draft: ['capturing', 'in_review', 'approved', 'failed', 'canceled'],
  capturing: ['in_review', 'approved', 'failed', 'canceled'],
  in_review: ['approved', 'rejected', 'canceled'],
  approved: [],
  rejected: [],
  failed: [],
  canceled: [],
};

export function canMoveSet(from: SetStatus, to: SetStatus): boolean {
  return SET_MOVES[from].includes(to);
}

/** A decision about a set can be withdrawn. This is not one of SET_MOVES, because such a set has ended. */
export function canReopenSet(status: SetStatus): boolean {
  return status === 'approved' || status === 'rejected';
}

export function isTerminalSet(status: SetStatus): boolean {
  return SET_MOVES[status].length === 0;
}

/** @returns the status of a set and its retakes together: work that is not finished counts before what is decided. */
export function statusOfRounds(own: SetStatus, retakes: readonly SetStatus[]): SetStatus {
  if (!isTerminalSet(own)) return own;
  if (retakes.some((status) => status === 'draft' || status === 'capturing')) return 'capturing';
  if (retakes.includes('in_review')) return 'in_review';
  return own === 'failed' && retakes.includes('approved') ? 'approved' : own;
}

/** @returns the next status of a set whose screenshots are all resolved. */
export function settledSetStatus(
  { uploaded, total }: { uploaded: number; total: number },
  review: ReviewMode,
): SetStatus {
  if (uploaded === 0) return 'failed';
  const needsReview = review === 'manual' || (review === 'partial' && uploaded < total);
  return needsReview ? 'in_review' : 'approved';
}

/**
 * Why a job ends. `lost`: its captures ended again and again without a result. `unscheduled`: none of them was ever started.
 */
export const SETTLE_CAUSES = ['complete', 'deadline', 'canceled', 'lost', 'unscheduled'] as const;
export type SettleCause = (typeof SETTLE_CAUSES)[number];

/** Points in the life of a set that metrics time. */
export const MILESTONES = ['admitted', 'first_picture', ...SETTLE_CAUSES] as const;
export type Milestone = (typeof MILESTONES)[number];
