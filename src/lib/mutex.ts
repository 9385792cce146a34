/** Lets one at a time in, in the order in which they came. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  hold<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch((error: unknown) => error);
    return turn;
  }
}
