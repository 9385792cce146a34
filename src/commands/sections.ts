import { withDeadline } from '../lib/deadline.ts';

export type Section = () => Promise<unknown>;
export type SectionResult = { readonly value: unknown } | { readonly error: unknown };

/** This process lacks a setting or a file that the section needs, because other processes of the installation have it. */
export class SkippedError extends Error {}

/** Runs all sections at the same time. One that fails or takes longer than `ms` does not stop the others. */
export async function runSections(
  sections: Readonly<Record<string, Section>>,
  ms: number,
): Promise<Record<string, SectionResult>> {
  const entries = Object.entries(sections).map(async ([name, section]): Promise<[string, SectionResult]> => {
    try {
      return [name, { value: await withDeadline(ms, Promise.resolve().then(section)) }];
    } catch (error) {
      return [name, { error }];
    }
  });
  return Object.fromEntries(await Promise.all(entries));
}
