/** The languages of mails, documents and shared pages. */
import { en, type Texts } from './en.ts';

const LANGUAGE_TEXTS = { en } as const satisfies Record<string, Texts>;

export type Language = keyof typeof LANGUAGE_TEXTS;

export const textsOf = (language: Language): Texts => LANGUAGE_TEXTS[language];
