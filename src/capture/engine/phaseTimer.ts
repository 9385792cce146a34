import type { Phase } from '../../contract/captureProtocol.ts';

/** Adds up the time of each phase. Phases that run at the same time all count in full. */
export class PhaseTimer {
  readonly #ms = new Map<Phase, number>();

  add(phase: Phase, ms: number): void {
    this.#ms.set(phase, (this.#ms.get(phase) ?? 0) + ms);
  }

  /** Measures `work`, even if it fails. @returns its result. */
  async time<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.add(phase, performance.now() - start);
    }
  }

  seconds(): Record<string, number> {
    return Object.fromEntries([...this.#ms].map(([phase, ms]) => [phase, Math.round(ms) / 1000]));
  }
}
