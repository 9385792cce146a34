/**
 * `make chaos`: loads the service, kills its parts at random moments and checks that every acknowledged request is kept. The
 * options are environment variables; see docs/reliability.md. Ends with 1 if a promise was not kept.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLedger } from './ledger.ts';
import { readOptions } from './options.ts';
import { printFigures } from './report/print.ts';
import { recordRun } from './report/record.ts';
import { runTarget } from './runTarget.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const started = performance.now();

function log(line: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
}

const options = readOptions(process.env);
const folder = path.join(ROOT, '.cache', 'chaos', `${options.target}-${options.seed}-${process.pid}`);
mkdirSync(folder, { recursive: true });
log(`seed ${options.seed}; the ledger is in ${folder}`);
const ledger = openLedger(path.join(folder, 'ledger.jsonl'));
ledger.add({ kind: 'note', text: JSON.stringify(options) });
const { startTarget } = await (options.target === 'dev'
  ? import('./service/devTarget.ts')
  : import('./cluster/clusterTarget.ts'));
const figures = await runTarget(await startTarget(log), { options, ledger, log });
writeFileSync(path.join(folder, 'figures.json'), `${JSON.stringify(figures, undefined, 2)}\n`);
printFigures(figures, log);
if (options.record) recordRun(ROOT, figures);
process.exit(figures.findings.length === 0 && figures.quietSeconds !== null ? 0 : 1);
