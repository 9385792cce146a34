/** @returns one line without controls and without half surrogate pairs, which XML and PDF cannot hold. */
export function cleanText(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/\s+/gu, ' ')
      // Controls, and marks that would turn the text around them. Joiners stay, because emoji and scripts need them.
      .replace(/[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF\uFFFE\uFFFF]/gu, '')
      .trim()
  );
}

/** Whether the first letter with a direction is written from right to left, which decides the direction of a paragraph. */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = /\p{L}/u.exec(text) ?? [];
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
    letter,
  );
}
