/** Waits that can be canceled at once, all later ones included. */
export class CancelableTimer {
  canceled = false;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;

  /** @returns false once canceled. */
  wait(ms: number): Promise<boolean> {
    if (this.canceled) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve(!this.canceled), ms);
      this.#wake = () => resolve(false);
    });
  }

  cancel(): void {
    this.canceled = true;
    clearTimeout(this.#timer);
    this.#wake?.();
  }
}
