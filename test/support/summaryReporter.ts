/**
 * The end of a run: the slowest tests, the failed ones, and `N passed, N failed`. If SUMMARY names a file, .cache/NAME-summary has the count and
 * the failed tests.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST = 20;

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly { readonly message: string }[], reason: string): void {
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        line: `${path.relative(process.cwd(), module.moduleId)}  ${test.fullName}`,
        ms: test.diagnostic()?.duration ?? 0,
        result: test.result(),
      })),
    );
    const slowest = tests.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
    const failures = [
      ...tests.flatMap(({ line, result }) => (result.state === 'failed' ? [failure(line, result.errors)] : [])),
      // A file that could not be loaded, or a hook that failed: that of a file, or that of a group of tests.
      ...modules.flatMap((module) => {
        const file = path.relative(process.cwd(), module.moduleId);
        const groups = [...module.children.allSuites()].map((group) => [`${file}  ${group.fullName}`, group] as const);
        return [[file, module] as const, ...groups].flatMap(([line, part]) =>
          part.errors().length > 0 ? [failure(line, part.errors())] : [],
        );
      }),
    ];
    if (failures.length === 0 && errors.length > 0) failures.push(failure('An error outside of the tests', errors));
    if (failures.length === 0 && (reason !== 'passed' || modules.length === 0))
      failures.push(`The run ended with "${reason}".`);
    const passed = tests.filter(({ result }) => result.state === 'passed').length;
    const summary = `${passed} passed, ${failures.length} failed`;
    const times = slowest.map(({ line, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${line}`);
    console.log(`\nThe slowest tests:\n${times.join('\n')}`);
    // The log of a CI run is often read from its end.
    if (failures.length > 0) console.log(`\nThe failed tests:\n${failures.join('\n')}`);
    console.log(`\n${summary}`);
    const name = process.env['SUMMARY'];
    if (name === undefined) return;
    mkdirSync('.cache', { recursive: true });
    writeFileSync(`.cache/${name}-summary`, `${[summary, ...failures].join('\n')}\n`);
  }
}

function failure(line: string, [error]: readonly { readonly message: string }[]): string {
  return `${line}: ${error?.message.split('\n', 1)[0] ?? ''}`;
}
