/** Writes the files that are generated from the code; with --check, fails when one is not what the code says now. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildOpenApi } from '../src/api/public/openApi.ts';
import { generateChartReadme } from './generateChartReadme.ts';
import { generateChartSchema } from './generateChartSchema.ts';
import { generateConfiguration } from './generateConfiguration.ts';
import { generateCrd, generateCrdTemplate } from './generateCrd.ts';
import { generateEventCatalogue } from './generateEventCatalogue.ts';
import { generateMetrics } from './generateMetrics.ts';
import { generateSchemaAlone } from './generateSchema.ts';

const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/configuration.md': generateConfiguration,
  'docs/metrics.md': generateMetrics,
  'docs/webhooks.md': generateEventCatalogue,
  'docs/openapi.json': () => `${JSON.stringify(buildOpenApi(), undefined, 2)}\n`,
  'crds/tearsheet.dev_screenshotjobs.yaml': generateCrd,
  'charts/tearsheet/templates/crd.yaml': generateCrdTemplate,
  'charts/tearsheet/values.schema.json': generateChartSchema,
  'charts/tearsheet/README.md': generateChartReadme,
};

/** Needs a PostgreSQL, so an integration test checks it. */
const GENERATED_WITH_POSTGRES: typeof GENERATED = { 'src/db/schema.ts': generateSchemaAlone };

const check = process.argv.includes('--check');
for (const [file, generate] of Object.entries(check ? GENERATED : { ...GENERATED, ...GENERATED_WITH_POSTGRES })) {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const now = await generate();
  if (!check) {
    writeFileSync(path, now);
    console.log(`written: ${file}`);
  } else if (read(path) !== now) {
    console.error(`${file} is not what the code says now: run make generate and commit the result.`);
    process.exitCode = 1;
  }
}

/** '' for a file that was never written. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
