/** Prints the section of CHANGELOG.md for the version of package.json. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { changelogSection } from './changelog.ts';

const { version } = packageJson;
const changelog = readFileSync(path.join(import.meta.dirname, '../CHANGELOG.md'), 'utf8');
const section = changelogSection(changelog, version);
if (section === undefined || section.text === '') {
  console.error(`CHANGELOG.md has no entries for version ${version}. Add a section "## [${version}] - <date>".`);
  process.exitCode = 1;
} else {
  console.log(section.text);
}
