/** @throws Error when the value is undefined. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The test needs a value here, but it is undefined.');
  return value;
}
