import type { Phase } from '../../contract/captureProtocol.ts';

/** Seconds spent, by phase. Phases that run side by side count each for itself. */
export class PhaseTimer {
  readonly #ms = new Map<Phase, number>();

  add(phase: Phase, ms: number): void {
    this.#ms.set(phase, (this.#ms.get(phase) ?? 0) + ms);
  }

  /** @returns what `work` returned. Time counts also where it fails. */
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
