import { type HtmlContent, html } from '../lib/html.ts';
import type { PagesOptions } from './context.ts';

interface Choice {
  /** The id of the chosen location, or ''. */
  readonly chosen: string;
  /** The text for no choice. */
  readonly none: string;
}

/** A list of the locations; nothing if the operator offers none. */
export function locationChoice({ locations }: Pick<PagesOptions, 'locations'>, { chosen, none }: Choice): HtmlContent {
  if (locations === undefined) return null;
  const options = locations.all.map(({ id, name, country }) => {
    const note = locations.isAvailable(id) ? '' : ' (does not answer at the moment)';
    return html`<option value="${id}"${id === chosen && html` selected`}>${name} (${country})${note}</option>`;
  });
  return html`<label for="location">Location</label><div><select id="location" name="location"><option value="">${none}</option>${options}</select></div>`;
}
