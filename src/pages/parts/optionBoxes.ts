import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { checkbox } from './formFields.ts';
import type { FormField } from './formTable.ts';

/** As `options.animation` of the API. */
export const ANIMATION = { seconds: 10 };

/** How a picture is taken, as check boxes of a form. */
interface OptionBoxes {
  readonly allowScaling: boolean;
  readonly keepOtherAds: boolean;
  readonly fullPage: boolean;
  /** Also a moving picture of the first seconds of the ad. */
  readonly animate: boolean;
}

const label = (text: string, meaning: string): HtmlContent => html`${text} <span class="meta">${meaning}</span>`;

/** A box that is not checked leaves its option out of the body. @param value of the option if the box is checked. */
const option = (name: string, path: string, value: unknown): Omit<FormField, 'label'> => ({
  ...{ name, kind: 'checkbox', path },
  read: (text) => (text === '' ? undefined : value),
});

export const OPTION_FIELDS: readonly FormField[] = [
  {
    ...option('allow_scaling', 'options.ad.allow_scaling', true),
    label: label('Scale ads down that fit no slot', 'Otherwise an ad is shown at its own size or not at all.'),
  },
  {
    ...option('keep_other_ads', 'options.page.other_ads', 'keep'),
    label: label('Keep the other ads of the page', 'Otherwise the page looks as if no ad was delivered.'),
  },
  {
    ...option('full_page', 'options.page.full_page', true),
    label: label('Show the whole page', 'Otherwise the picture shows what fits on the screen.'),
  },
  {
    ...option('animate', 'options.animation', ANIMATION),
    label: label(
      'Also make a moving picture',
      `The first ${ANIMATION.seconds} seconds of an ad that moves, as animated WebP and GIF.`,
    ),
  },
];

/** The boxes of a new request. */
export function optionBoxes({ allowScaling, keepOtherAds, fullPage, animate }: OptionBoxes): Html {
  const checked = new Map([
    ['allow_scaling', allowScaling],
    ['keep_other_ads', keepOtherAds],
    ['full_page', fullPage],
    ['animate', animate],
  ]);
  return html`${OPTION_FIELDS.map(({ name, label }) => checkbox({ name, label, isChecked: checked.get(name) === true }))}`;
}
