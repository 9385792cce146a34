/** Sums by name. A sum of 0 is deleted, so that invented names do not fill the memory. */
export class KeyedSum {
  readonly #sums = new Map<string, number>();

  of(name: string): number {
    return this.#sums.get(name) ?? 0;
  }

  /** @returns the new sum. */
  add(name: string, amount: number): number {
    const sum = this.of(name) + amount;
    if (sum === 0) this.#sums.delete(name);
    else this.#sums.set(name, sum);
    return sum;
  }
}
