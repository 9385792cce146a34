/** How much one request may hold. All configurable; what is over a limit is told the limit. */
export interface Limits {
  readonly entries: number;
  /** Pictures a request may result in, after merging. */
  readonly screenshots: number;
  readonly subscribers: number;
  /** Of one screenshot object. */
  readonly frames: number;
  readonly bodyBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  entries: 1_000,
  screenshots: 10_000,
  subscribers: 10,
  frames: 31,
  bodyBytes: 33_554_432,
};

export const INSTRUCTIONS_MAX = 10_000;
