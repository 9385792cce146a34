/** The languages of mails, documents and pages of clients. */
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

export type { Texts };

const LANGUAGE_TEXTS = { en, de } as const satisfies Record<string, Texts>;

export type Language = keyof typeof LANGUAGE_TEXTS;
export const LANGUAGES = Object.keys(LANGUAGE_TEXTS).filter(isLanguage);
export const LANGUAGE_CHOICES = LANGUAGES.map((language) => [language, LANGUAGE_TEXTS[language].name] as const);

export function isLanguage(name: string): name is Language {
  return Object.hasOwn(LANGUAGE_TEXTS, name);
}

export const textsOf = (language: Language): Texts => LANGUAGE_TEXTS[language];
