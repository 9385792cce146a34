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

/** Characters of the comment of a review. */
export const COMMENT_MAX = 10_000;

/** Characters of a comment in a thread. */
export const THREAD_COMMENT_MAX = 2_000;
/** Comments of the organization on one picture, or on a set as a whole. */
export const COMMENTS_OF_PICTURE_MAX = 1_000;

/** A place on a picture, as fractions of its width and height. */
export interface Pin {
  readonly x: number;
  readonly y: number;
}
