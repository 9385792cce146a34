/** The figures that a program prints when it has sent its webhooks. */
import { processorSeconds } from './processorTime.ts';

export interface Measured {
  readonly perSecond: number;
  /** Processor milliseconds for each webhook, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
}

/** Counts webhooks. The first ones warm up, and the figures are those of the others. */
export class Meter {
  readonly #pids: Readonly<Record<string, number>>;
  readonly #from: number;
  readonly #to: number;
  readonly #done = Promise.withResolvers<Measured>();
  #count = 0;
  #start = { at: 0, cpu: {} as Record<string, number> };

  /** @param pids the processes whose processor time counts, by name. */
  constructor({ pids, warmUp, webhooks }: MeterOptions) {
    this.#pids = pids;
    this.#from = warmUp;
    this.#to = warmUp + webhooks;
  }

  get done(): Promise<Measured> {
    return this.#done.promise;
  }

  count(): void {
    this.#count += 1;
    if (this.#count === this.#from) this.#start = { at: performance.now(), cpu: this.#cpu() };
    if (this.#count === this.#to) this.#done.resolve(this.#measured());
  }

  #measured(): Measured {
    const seconds = (performance.now() - this.#start.at) / 1000;
    const webhooks = this.#to - this.#from;
    const spent = Object.entries(this.#cpu()).map(([name, cpu]) => {
      return [name, ((cpu - (this.#start.cpu[name] ?? 0)) * 1000) / webhooks] as const;
    });
    return { perSecond: webhooks / seconds, cpuMs: Object.fromEntries(spent) };
  }

  #cpu(): Record<string, number> {
    return Object.fromEntries(Object.entries(this.#pids).map(([name, pid]) => [name, processorSeconds(pid)]));
  }
}

export interface MeterOptions {
  readonly pids: Readonly<Record<string, number>>;
  readonly warmUp: number;
  readonly webhooks: number;
}
