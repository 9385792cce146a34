import type { HtmlContent } from '../../lib/html.ts';
import type { PagesOptions } from './context.ts';
import { type Choice, type FormState, selectField } from './formFields.ts';

interface LocationField extends Pick<FormState, 'errors'> {
  /** The id of the chosen location, or ''. */
  readonly chosen: string;
  /** The text for no choice. */
  readonly none: string;
}

/** @param none the text for no choice. @returns undefined if the operator offers no locations. */
export function locationChoices(
  { locations }: Pick<PagesOptions, 'locations'>,
  none: string,
): readonly Choice[] | undefined {
  const choices = locations?.all.map(({ id, name, country }): Choice => {
    const note = locations.isAvailable(id) ? '' : ' (currently unavailable)';
    return [id, `${name} (${country})${note}`];
  });
  return choices && [['', none], ...choices];
}

/** A list of the locations; nothing if the operator offers none. */
export function locationChoice(
  options: Pick<PagesOptions, 'locations'>,
  { chosen, none, errors }: LocationField,
): HtmlContent {
  const choices = locationChoices(options, none);
  if (choices === undefined) return null;
  return selectField({ name: 'location', label: 'Location', value: chosen, choices }, { values: {}, errors });
}
