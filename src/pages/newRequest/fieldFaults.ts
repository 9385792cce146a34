/** Faults of the form, by field, as sentences. */
import type { FieldErrors } from '../../domain/failure.ts';

export type Field =
  | 'creatives'
  | 'media'
  | 'sites'
  | 'devices'
  | 'markers'
  | 'slot'
  | 'campaign'
  | 'instructions'
  | 'template'
  | 'form';

export class FieldFaults {
  readonly #texts = new Map<Field, string[]>();

  /** The same sentence is shown once. */
  add(field: Field, sentence: string): void {
    const texts = this.of(field);
    if (!texts.includes(sentence)) this.#texts.set(field, [...texts, sentence]);
  }

  of(field: Field): readonly string[] {
    return this.#texts.get(field) ?? [];
  }

  /** @returns the faults of both. */
  with(other: FieldFaults): FieldFaults {
    const both = new FieldFaults();
    for (const faults of [this, other])
      for (const field of faults.fields) for (const text of faults.of(field)) both.add(field, text);
    return both;
  }

  get any(): boolean {
    return this.#texts.size > 0;
  }

  get fields(): readonly Field[] {
    return [...this.#texts.keys()];
  }

  /** Adds the faults that the parser of the API found. They name paths of the body. */
  addErrors(errors: FieldErrors): void {
    for (const [path, messages] of Object.entries(errors)) {
      const { field, subject } = FIELDS.find(({ pattern }) => pattern.test(path)) ?? OTHER;
      for (const message of messages) this.add(field, sentenceOf(subject, message));
    }
  }
}

interface Target {
  readonly field: Field;
  /** The subject of the sentence. */
  readonly subject: string;
}

const OTHER: Target = { field: 'form', subject: 'The request' };

/** Which field a path of the body belongs to. */
const FIELDS: readonly (Target & { readonly pattern: RegExp })[] = [
  { pattern: /^campaign/, field: 'campaign', subject: 'The campaign' },
  { pattern: /^instructions/, field: 'instructions', subject: 'The text' },
  { pattern: /^screenshot_requests\.\d+\.ad\b/, field: 'creatives', subject: 'A creative' },
  { pattern: /\.sites?\b/, field: 'sites', subject: 'A site' },
  { pattern: /\.devices?\b/, field: 'devices', subject: 'A device' },
  { pattern: /\.frames\b/, field: 'markers', subject: 'The list of markers' },
  { pattern: /\.slot\b/, field: 'slot', subject: 'The slot' },
  { pattern: /^media/, field: 'media', subject: 'The address or tag' },
  { pattern: /^name/, field: 'media', subject: 'The name' },
  { pattern: /^size/, field: 'media', subject: 'The size' },
];

/** Most messages of the parser continue the name of a field. */
export function sentenceOf(subject: string, message: string): string {
  return /^\p{Lu}/u.test(message) ? message : `${subject} ${message}`;
}
