/**
 * Loaded into a service process before its own code (`--import`). On SIGUSR2 the clock of the process jumps by the
 * milliseconds that the file CHAOS_CLOCK_FILE holds.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
let offset = 0;

class SkewedDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + offset);
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + offset;
  }
}

globalThis.Date = SkewedDate as DateConstructor;

process.on('SIGUSR2', () => {
  offset = Number(readFileSync(process.env['CHAOS_CLOCK_FILE'] ?? '', 'utf8'));
});
