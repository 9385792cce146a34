/**
 * `make check`: everything that can be checked without running the program. Writes `N passed, N failed` and the checks that failed to
 * .cache/check-summary.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DEADLINE_MS = 10 * 60_000;
/** Most of these use one core. `make test` runs them beside the tests. */
const AT_ONCE = 2;

interface Check {
  readonly name: string;
  /** A program of node_modules/.bin, or a script of ours. */
  readonly run: readonly [string, ...string[]];
}

/** The slow ones first. */
const CHECKS: readonly Check[] = [
  { name: 'unused code', run: ['knip', '--no-progress', '--no-config-hints'] },
  { name: 'types', run: ['tsc', '--noEmit', '-p', '.'] },
  { name: 'format and lint', run: ['biome', 'ci', '--colors=off', '.'] },
  { name: 'promises', run: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'generated files', run: ['scripts/generate.ts', '--check'] },
  { name: 'prose', run: ['scripts/checkProse.ts'] },
  { name: 'layers', run: ['scripts/checkLayers.ts'] },
  { name: 'chart', run: ['scripts/checkChart.ts'] },
];

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

const waiting = [...CHECKS];
const failed: string[] = [];
/** Runs all checks whatever fails. */
async function work(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const { name, passed, seconds, output } = await runCheck(check);
    console.log(`${passed ? 'ok  ' : 'FAIL'}  ${name.padEnd(16)} ${seconds.toFixed(1).padStart(5)} s`);
    if (passed) continue;
    failed.push(name);
    console.log(output.trimEnd().replaceAll(/^/gm, '      '));
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
if (failed.length > 0) console.log(`Not passed: ${failed.join(', ')}`);
mkdirSync(path.join(ROOT, '.cache'), { recursive: true });
const summary = [
  `${CHECKS.length - failed.length} passed, ${failed.length} failed`,
  ...failed.map((name) => `The check "${name}" failed.`),
];
writeFileSync(path.join(ROOT, '.cache/check-summary'), `${summary.join('\n')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

function runCheck({ name, run: [program, ...args] }: Check): Promise<Outcome> {
  const started = performance.now();
  const command = program.endsWith('.ts') ? process.execPath : path.join(ROOT, 'node_modules/.bin', program);
  const given = program.endsWith('.ts') ? [program, ...args] : args;
  // The tools' own shebangs must find this Node, not the system's.
  const env = { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, NO_COLOR: '1' };
  return new Promise((resolve) => {
    const child = spawn(command, given, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: DEADLINE_MS });
    let output = '';
    const keep = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = (passed: boolean, why = '') =>
      resolve({ name, passed, seconds: (performance.now() - started) / 1000, output: output + why });
    child.on('error', (error) => end(false, error.message));
    child.on('close', (code, signal) => end(code === 0, signal === null ? '' : `ended by ${signal}`));
  });
}
