/** Prints the figures of one run. */
import { type RunFigures, sumOf } from './figures.ts';

const MOST_FINDINGS = 40;

export function printFigures(figures: RunFigures, log: (line: string) => void): void {
  const { kills, disturbances, acknowledged, findings, quietSeconds } = figures;
  log(
    `${figures.command}: ${sumOf(kills)} kills, ${sumOf(disturbances)} disturbances in ${figures.minutes.toFixed(1)} min`,
  );
  for (const counts of [kills, disturbances, acknowledged])
    log(
      `  ${Object.entries(counts)
        .map(([name, count]) => `${name}: ${count}`)
        .join(', ')}`,
    );
  log(`  repeated after a lost answer: ${figures.repeated}, events: ${figures.events}, webhooks: ${figures.webhooks}`);
  log(`  pictures: ${figures.pictures}, failed pictures: ${figures.failedPictures}`);
  log(`  longest time without an answer: ${figures.longestOutageSeconds.toFixed(1)} s`);
  log(`  quiet after the last fault: ${quietSeconds === null ? 'never' : `${quietSeconds.toFixed(0)} s`}`);
  log(`  findings: ${findings.length}`);
  for (const { kind, text } of findings.slice(0, MOST_FINDINGS)) log(`    ${kind}: ${text}`);
}
