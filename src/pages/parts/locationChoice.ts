import type { HtmlContent } from '../../lib/html.ts';
import type { PagesOptions } from './context.ts';
import { type Choice, type FormState, selectField } from './formFields.ts';

interface LocationField extends Pick<FormState, 'errors'> {
  /** The id of the chosen location, or ''. */
  readonly chosen: string;
  /** The text for no choice. */
  readonly none: string;
}

/** A list of the locations; nothing if the operator offers none. */
export function locationChoice(
  { locations }: Pick<PagesOptions, 'locations'>,
  { chosen, none, errors }: LocationField,
): HtmlContent {
  if (locations === undefined) return null;
  const choices = locations.all.map(({ id, name, country }): Choice => {
    const note = locations.isAvailable(id) ? '' : ' (currently unavailable)';
    return [id, `${name} (${country})${note}`];
  });
  const field = { name: 'location', label: 'Location', value: chosen, choices: [['', none] as const, ...choices] };
  return selectField(field, { values: {}, errors });
}
