/** How a picture is taken, as check boxes of a form: one table for the new request, its templates and retakes. */
import type { JsonObject } from '../../contract/faults.ts';
import { textOfSlot } from '../../domain/screenshotOptions.ts';
import { SLOT_FORMATS, type SlotFormat } from '../../domain/slotFormats.ts';
import { type Html, html } from '../../lib/html.ts';
import { checkbox } from './formFields.ts';
import { type FormField, withValue } from './formTable.ts';

const ANIMATION_SECONDS = 10;

interface OptionBox {
  /** In `options` of the API. */
  readonly path: string;
  /** Given if the box is checked. Otherwise the option is left out. */
  readonly value: unknown;
  readonly label: string;
  readonly meaning: string;
}

const BOXES = {
  allow_scaling: {
    path: 'ad.allow_scaling',
    value: true,
    label: 'Scale ads down that fit no slot',
    meaning: 'Otherwise an ad is shown at its own size or not at all.',
  },
  keep_other_ads: {
    path: 'page.other_ads',
    value: 'keep',
    label: 'Keep the other ads of the page',
    meaning: 'Otherwise the page looks as if no ad was delivered.',
  },
  full_page: {
    path: 'page.full_page',
    value: true,
    label: 'Show the whole page',
    meaning: 'Otherwise the picture shows what fits on the screen.',
  },
  show_head: {
    path: 'page.view',
    value: 'masthead',
    label: 'Show the masthead of the site',
    meaning: 'The page is scrolled only as far as the ad needs. Otherwise the picture shows the page around the ad.',
  },
  animate: {
    path: 'animation',
    value: { seconds: ANIMATION_SECONDS },
    label: 'Also make a moving picture',
    meaning: `The first ${ANIMATION_SECONDS} seconds of an ad that moves, as animated WebP and GIF.`,
  },
} satisfies Record<string, OptionBox>;

export type OptionName = keyof typeof BOXES;
export const OPTION_NAMES = Object.keys(BOXES) as OptionName[];

const labelOf = ({ label, meaning }: OptionBox): Html => html`${label} <span class="meta">${meaning}</span>`;

/** The fields of a form that sends them to the API. */
export const OPTION_FIELDS: Readonly<Record<string, FormField>> = Object.fromEntries(
  OPTION_NAMES.map((name) => {
    const { path, value } = BOXES[name];
    const read = (text: string) => (text === '' ? undefined : value);
    return [name, { kind: 'checkbox', path: `options.${path}`, label: labelOf(BOXES[name]), read }];
  }),
);

const formatOption = (format: SlotFormat) => html`<option value="${textOfSlot({ format })}"></option>`;

/** A field for a slot takes any text, and offers the formats. */
export const SLOT_CHOICES = {
  hint: 'A CSS selector, the number of a slot from an earlier picture, or a format such as format:anchor.',
  attribute: html` list="slot-formats"`,
  list: html`<datalist id="slot-formats">${SLOT_FORMATS.map(formatOption)}</datalist>`,
};

/** The boxes of a new request. */
export function optionBoxes(checked: readonly OptionName[]): Html {
  return html`${OPTION_NAMES.map((name) => checkbox({ name, label: labelOf(BOXES[name]), isChecked: checked.includes(name) }))}`;
}

/** @returns the parts of `options` of the API that the checked boxes give. */
export function givenOptions(checked: readonly OptionName[]): JsonObject {
  return checked.reduce<JsonObject>((options, name) => withValue(options, BOXES[name].path, BOXES[name].value), {});
}

/** @param options of the API. @returns the boxes that stand for them. Any moving picture checks the last one. */
export function checkedBoxes(options: Readonly<Record<string, object | null | undefined>>): OptionName[] {
  return OPTION_NAMES.filter((name) => {
    const { path, value }: OptionBox = BOXES[name];
    const [group = '', inner] = path.split('.');
    const given = Object.entries(options[group] ?? {});
    return inner === undefined ? given.length > 0 : given.some(([key, one]) => key === inner && one === value);
  });
}
