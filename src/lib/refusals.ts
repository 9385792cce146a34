/** Messages about content that is not a creative: what it is, and what to send instead. */

/** Archives other than zip, by media type. */
const ARCHIVES: Readonly<Record<string, string>> = {
  'application/x-rar-compressed': 'a RAR archive',
  'application/x-7z-compressed': 'a 7-Zip archive',
  'application/gzip': 'a gzip archive',
  'application/x-tar': 'a tar archive',
  'application/x-xz': 'an xz archive',
  'application/x-bzip2': 'a bzip2 archive',
};
const DESIGN = /photoshop|illustrator|postscript|x-cfb|x-indesign|sketch/;
const EXPORT = 'Send an HTML5 zip, an image or a video that it exports.';

/** @param type the media type of the bytes, or else of the response. @returns a message for the client. */
export function refusalOf(bytes: Buffer, type: string): string {
  const start = bytes.subarray(0, 4_096).toString('latin1');
  if (/^(FWS|CWS|ZWS)/.test(start))
    return 'The creative is a Flash file, which no browser plays. Send an HTML5 zip, an image or a video.';
  if (/^#EXTM3U/.test(start) || /<MPD\b/.test(start))
    return 'The creative is the playlist of a video stream. Send the video as an MP4 file.';
  if (type.startsWith('audio/'))
    return `The creative is audio (${type}), so it has nothing to show. Send an image or a video.`;
  const archive = ARCHIVES[type];
  if (archive !== undefined) return `The creative is ${archive}. Send its files as a zip.`;
  if (DESIGN.test(type)) return `The creative is the file of a design program (${type}). ${EXPORT}`;
  if (type === 'application/pdf') return 'The creative is a PDF. Send its page as an image, or an HTML5 zip.';
  const root = /^(?:\xEF\xBB\xBF)?\s*<\?xml[^>]{0,200}\?>(?:\s|<!--[^>]{0,1000}-->)*<([\w:.-]{1,100})/.exec(start)?.[1];
  if (root !== undefined)
    return `The creative is XML with the root element <${root}>, which is not an image, video, VAST or VMAP. Send a VAST document, or the video file itself.`;
  return `The creative is ${type || 'unknown data'}, which is not an image, video, VAST, HTML or zip. Send one of these.`;
}
