/**
 * Builds the packages of the clients for npm and PyPI: `node scripts/packClients.ts [npm|pypi…]`.
 *
 * --repository is the address of this project's pages, to which the registries link.
 * --out is the folder for the packages, .cache/clients unless given. It is emptied first.
 */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { packNpm, packPyPi } from './clients/pack.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PACKERS = { npm: packNpm, pypi: packPyPi };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { repository: { type: 'string' }, out: { type: 'string' } },
});
const { repository, out = path.join(ROOT, '.cache/clients') } = values;
if (repository === undefined || !/^https:\/\/[^/]+\/.+[^/]$/.test(repository))
  throw new Error('Name the pages of the project: --repository https://github.com/OWNER/NAME');
const registries = positionals.length === 0 ? Object.keys(PACKERS) : positionals;
for (const registry of registries) {
  const pack = Object.entries(PACKERS).find(([name]) => name === registry)?.[1];
  if (pack === undefined) throw new Error(`There is no client for "${registry}". Name npm or pypi.`);
  const folder = path.resolve(out, registry);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of pack({ root: ROOT, repository, out: folder })) console.log(path.join(folder, file));
}
