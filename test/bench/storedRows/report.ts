/** The benchmark `scale`: the same requests with few and with many stored rows. Writes its own section of docs/performance.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { load } from '../machine.ts';
import { withSection } from '../sections.ts';
import { type Measured, measureAll } from './measure.ts';
import { AIM, sectionOf } from './section.ts';
import { measureSize } from './sizes.ts';
import { openStand } from './stand.ts';

export interface StoredRowsOptions {
  readonly sets: number;
  readonly rounds: number;
  /** The document; undefined: writes nothing. */
  readonly document: string | undefined;
  readonly log: (text: string) => void;
}

export async function benchStoredRows({ sets, rounds, document, log }: StoredRowsOptions): Promise<void> {
  const before = load();
  const stand = await openStand(sets);
  try {
    log(`${sets} sets were stored in ${stand.filled.toFixed(0)} s`);
    const size = await measureSize(stand.full.database);
    log(`the database has ${(size.bytes / 1e9).toFixed(2)} GB`);
    const measured = await measureAll(stand, { rounds, measured: (one) => log(lineOf(one)) });
    const missed = measured.filter(({ ratio }) => ratio > AIM);
    log(`${missed.length} of ${measured.length} exceed ${AIM}:`);
    for (const one of missed.toSorted((a, b) => b.ratio - a.ratio)) log(lineOf(one));
    if (document === undefined) return;
    const report = { sets, rounds, load: `${before} to ${load()}`, filled: stand.filled, measured, size };
    const text = withSection(await readFile(document, 'utf8'), 'test/bench/storedRows/report.ts', sectionOf(report));
    await writeFile(document, text);
  } finally {
    await stand.close();
  }
}

function lineOf({ name, empty, full, ratio }: Measured): string {
  return `${ratio.toFixed(2).padStart(6)}  ${full.toFixed(1).padStart(8)} ms, ${empty.toFixed(1).padStart(8)} ms  ${name}`;
}
