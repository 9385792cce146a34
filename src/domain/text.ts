/** Number of Unicode code points. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i += 1) {
    if (isHigh(text.charCodeAt(i)) && isLow(text.charCodeAt(i + 1))) count -= 1;
  }
  return count;
}

/** The first `max` code points; a surrogate pair is never split. */
export function cutCodePoints(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count += 1) {
    end += isHigh(text.charCodeAt(end)) && isLow(text.charCodeAt(end + 1)) ? 2 : 1;
  }
  return text.slice(0, end);
}

/** @returns why PostgreSQL cannot store the text, or undefined. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000.';
  if (!text.isWellFormed()) return 'must be well-formed Unicode: it contains half of a surrogate pair.';
  return undefined;
}

/** @returns the text with U+FFFD for characters that cannot be stored. Use it for text from pages, where no client can correct it. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** @returns the text in lower case; undefined if a letter would become one of ASCII that it is not, as the Kelvin sign becomes k. */
export function lowerCase(text: string): string | undefined {
  return /[\u0130\u212a]/.test(text) ? undefined : text.toLowerCase();
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/** For example "1 picture" or "2,000 pictures". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** For example "a, b and 3 more". @param most items that are named. */
export function firstOf(items: readonly string[], most: number, name = (item: string) => item): string {
  const shown = items
    .slice(0, most)
    .map((item) => name(item))
    .join(', ');
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
}

/** Characters of an e-mail address (RFC 5321). */
export const EMAIL_MAX = 254;
