/** Limits of one request. The message for a request over a limit names the limit. */
export interface Limits {
  readonly entries: number;
  /** Screenshots that a request may result in, after merging duplicates. */
  readonly screenshots: number;
  readonly subscribers: number;
  /** Frames in one screenshot object: one for each whole second of a creative's time, 0 to 30. */
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

/** Several objects and markers may name the same screenshot. More than this is a mistake, and parsing them would take seconds. */
export const MAX_REPETITIONS = 4;

export const INSTRUCTIONS_MAX = 10_000;
