/** Stores scripts for browsers beside the compiled program, those that run in captured pages and Scalar: node scripts/bundlePageScripts.ts DIST */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleIn, PAGE_SCRIPTS } from '../src/capture/page/pageScripts.ts';
import { scalarScript } from '../src/pages/reference/scalar.ts';

const [dist = 'dist'] = process.argv.slice(2);
for (const [module, text] of Object.entries(PAGE_SCRIPTS))
  writeFileSync(bundleIn(path.join(dist, 'capture/page'), module), text);
writeFileSync(path.join(dist, 'pages/assets/scalar.js.gz'), scalarScript());
