/** A timer that can be ended at once. */
export class Watch {
  ended = false;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;

  /** @returns false once ended. */
  wait(ms: number): Promise<boolean> {
    if (this.ended) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve(!this.ended), ms);
      this.#wake = () => resolve(false);
    });
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.#timer);
    this.#wake?.();
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
