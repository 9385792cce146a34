/** The texts of the scripts that run in pages. Each is bundled from one module of `inPage/` and what it imports. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { CdpSession } from '../browser/cdp.ts';
import { WORLD } from '../browser/frame.ts';
import type * as functions from './inPage/index.ts';

declare global {
  /** The functions of our script, in the isolated world of each document. */
  const inPage: typeof functions;
}

const require = createRequire(import.meta.url);

/** @returns where the text of a module is in this folder of the compiled program. */
export function bundleIn(folder: string, module: string): string {
  return path.join(folder, `inPage/${module}.bundle.js`);
}

/** `make build` stores the texts beside the compiled program, which does not have esbuild. The sources bundle them when they start. */
function scriptOf(module: string, globalName = ''): string {
  const folder = import.meta.dirname;
  if (!import.meta.url.endsWith('.ts')) return readFileSync(bundleIn(folder, module), 'utf8');
  const { buildSync } = require('esbuild') as typeof import('esbuild');
  const entryPoints = [path.join(folder, `inPage/${module}.ts`)];
  const { outputFiles } = buildSync({ entryPoints, bundle: true, write: false, format: 'iife', globalName });
  return outputFiles.map(({ text }) => text).join('');
}

/** By module. `recorder` runs in the world of the page, `index` in ours. */
export const PAGE_SCRIPTS = { recorder: scriptOf('recorder'), index: scriptOf('index', 'inPage') };

/** Lets both scripts run in each new document of a page. */
export async function addPageScripts(session: CdpSession): Promise<void> {
  await Promise.all([
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: PAGE_SCRIPTS.recorder }),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: PAGE_SCRIPTS.index, worldName: WORLD }),
  ]);
}
