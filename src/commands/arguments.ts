/** Reads arguments that several commands have. */
import { Argument, InvalidArgumentError } from 'commander';
import { rangeFault } from '../egress/addresses.ts';

export function portNumber(text: string): number {
  const port = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('It must be a port, 0 to 65535.');
  return port;
}

/** Collects the ranges of a repeatable option; one value may have several, separated by commas. */
export function addressRanges(text: string, before: readonly string[] = []): readonly string[] {
  const ranges = text.split(/[\s,]+/).filter((range) => range !== '');
  for (const range of ranges) {
    const fault = rangeFault(range);
    if (fault !== undefined) throw new InvalidArgumentError(`${fault}.`);
  }
  return [...before, ...ranges];
}

export function wholeSeconds(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of seconds.');
  return Number(text);
}

export const slugArgument = () => new Argument('<slug>', 'the name of the organization in API paths');
