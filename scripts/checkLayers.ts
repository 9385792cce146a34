/** Fails when an import runs against the layers. Argument: another root, for the test that plants a breach. */
import { fileURLToPath } from 'node:url';
import { findBreaches } from './layers.ts';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const breaches = findBreaches(root);
for (const { at, message } of breaches) console.error(`${at} ${message}`);
process.exitCode = breaches.length === 0 ? 0 : 1;
