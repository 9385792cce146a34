/** @throws Error where there is no value: the test cannot go on without it. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('What the test needs is not there.');
  return value;
}
