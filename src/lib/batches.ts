/** Splits work into batches that are small enough to be done at once. */

/** @returns the items in their order. A batch weighs at most `most`, unless its only item is heavier. */
export function* batchesOf<T>(items: Iterable<T>, weight: (item: T) => number, most: number): Generator<T[]> {
  let batch: T[] = [];
  let total = 0;
  for (const item of items) {
    const added = weight(item);
    if (batch.length > 0 && total + added > most) {
      yield batch;
      [batch, total] = [[], 0];
    }
    batch.push(item);
    total += added;
  }
  if (batch.length > 0) yield batch;
}
