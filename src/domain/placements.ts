/** Ad sizes of one placement. */
export const PLACEMENT_SIZES_MAX = 20;
