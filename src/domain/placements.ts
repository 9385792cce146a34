/** Ad sizes of one placement. */
export const PLACEMENT_SIZES_MAX = 20;

/** The most pixels of a picture for each CSS pixel: as many as most screens show. */
export const IMAGE_RATIO_MAX = 2;
