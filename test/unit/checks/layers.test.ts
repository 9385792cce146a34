import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBreaches } from '../../../scripts/layers.ts';

const CHECK = fileURLToPath(new URL('../../../scripts/checkLayers.ts', import.meta.url));

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'tearsheet-layers-'));
  plant('src/domain/rules.ts', 'export const RULE = 1;');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function plant(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

function messages(): string[] {
  return findBreaches(root).map(({ at, message }) => `${at} ${message}`);
}

/** The command as `make check` runs it. */
function runCheck(): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CHECK, root], (_error, _stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, said: stderr }),
    );
  });
}

describe('the layer check', () => {
  it('the layer check passes a tree whose imports only run downwards', async () => {
    plant('src/contract/shapes.ts', "import { RULE } from '../domain/rules.ts';\nexport { RULE };");
    plant('src/api/routes.ts', "export * from '../contract/shapes.ts';\nimport 'express';");
    plant('src/cli.ts', "import './api/routes.ts';\nimport './config.ts';");
    plant('src/config.ts', 'export {};');
    expect(await runCheck()).toEqual({ code: 0, said: '' });
  });

  it('the layer check fails on a planted violation and prints its file, line and rule', async () => {
    plant('src/capture/pod.ts', "// what it may not know\nimport { sets } from '../db/sets.ts';\nexport { sets };");
    plant('src/db/sets.ts', 'export const sets = 1;');
    expect(await runCheck()).toEqual({
      code: 1,
      said: 'src/capture/pod.ts:2 capture must not import db (src/db/sets.ts)\n',
    });
  });

  it.each([
    ['upwards', 'src/domain/rules.ts', "import '../contract/shapes.ts';"],
    ['on the same level', 'src/db/sets.ts', "import '../egress/payloads.ts';"],
    [
      'from the client of a cluster to the database',
      'src/cluster/kubernetes/cache/clusterCache.ts',
      "import '../../../db/sets.ts';",
    ],
    ['between programs', 'src/exports/send.ts', "import '../controller/controller.ts';"],
    ['from capture to the database', 'src/capture/pod.ts', "import '../db/queue.ts';"],
    ['of a type only', 'src/capture/pod.ts', "import type { Sets } from '../db/sets.ts';"],
    ['of a type in an expression', 'src/capture/pod.ts', "export type Sets = import('../db/sets.ts').Sets;"],
    ['by re-export', 'src/capture/pod.ts', "export { sets } from '../db/sets.ts';"],
    ['at run time', 'src/capture/pod.ts', "export const sets = await import('../db/sets.ts');"],
    ['by an indirect path', 'src/capture/page/pod.ts', "import '../../capture/../db/sets.ts';"],
    ['of a package into the domain', 'src/domain/rules.ts', "import { z } from 'zod';"],
    ['of the settings into a module', 'src/api/routes.ts', "import '../config.ts';"],
    ['of the tests into the program', 'src/api/routes.ts', "import '../../test/support/database.ts';"],
  ])('the layer check reports an import %s', (_way, file, text) => {
    plant(file, text);
    expect(messages()).toHaveLength(1);
  });

  it('the layer check reports a folder that is not in the table of layers', () => {
    plant('src/billing/prices.ts', 'export {};');
    expect(messages()).toEqual([
      'src/billing/prices.ts:1 billing belongs to no layer; put it into the table of scripts/layers.ts',
    ]);
  });

  it('the layer check reports an import against the levels inside a module', () => {
    plant('src/capture/page/pageVisit.ts', "import '../program/attempt.ts';");
    plant('src/capture/program/attempt.ts', 'export {};');
    expect(messages()).toEqual([
      'src/capture/page/pageVisit.ts:1 capture/page must not import capture/program (src/capture/program/attempt.ts)',
    ]);
  });

  it('the layer check reports a circle of imports, also of types', () => {
    plant('src/core/one.ts', "import type { Two } from './two.ts';\nexport type One = Two;");
    plant('src/core/two.ts', "import type { One } from './one.ts';\nexport type Two = One;");
    expect(messages()).toEqual([
      'src/core/one.ts:1 imports itself: src/core/one.ts → src/core/two.ts → src/core/one.ts',
    ]);
  });

  it('the layer check does not mistake text for an import', () => {
    plant('src/capture/pod.ts', "export const text = \"import '../db/sets.ts'\"; // import '../db/sets.ts';");
    expect(messages()).toEqual([]);
  });
});
