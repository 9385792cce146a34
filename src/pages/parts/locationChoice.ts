import type { PagesOptions } from './context.ts';
import type { Choice } from './formFields.ts';

/** @param none the text for no choice. @returns undefined if the operator offers no locations. */
export function locationChoices({ locations }: Pick<PagesOptions, 'locations'>, none: string): Choice[] | undefined {
  const choices = locations?.all.map(({ id, name, country }): Choice => {
    const note = locations.isAvailable(id) ? '' : ' (currently unavailable)';
    return [id, `${name} (${country})${note}`];
  });
  return choices && [['', none], ...choices];
}
