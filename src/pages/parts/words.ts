/** The words of a page, and how it writes times. */
import type { Request } from 'express';
import type { Locale } from '../../core/organizations/branding.ts';
import { LANGUAGES, type Language, textsOf } from '../../domain/texts/languages.ts';
import { formatDate, formatInstant } from '../../domain/time.ts';
import { html } from '../../lib/html.ts';
import { dateElement, timeElement } from './labels.ts';

/** Pages of clients are in the language and the time zone of the organization. */
export function clientWords({ language, time_zone: zone }: Locale) {
  const write = (format: typeof formatDate) => (time: Date) =>
    html`<time datetime="${time.toISOString()}">${format(time, zone, language)}</time>`;
  return { language, texts: textsOf(language), date: write(formatDate), time: write(formatInstant) };
}

export type Words = ReturnType<typeof clientWords>;

/** Pages of members are English. times.js shows times in the zone of the reader. */
export const MEMBER_WORDS: Words = { language: 'en', texts: textsOf('en'), date: dateElement, time: timeElement };

/** @returns the language of the browser, for pages of no known organization. */
export const browserLanguage = (request: Request): Language =>
  LANGUAGES.find((language) => language === request.acceptsLanguages(LANGUAGES)) ?? 'en';
