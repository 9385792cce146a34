import { type Html, html } from '../../lib/html.ts';
import { checkbox } from './formFields.ts';

/** As `options.animation` of the API. */
export const ANIMATION = { seconds: 10 };

/** How a picture is taken, as check boxes of a form. */
export interface OptionBoxes {
  readonly allowScaling: boolean;
  readonly keepOtherAds: boolean;
  readonly fullPage: boolean;
  /** Also a moving picture of the first seconds of the ad. */
  readonly animate: boolean;
}

/** The boxes of a new request and of a retake. */
export function optionBoxes({ allowScaling, keepOtherAds, fullPage, animate }: OptionBoxes): Html {
  return html`${checkbox({ name: 'allow_scaling', isChecked: allowScaling, label: html`Scale ads down that fit no slot <span class="meta">Otherwise an ad is shown at its own size or not at all.</span>` })}
${checkbox({ name: 'keep_other_ads', isChecked: keepOtherAds, label: html`Keep the other ads of the page <span class="meta">Otherwise the page looks as if no ad was delivered.</span>` })}
${checkbox({ name: 'full_page', isChecked: fullPage, label: html`Show the whole page <span class="meta">Otherwise the picture shows what fits on the screen.</span>` })}
${checkbox({ name: 'animate', isChecked: animate, label: html`Also make a moving picture <span class="meta">The first ${ANIMATION.seconds} seconds of an ad that moves, as animated WebP and GIF.</span>` })}`;
}
