/** The options of the capture program. */
import type { Log } from '../../lib/log.ts';
import type { Engine } from '../engine/engine.ts';
import type { TransportTiming } from './transport.ts';

/** What of a process is used here; `process` itself outside of tests. */
export interface CaptureSignals {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

export interface CaptureOptions {
  /** Holds what the schema below names, and TEARSHEET_PARENT_STDIN=1 where the end of `stdin` means that the parent died. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called once, when there is work. */
  readonly startEngine: () => Promise<Engine>;
  readonly log: Log;
  readonly stdin?: NodeJS.ReadableStream;
  readonly signals?: CaptureSignals;
  /** Why the program ended as it did; standard error unless given. */
  readonly printError?: (line: string) => void;
  readonly timing?: CaptureTiming;
  /** Creatives rendered at the same time, each in a browser of its own; two unless given. */
  readonly creativesAtOnce?: number;
  /** Pages open at the same time, in one browser; two unless given. */
  readonly pagesAtOnce?: number;
  /** Where frames that do not fit into memory are kept. */
  readonly tempDir?: string;
  /** Where the reason of the end is written, if there is such a file. */
  readonly terminationLog?: string;
}

export interface CaptureTiming extends Partial<TransportTiming> {
  /** After SIGTERM, for uploads in flight. */
  readonly graceMs?: number;
  readonly holdMs?: number;
  readonly idleMs?: number;
}
