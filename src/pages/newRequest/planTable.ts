/** The media plan on the page of a new request: its cells as fields, with their faults. */
import type { MediaPlan } from '../../core/mediaPlans/mediaPlan.ts';
import { DEVICE_NAMES, shortDevice } from '../../domain/devices.ts';
import { PLAN_COLUMNS } from '../../domain/mediaPlans.ts';
import { counted, firstOf } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import { EMPTY_FORM, selectField } from '../parts/formFields.ts';
import type { FieldFaults, Plan } from './draft.ts';
import { UNKNOWN_COLUMNS } from './requestBody.ts';
import { faultList } from './requestFields.ts';

/** Rows that the page shows at once: those with faults first. */
const ROWS_SHOWN = 200;

const MEANINGS: Readonly<Record<(typeof PLAN_COLUMNS)[number], string>> = {
  ad: 'Ad',
  site: 'Site',
  device: 'Device',
  size: 'Size',
  moment: 'Moment',
  market: 'Market',
};

const UNUSED_MARKET = ' The market is not used, because this service opens all pages from the same country.';

function quoted(names: readonly string[]): string {
  return firstOf(names, NAMES_SHOWN, (name) => `“${name}”`);
}

const NAMES_SHOWN = 5;

/** @returns the indexes of the rows to show, those with faults first. */
export function shownRows({ rows, headings }: Plan, faulty: ReadonlySet<number>): readonly number[] {
  const indexes = [...rows.keys()].filter((row) => row > headings.row && rows[row]?.some((cell) => cell !== ''));
  return [...indexes.filter((row) => faulty.has(row)), ...indexes.filter((row) => !faulty.has(row))].slice(
    0,
    ROWS_SHOWN,
  );
}

interface Reading {
  readonly read: MediaPlan | undefined;
  /** Whether the operator offers locations, which the markets name. */
  readonly hasLocations: boolean;
  readonly faults: FieldFaults;
}

export function planPanel(plan: Plan, { read, hasLocations, faults }: Reading): Html {
  const { rows, headings, sheet } = plan;
  const byRow = Map.groupBy(read?.faults ?? [], ({ row }) => row);
  const shown = shownRows(plan, new Set(byRow.keys()));
  const width = Math.max(...rows.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, index) => index);
  const meant = (column: number) => PLAN_COLUMNS.find((name) => headings.columns[name] === column);
  const count = rows.filter((row, index) => index > headings.row && row.some((cell) => cell !== '')).length;
  const more = count > shown.length && html` The first ${shown.length} are shown.`;
  const state = byRow.size > 0 ? `${byRow.size} of ${count} rows need correction.` : `${counted(count, 'row')}.`;
  const unused = headings.columns.market !== undefined && !hasLocations && UNUSED_MARKET;
  const source = sheet && html` From the sheet ${quoted([sheet.name])}. Not read: ${quoted(sheet.others)}.`;
  const heads = columns.map((column) => {
    const title = rows[headings.row]?.[column] ?? `Column ${column + 1}`;
    const options = PLAN_COLUMNS.map(
      (name) => html`<option value="${name}"${name === meant(column) && html` selected`}>${MEANINGS[name]}</option>`,
    );
    return html`<th scope="col"><label for="column-${column}"><bdi>${title}</bdi></label>
      <select id="column-${column}" name="column:${column}"><option value="">Not used</option>${options}</select></th>`;
  });
  const body = shown.map((row) => {
    const cells = columns.map((column) => {
      const text = rows[row]?.[column] ?? '';
      const meaning = meant(column);
      if (meaning === undefined) return html`<td>${text}</td>`;
      const texts = (byRow.get(row) ?? []).filter((fault) => fault.column === column).map((fault) => fault.text);
      const name = `cell:${row}:${column}`;
      const described = texts.length > 0 && html` aria-invalid="true" aria-describedby="fault-${name}"`;
      const fault = described && html`<p class="fault" id="fault-${name}">${texts.join(' ')}</p>`;
      const label = `${MEANINGS[meaning]}, row ${row + 1}`;
      return html`<td><input name="${name}" value="${text}" aria-label="${label}"${described}>${fault}</td>`;
    });
    return html`<tr><th scope="row">${row + 1}</th>${cells}</tr>`;
  });
  return html`<section class="panel wide plan" id="plan" tabindex="-1" aria-labelledby="plan-title">
    <input type="hidden" name="plan_id" value="${plan.id}">
    <header class="head">
      <div>
        <h2 id="plan-title">Media plan</h2>
        <p class="meta">${state}${more}${source}${unused} The rows add pictures to those of the sites above.</p>
      </div>
      <div class="actions">${PLAN_ACTIONS}</div>
    </header>
    ${faults.of('plan').length > 0 ? faultList(faults, 'plan') : read === undefined && html`<p class="fault">${UNKNOWN_COLUMNS}</p>`}
    ${read && wordFields(read.words)}
    <div class="scroll" tabindex="0" role="region" aria-label="Rows of the plan">
      <table>
        <thead><tr><th scope="col">Row</th>${heads}</tr></thead>
        <tbody>${body}</tbody>
      </table>
    </div>
  </section>`;
}

const WORDS_SHOWN = 30;

/** One choice corrects a word in all rows. The organization keeps it. */
function wordFields(words: MediaPlan['words']): HtmlContent {
  if (words.length === 0) return null;
  const choices = [['', 'Choose…'] as const, ...DEVICE_NAMES.map((name) => [name, shortDevice(name)] as const)];
  const fields = words.slice(0, WORDS_SHOWN).map(({ word, rows, device = '' }, index) => {
    const label = html`“<bdi>${word}</bdi>” <span class="meta">${counted(rows, 'row')}</span>`;
    return selectField({ name: `word:${word}`, id: `word-${index}`, label, value: device, choices }, EMPTY_FORM);
  });
  return html`<fieldset><legend>Devices of this plan</legend>
    <p class="hint">Choose what each word means, then “Check again”. It counts for all rows and is remembered for your organization.</p>
    <div class="pair">${fields}</div></fieldset>`;
}

const PLAN_ACTIONS = [
  button({ label: 'Check again', icon: 'check', name: 'action', value: 'check' }),
  button({ label: 'Remove the plan', icon: 'trash-2', kind: 'quiet', name: 'action', value: 'plan-remove' }),
];
