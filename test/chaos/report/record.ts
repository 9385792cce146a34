/** Keeps the figures of runs in test/chaos/runs.json, and writes them as tables into docs/reliability.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type RunFigures, sumOf } from './figures.ts';

const RUNS = 'test/chaos/runs.json';
const DOCUMENT = 'docs/reliability.md';
const [BEGIN, END] = ['<!-- figures: begin -->', '<!-- figures: end -->'];

/** A run with the same seed replaces the earlier one. */
export function recordRun(root: string, figures: RunFigures): void {
  const file = path.join(root, RUNS);
  const earlier = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunFigures[]) : [];
  const others = earlier.filter(({ seed, target }) => seed !== figures.seed || target !== figures.target);
  const runs = [...others, figures];
  writeFileSync(file, `${JSON.stringify(runs, undefined, 2)}\n`);
  const document = path.join(root, DOCUMENT);
  writeFileSync(document, withFigures(readFileSync(document, 'utf8'), runs));
}

/** @throws Error if the document has no place for the figures. */
function withFigures(text: string, runs: readonly RunFigures[]): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The document has no ${BEGIN} … ${END}.`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${tables(runs)}\n${text.slice(end)}`;
}

function tables(runs: readonly RunFigures[]): string {
  return [runTable(runs), hitTable(runs)].join('\n');
}

function runTable(runs: readonly RunFigures[]): string {
  const rows = runs.map((run) => [
    run.target,
    String(run.seed),
    run.date,
    run.minutes.toFixed(1),
    String(sumOf(run.kills)),
    String(sumOf(run.disturbances)),
    String(sumOf(run.acknowledged)),
    String(run.repeated),
    String(run.pictures),
    String(run.events),
    String(run.findings.length),
    `${run.longestOutageSeconds.toFixed(0)} s`,
    run.quietSeconds === null ? 'no' : `${run.quietSeconds.toFixed(0)} s`,
  ]);
  const sum = (of: (run: RunFigures) => number) => String(runs.reduce((all, run) => all + of(run), 0));
  const total = [
    ...['**sum**', '', '', runs.reduce((all, run) => all + run.minutes, 0).toFixed(0)],
    ...[sum(({ kills }) => sumOf(kills)), sum(({ disturbances }) => sumOf(disturbances))],
    ...[sum(({ acknowledged }) => sumOf(acknowledged)), sum(({ repeated }) => repeated)],
    ...[sum(({ pictures }) => pictures), sum(({ events }) => events), sum(({ findings }) => findings.length), '', ''],
  ];
  const head = [
    ...['target', 'seed', 'date', 'minutes', 'kills', 'disturbances', 'acknowledged', 'repeated', 'pictures', 'events'],
    ...['findings', 'longest without an answer', 'quiet after the last fault'],
  ];
  return table(head, [...rows, total]);
}

function hitTable(runs: readonly RunFigures[]): string {
  const names = (of: (run: RunFigures) => Readonly<Record<string, number>>) =>
    [...new Set(runs.flatMap((run) => Object.keys(of(run))))].toSorted();
  const count = (of: (run: RunFigures) => Readonly<Record<string, number>>, name: string) =>
    String(runs.reduce((all, run) => all + (of(run)[name] ?? 0), 0));
  const rows = [
    ...names(({ kills }) => kills).map((name) => ['kill', name, count(({ kills }) => kills, name)]),
    ...names(({ disturbances }) => disturbances).map((name) => [
      'disturbance',
      name,
      count(({ disturbances }) => disturbances, name),
    ]),
    ...names(({ acknowledged }) => acknowledged).map((name) => [
      'acknowledged',
      name,
      count(({ acknowledged }) => acknowledged, name),
    ]),
  ];
  return table(['', 'what', 'times'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return `${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}`;
}
