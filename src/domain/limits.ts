/** Limits of one request. The message for a request over a limit names the limit. */
export interface Limits {
  readonly entries: number;
  /** Screenshots that a request may result in, after merging duplicates. */
  readonly screenshots: number;
  readonly subscribers: number;
  /** Frames in one screenshot object: one for each whole second of a creative's time, 0 to 30. */
  readonly frames: number;
  /** Ids of the locations that the operator offers; none unless given. */
  readonly locations?: readonly string[];
}

export const DEFAULT_LIMITS: Limits = {
  entries: 1_000,
  screenshots: 10_000,
  subscribers: 10,
  frames: 31,
};

/** A JSON body, before and after decompression. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** In a JSON body. To parse more would delay other requests. Valid screenshots with all options have 16 values each. */
export const MAX_BODY_VALUES = 200_000;
/** Different sequences of field names in a JSON body. Metadata of 1,000 ads have at most 50,000. */
export const MAX_BODY_SHAPES = 52_000;

/** Several objects and markers may name the same screenshot. More than this is a mistake, and parsing them would take seconds. */
export const MAX_REPETITIONS = 2;

export const INSTRUCTIONS_MAX = 10_000;
