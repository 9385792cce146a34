/** @returns ASCII letters, digits and single `-`, `_` and `.`, at most `max` of them; '' if the text has none. */
export function safeWord(text: string, max: number): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/-{2,}/g, '-')
    .slice(0, max)
    .replace(/^[.-]+|[.-]+$/g, '');
}
