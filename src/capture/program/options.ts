/** The options of the capture program. */
import type { Log } from '../../lib/log.ts';
import type { Engine } from '../engine/engine.ts';
import type { TransportTiming } from './transport.ts';

/** The part of `process` that the program uses. Tests replace it. */
export interface CaptureSignals {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

export interface CaptureOptions {
  /** As the schema in program.ts describes. With TEARSHEET_PARENT_STDIN=1, the end of `stdin` means that the parent died. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called if there is work. */
  readonly startEngine: () => Promise<Engine>;
  readonly log: Log;
  readonly stdin?: NodeJS.ReadableStream;
  readonly signals?: CaptureSignals;
  /** Prints why the program failed. Default: standard error. */
  readonly printError?: (line: string) => void;
  readonly timing?: CaptureTiming;
  /** Creatives that are rendered at the same time, each in its own browser. Default: 2. */
  readonly creativesAtOnce?: number;
  /** Pages that are open at the same time, in one browser. Default: as defaultOpenPages gives it. */
  readonly pagesAtOnce?: number;
  /** The folder for frames that do not fit into memory. */
  readonly tempDir?: string;
  /** An existing file that gets the reason of the end. */
  readonly terminationLog?: string;
}

export interface CaptureTiming extends Partial<TransportTiming> {
  /** The time for open uploads after SIGTERM. */
  readonly graceMs?: number;
  readonly holdMs?: number;
  readonly idleMs?: number;
}
