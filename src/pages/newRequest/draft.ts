/** The content of the form of a new request. The page sends all of it each time, so that nothing is lost. */
import { randomUUID } from 'node:crypto';
import type { FormFields } from '../../api/uploads/multipart.ts';
import type { FieldErrors } from '../../domain/failure.ts';
import { isUuid } from '../../domain/slugs.ts';

export interface Draft {
  /** Makes two sendings of the same form one request. */
  readonly key: string;
  /** Ids of the ads, each once. */
  readonly adIds: readonly string[];
  /** Addresses, one a line, or one tag; not added yet. */
  readonly media: string;
  readonly mediaName: string;
  /** For example `300x250`. */
  readonly mediaSize: string;
  /** One address a line. */
  readonly sites: string;
  readonly devices: readonly string[];
  /** Seconds, separated by commas or blanks. */
  readonly markers: string;
  readonly allowScaling: boolean;
  /** A CSS selector or the number of a candidate. */
  readonly slot: string;
  readonly keepOtherAds: boolean;
  readonly fullPage: boolean;
  readonly campaign: string;
  readonly instructions: string;
  /** Id of the chosen template. */
  readonly template: string;
  readonly templateName: string;
}

/** Creatives of one request on the page; the API takes more. */
export const CREATIVES_MAX = 100;

export const newDraft = (): Draft => ({ ...readDraft(new Map()), devices: ['desktop'] });

/** Browsers send lines of a text area with CR LF. */
const plainLines = (text: string) => text.replaceAll('\r\n', '\n');

export function readDraft(fields: FormFields): Draft {
  const text = (name: string) => plainLines(fields.get(name)?.[0] ?? '').replaceAll('\0', '\uFFFD');
  const isChecked = (name: string) => fields.has(name);
  return {
    key: isUuid(text('key')) ? text('key') : randomUUID(),
    adIds: adIdsOf(fields.get('ad') ?? []),
    media: text('media'),
    mediaName: text('media_name'),
    mediaSize: text('media_size'),
    sites: text('sites'),
    devices: [...new Set(fields.get('device') ?? [])],
    markers: text('markers'),
    allowScaling: isChecked('allow_scaling'),
    slot: text('slot'),
    keepOtherAds: isChecked('keep_other_ads'),
    fullPage: isChecked('full_page'),
    campaign: text('campaign'),
    instructions: text('instructions'),
    template: text('template'),
    templateName: text('template_name'),
  };
}

/** @returns the ids that can be ids of ads, in lower case, each once. */
export function adIdsOf(values: readonly string[]): string[] {
  return [...new Set(values.filter(isUuid).map((id) => id.toLowerCase()))].slice(0, CREATIVES_MAX);
}

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

/** Faults of the form, by field, as sentences. */
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
