/** Stores the scripts that run in pages beside the compiled program: node scripts/bundlePageScripts.ts DIST */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PAGE_SCRIPTS } from '../src/capture/page/pageScripts.ts';

const [dist = 'dist'] = process.argv.slice(2);
for (const [module, text] of Object.entries(PAGE_SCRIPTS))
  writeFileSync(path.join(dist, `capture/page/inPage/${module}.bundle.js`), text);
