/** Decisions of reviewers on pictures and sets. */

/** `none` withdraws a decision. */
export const DECISIONS = ['approved', 'rejected', 'none'] as const;
export type Decision = (typeof DECISIONS)[number];

/**
 * How the finished sets of an organization are approved. `partial`: a complete set approves itself, and a set with failures waits for
 * a review.
 */
export const REVIEW_MODES = ['automatic', 'partial', 'manual'] as const;
export type ReviewMode = (typeof REVIEW_MODES)[number];

export const COMMENT_MAX = 10_000;
