/** Ad sizes of one placement. */
export const PLACEMENT_SIZES_MAX = 20;

/** The most pixels of a picture for each CSS pixel. Most screens show no more. */
export const IMAGE_RATIO_MAX = 2;
