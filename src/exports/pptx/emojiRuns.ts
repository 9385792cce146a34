/** Divides a text at its emoji. A program that finds no emoji in a font may replace the font of all letters of the run. */

const EMOJI = /(\p{RGI_Emoji}+)/v;

export interface EmojiRun {
  readonly text: string;
  readonly isEmoji: boolean;
}

/** @returns the runs in the order of reading; one empty run for an empty text. */
export function emojiRuns(text: string): EmojiRun[] {
  const parts = text
    .split(EMOJI)
    .map((part, at) => ({ text: part, isEmoji: at % 2 === 1 && !/^[\p{ASCII}©®™]/u.test(part) }));
  const runs = parts.filter((part) => part.text !== '');
  return runs.length === 0 ? [{ text, isEmoji: false }] : runs;
}
