import { type Html, html } from '../../lib/html.ts';
import { checkbox } from './formFields.ts';
import type { FormField } from './formTable.ts';

/** As `options.animation` of the API. */
export const ANIMATION = { seconds: 10 };

/** How a picture is taken, as check boxes of a form. */
interface OptionBoxes {
  readonly allowScaling: boolean;
  readonly keepOtherAds: boolean;
  readonly fullPage: boolean;
  /** Whether the ad's animation is filmed too. */
  readonly animate: boolean;
}

/** @param given the path in `options`, and its value if the box is checked. Otherwise the option is left out. */
const option = ([path, value]: [string, unknown], label: string, meaning: string): FormField => ({
  kind: 'checkbox',
  path: `options.${path}`,
  label: html`${label} <span class="meta">${meaning}</span>`,
  read: (text) => (text === '' ? undefined : value),
});

export const OPTION_FIELDS = {
  allow_scaling: option(
    ['ad.allow_scaling', true],
    'Scale ads down that fit no slot',
    'Otherwise an ad is shown at its own size or not at all.',
  ),
  keep_other_ads: option(
    ['page.other_ads', 'keep'],
    'Keep the other ads of the page',
    'Otherwise the page looks as if no ad was delivered.',
  ),
  full_page: option(
    ['page.full_page', true],
    'Show the whole page',
    'Otherwise the picture shows what fits on the screen.',
  ),
  animate: option(
    ['animation', ANIMATION],
    'Also make a moving picture',
    `The first ${ANIMATION.seconds} seconds of an ad that moves, as animated WebP and GIF.`,
  ),
};

/** The boxes of a new request. */
export function optionBoxes({ allowScaling, keepOtherAds, fullPage, animate }: OptionBoxes): Html {
  const checked = { allow_scaling: allowScaling, keep_other_ads: keepOtherAds, full_page: fullPage, animate };
  const box = (name: keyof typeof OPTION_FIELDS) =>
    checkbox({ name, label: OPTION_FIELDS[name].label, isChecked: checked[name] });
  return html`${box('allow_scaling')}${box('keep_other_ads')}${box('full_page')}${box('animate')}`;
}
