/**
 * Measures speed against floors and peers and writes docs/performance.md. `node test/bench/run.ts [figure…] [--quick]` measures only the
 * figures named (requests, webhooks, pictures, pages, sets, encoding, markers, first), or all with fewer rounds, and then writes nothing.
 * `scale` has a section of its own, which it also writes if it is named.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { defaultOpenPages } from '../../src/capture/engine/openPages.ts';
import { startEmbeddedPostgres } from '../../src/commands/dev/embeddedPostgres.ts';
import { measureAcceptance } from './acceptance.ts';
import { measureEncoding } from './encoding.ts';
import { type Figure, judge } from './figure.ts';
import { measureFirstPicture } from './firstPicture.ts';
import { describeMachine, load } from './machine.ts';
import { measureManyPages } from './manyPages.ts';
import { measureMarkers } from './markers.ts';
import { measurePictures } from './pictures.ts';
import { reportOf } from './report.ts';
import { withHead } from './sections.ts';
import { measureSmallSets } from './smallSets.ts';
import { benchStoredRows } from './storedRows/report.ts';
import { measureWebhooks } from './webhooks.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const REPORT = path.join(ROOT, 'docs', 'performance.md');
const started = Date.now();

function log(text: string): void {
  console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);
}

async function main(args: readonly string[]): Promise<void> {
  const quick = args.includes('--quick');
  const named = args.filter((arg) => !arg.startsWith('--'));
  const wanted = (name: string) => named.length === 0 || named.includes(name);
  const rounds = quick ? 3 : 7;
  log('compiling …');
  await promisify(execFile)('make', ['-s', 'build'], { cwd: ROOT, timeout: 300_000 });
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-bench-'));
  // PostgreSQL's account needs access, because its data is in this folder and is removed with it.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ folder: path.join(folder, 'postgres'), password: 'bench' });
  const figures: Figure[] = [];
  let phases: Readonly<Record<string, number>> = {};
  try {
    if (wanted('requests')) {
      log('accepted requests a second …');
      figures.push(
        ...logged([await measureAcceptance({ databaseUrl: postgres.url, rounds: quick ? 3 : 15, requests: 1_000 })]),
      );
    }
    if (wanted('webhooks')) {
      log('webhooks a second …');
      const sizes = quick ? { rounds: 2, webhooks: 2_000 } : { rounds: 5, webhooks: 5_000 };
      figures.push(
        ...logged(await measureWebhooks({ databaseUrl: postgres.url, postgres: postgres.pid, ...sizes, log })),
      );
    }
    if (wanted('pictures')) {
      log('finished pictures a second …');
      const sizes = quick ? { ads: 20, peerPictures: 1 } : { ads: 50, peerPictures: 3 };
      figures.push(...logged(await measurePictures({ rounds: quick ? 2 : 5, ...sizes })));
    }
    if (wanted('pages')) {
      log('one ad on many pages …');
      const pagesAtOnce = await defaultOpenPages();
      const sizes = quick ? { rounds: 1, pages: 12 } : { rounds: 4, pages: 40 };
      figures.push(...logged([await measureManyPages({ ...sizes, pagesAtOnce })]));
    }
    if (wanted('sets')) {
      log('small sets …');
      figures.push(...logged(await measureSmallSets(quick ? { rounds: 1, sets: 12 } : { rounds: 3, sets: 40 })));
    }
    if (wanted('encoding')) {
      log('pictures composed and encoded a second …');
      figures.push(...logged(await measureEncoding(quick ? { rounds: 2, ads: 20 } : { rounds: 5, ads: 50 })));
    }
    if (wanted('markers')) {
      log('late markers …');
      figures.push(...logged(await measureMarkers(rounds)));
    }
    if (wanted('first')) {
      log('from a request to its first picture …');
      const first = await measureFirstPicture(rounds);
      figures.push(...logged([first.figure]));
      phases = first.phases;
      log(JSON.stringify(phases));
    }
    if (wanted('scale')) {
      log('requests with few and with many stored rows …');
      const sizes = quick ? { sets: 2_000, rounds: 5 } : { sets: 100_000, rounds: 15 };
      await benchStoredRows({ ...sizes, document: quick ? undefined : REPORT, log });
    }
    if (quick || named.length > 0) return;
    const head = reportOf({ machine: await describeMachine(postgres.url), figures, phases });
    await writeFile(REPORT, withHead(await readFile(REPORT, 'utf8'), head));
    log(`written: ${path.relative(ROOT, REPORT)}`);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function logged(figures: readonly Figure[]): readonly Figure[] {
  for (const figure of figures) {
    const verdict = judge(figure);
    const numbers = (values: readonly number[]) => values.map((value) => value.toFixed(2)).join(' ');
    log(`${figure.name}, ${figure.unit}: ${numbers(figure.ours)}`);
    if (figure.other === undefined || verdict === undefined) continue;
    const aim = verdict.met === undefined ? '' : verdict.met ? ', aim met' : ', aim missed';
    log(`  compared with ${figure.other.name}: ${numbers(figure.other.values)}`);
    log(`  ${figure.compared ?? 'ratio'} ${verdict.median.toFixed(2)}${aim} (load ${load()})`);
  }
  return figures;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
