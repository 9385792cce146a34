/** Reads arguments that several commands have. */
import { Argument, InvalidArgumentError } from 'commander';
import { rangeFault } from '../egress/addresses.ts';

/** The error of a wrong number is "It must be", and then `what`. */
export function wholeNumber(min: number, max: number, what: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max) throw new InvalidArgumentError(`It must be ${what}.`);
    return number;
  };
}

export const portNumber = wholeNumber(0, 65_535, 'a port, 0 to 65535');
export const wholeSeconds = wholeNumber(0, 99_999, 'a whole number of seconds');

/** Collects the ranges of a repeatable option; one value may have several, separated by commas. */
export function addressRanges(text: string, before: readonly string[] = []): readonly string[] {
  const ranges = text.split(/[\s,]+/).filter((range) => range !== '');
  for (const range of ranges) {
    const fault = rangeFault(range);
    if (fault !== undefined) throw new InvalidArgumentError(`${fault}.`);
  }
  return [...before, ...ranges];
}

export const slugArgument = () => new Argument('<slug>', 'the name of the organization in API paths');
