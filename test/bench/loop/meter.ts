/**
 * Measures the event loop of the program that it is loaded into: `node --import …/meter.ts PROGRAM`. The program that started it asks for
 * the figures over the channel of `fork`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** The figures since the last `reset`. */
export interface LoopFigures {
  /** Greatest delay of the loop, in milliseconds. Other processes on the machine add to it. */
  readonly delayMs: number;
  /** Most processor time that the thread of the loop took between two ticks of a timer. Other processes hardly change it. */
  readonly sliceMs: number;
  /** Processor time of the thread in all. */
  readonly cpuMs: number;
  readonly rssMiB: number;
}

const TICK_MS = 1;
const MEBIBYTE = 1_048_576;

function startMeter(): void {
  const delay = monitorEventLoopDelay({ resolution: TICK_MS });
  delay.enable();
  let [first, last, most, rss] = [cpuMs(), cpuMs(), 0, 0];
  const tick = () => {
    const now = cpuMs();
    most = Math.max(most, now - last);
    last = now;
  };
  setInterval(tick, TICK_MS).unref();
  setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, 100).unref();
  process.on('message', (wish) => {
    if (wish === 'reset') {
      delay.reset();
      [first, last, most, rss] = [cpuMs(), cpuMs(), 0, process.memoryUsage.rss()];
      process.send?.('ready');
      return;
    }
    tick();
    const figures: LoopFigures = {
      delayMs: delay.max / 1e6,
      sliceMs: most,
      cpuMs: cpuMs() - first,
      rssMiB: rss / MEBIBYTE,
    };
    process.send?.(figures);
  });
  process.channel?.unref();
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

// The options of Node also apply to the threads of the program.
if (isMainThread) startMeter();
