/** `test`: the rows of a matrix that `make test` runs. `long`: its other rows, which `make verify` runs. */
export type Tier = 'test' | 'long';

/**
 * Divides a matrix between two test files.
 * @param kept the first columns of the rows that `make test` runs: those that reach code that no other row reaches.
 */
export function rowsOf<Row extends readonly [string, ...unknown[]]>(
  tier: Tier,
  rows: readonly Row[],
  kept: readonly Row[0][],
): Row[] {
  const unknown = kept.find((name) => rows.every(([first]) => first !== name));
  if (unknown !== undefined) throw new Error(`The matrix has no row "${unknown}".`);
  return rows.filter(([name]) => kept.includes(name) === (tier === 'test'));
}
