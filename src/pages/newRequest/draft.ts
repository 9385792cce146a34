/** The content of the form of a new request. The page sends all of it each time, so that nothing is lost. */
import { randomUUID } from 'node:crypto';
import type { FormFields } from '../../api/uploads/multipart.ts';
import type { FileTable, ReadSheet, Table } from '../../core/mediaPlans/readTable.ts';
import { Failure, type FieldErrors, invalid } from '../../domain/failure.ts';
import {
  findHeadings,
  PLAN_COLUMNS,
  PLAN_LIMITS,
  type PlanColumn,
  type PlanHeadings,
} from '../../domain/mediaPlans.ts';
import { isUuid } from '../../domain/slugs.ts';
import { storable } from '../../domain/text.ts';
import type { FormState } from '../parts/formFields.ts';
import { OPTION_NAMES, type OptionName } from '../parts/optionBoxes.ts';
import { type Choices, readChoices } from './choices.ts';

/** Texts as typed, by the names of their fields in the form. */
const TEXTS = {
  /** Addresses, one a line, or one tag; not added yet. */
  media: 'media',
  mediaName: 'media_name',
  /** For example `300x250`. */
  mediaSize: 'media_size',
  /** Words to search existing ads. */
  search: 'search',
  /** One address per line. */
  sites: 'sites',
  /** Id of the chosen site list. */
  siteList: 'site_list',
  siteListName: 'site_list_name',
  /** Id of the location from which the pages are opened. */
  location: 'location',
  /** Moments in seconds, separated by commas or spaces. */
  markers: 'markers',
  /** A CSS selector or the number of a candidate. */
  slot: 'slot',
  campaign: 'campaign',
  setName: 'set_name',
  instructions: 'instructions',
  /** Id of the chosen template. */
  template: 'template',
  templateName: 'template_name',
  /** A table that was pasted and not read yet. */
  planText: 'plan_text',
} as const;

export interface Draft extends Choices, Readonly<Record<keyof typeof TEXTS, string>> {
  /** Makes one request of a form that is sent twice. */
  readonly key: string;
  /** Ids of the ads, each once. */
  readonly adIds: readonly string[];
  readonly devices: readonly string[];
  /** A custom device that is not added yet. */
  readonly own: { readonly width: string; readonly height: string; readonly ratio: string; readonly touch: boolean };
  readonly options: readonly OptionName[];
  /** All ads are in one picture of each page. */
  readonly together: boolean;
  /** Also the combinations that do not fit the device. */
  readonly tryAll: boolean;
  readonly plan: Plan | null;
}

/** A media plan. The form holds only the rows that it shows; the stored draft holds all. */
export interface Plan {
  /** Distinguishes it from a plan with which another window replaced it. */
  readonly id: string;
  readonly rows: Table;
  readonly headings: PlanHeadings;
  /** Where the rows come from, if the workbook has other sheets. */
  readonly sheet?: Pick<ReadSheet, 'name' | 'others'>;
}

/** Ads of one request on the page; the API takes more. */
export const ADS_MAX = 100;

export const newDraft = (): Draft => ({ ...draftOf(new Map()), devices: ['desktop'] });

/** Browsers send lines of a text area with CR LF. */
const plainLines = (text: string) => text.replaceAll('\r\n', '\n');

/** @param kept the stored draft, for what the form does not hold. */
export function draftOf(fields: FormFields, kept?: Draft): Draft {
  const text = (name: string) => plainLines(fields.get(name)?.[0] ?? '').replaceAll('\0', '\uFFFD');
  const isChecked = (name: string) => fields.has(name);
  const texts = Object.entries(TEXTS).map(([name, field]) => [name, text(field)]);
  return {
    ...(Object.fromEntries(texts) as Record<keyof typeof TEXTS, string>),
    key: isUuid(text('key')) ? text('key') : randomUUID(),
    adIds: adIdsOf(fields.get('ad') ?? []),
    devices: [...new Set(fields.get('device') ?? [])],
    own: {
      width: text('own_width'),
      height: text('own_height'),
      ratio: text('own_ratio'),
      touch: isChecked('own_touch'),
    },
    options: OPTION_NAMES.filter(isChecked),
    together: isChecked('together'),
    tryAll: isChecked('try_all'),
    plan: kept?.plan?.id === text('plan_id') ? edited(kept.plan, fields) : (kept?.plan ?? null),
    // The form that was sent no longer has a stored draft. If it is sent again, it is the same request.
    ...(kept === undefined ? readChoices(text('chosen')) : { slots: kept.slots, files: kept.files }),
  };
}

/** @throws Failure (422) if the rows are too large to be kept. */
export function planOfTable({ rows, name, others = [] }: FileTable): Plan {
  if (Buffer.byteLength(JSON.stringify(rows)) > PLAN_LIMITS.keptBytes)
    throw invalid({ plan: ['The plan has more than 1.5 MB of text: delete the columns that are not used.'] });
  const sheet = name !== undefined && others.length > 0 ? { name, others } : undefined;
  return { id: randomUUID(), rows, headings: findHeadings(rows) ?? { row: -1, columns: {} }, ...(sheet && { sheet }) };
}

/** Puts the cells and the meanings of columns that a person corrected into the plan. */
function edited(plan: Plan, fields: FormFields): Plan {
  const { rows, headings } = plan;
  const cells = rows.map((row) => [...row]);
  const columns: Partial<Record<PlanColumn, number>> = {};
  let hasMeanings = false;
  for (const [name, [value = '']] of fields) {
    const [, kind, row, column] = /^(cell|column):(?:(\d{1,4}):)?(\d{1,2})$/.exec(name) ?? [];
    const index = Number(column);
    const meaning = PLAN_COLUMNS.find((known) => known === value);
    if (kind === 'column') hasMeanings = true;
    if (kind === 'column' && meaning !== undefined) columns[meaning] = index;
    const target = kind === 'cell' && index < PLAN_LIMITS.columns ? cells[Number(row)] : undefined;
    if (target === undefined) continue;
    while (target.length <= index) target.push('');
    target[index] = storable(value.trim()).slice(0, PLAN_LIMITS.cell);
  }
  return { ...plan, rows: cells, headings: hasMeanings ? { ...headings, columns } : headings };
}

/** @returns the ids that can be ids of ads, in lower case, each once. */
export function adIdsOf(values: readonly string[]): string[] {
  return [...new Set(values.filter(isUuid).map((id) => id.toLowerCase()))].slice(0, ADS_MAX);
}

export type Field =
  | 'ads'
  | 'media'
  | 'sites'
  | 'devices'
  | 'location'
  | 'plan'
  | 'markers'
  | 'together'
  | 'slot'
  | 'slots'
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

  /** The faults for the fields of a form. Each field gets its value from the draft. */
  get form(): FormState {
    return { values: {}, errors: Object.fromEntries(this.#texts) };
  }

  get any(): boolean {
    return this.#texts.size > 0;
  }

  get fields(): readonly Field[] {
    return [...this.#texts.keys()];
  }

  /** @param field that all faults belong to; unless given, they name paths of the body. @param file that they are about. @throws any error that the person did not cause. */
  addFailure(error: unknown, field?: Field, file?: string): Failure {
    if (!(error instanceof Failure) || error.status >= 500) throw error;
    if (field === undefined) this.addErrors(error.errors);
    else
      for (const text of Object.values(error.errors).flat())
        this.add(field, file === undefined ? text : `${file}: ${sentenceOf('The file', text)}`);
    return error;
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
  { pattern: /^\.?campaign/, field: 'campaign', subject: 'The campaign' },
  { pattern: /^\.?instructions/, field: 'instructions', subject: 'The text' },
  { pattern: /^screenshot_requests\.\d+\.ad\b|^\.ads\b/, field: 'ads', subject: 'An ad' },
  { pattern: /^screenshot_requests\.\d+\.group$/, field: 'together', subject: 'The picture of all ads' },
  { pattern: /\.sites?\b/, field: 'sites', subject: 'A site' },
  { pattern: /\.devices?\b/, field: 'devices', subject: 'A device' },
  { pattern: /\.location\b/, field: 'location', subject: 'The location' },
  { pattern: /\.frames\b/, field: 'markers', subject: 'The list of moments' },
  { pattern: /\.slot\b/, field: 'slot', subject: 'The slot' },
  { pattern: /^plan/, field: 'plan', subject: 'The plan' },
  { pattern: /^draft/, field: 'form', subject: 'The draft' },
  { pattern: /^media/, field: 'media', subject: 'The address or tag' },
  { pattern: /^name/, field: 'media', subject: 'The name' },
  { pattern: /^size/, field: 'media', subject: 'The size' },
];

/** Most messages of the parser continue the name of a field. */
export function sentenceOf(subject: string, message: string): string {
  return /^\p{Lu}/u.test(message) ? message : `${subject} ${message}`;
}
