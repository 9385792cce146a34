/** The fonts of what Tearsheet draws into pictures, as a CSS font-family. The image of captures contains the first two. */
export const DRAWN_FONTS = 'Liberation Sans, Noto Sans, Arial, Helvetica, sans-serif';
