/** Writes the files that are generated from the code; with --check, fails when one is not what the code says now. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatePythonModels, generatePythonOperations } from './clients/pythonClient.ts';
import { generateTypeScriptModels, generateTypeScriptOperations } from './clients/typeScriptClient.ts';
import { generateChartReadme } from './generateChartReadme.ts';
import { generateChartSchema } from './generateChartSchema.ts';
import { generateConfiguration } from './generateConfiguration.ts';
import { generateCrd, generateCrdTemplate } from './generateCrd.ts';
import { generateEventCatalogue } from './generateEventCatalogue.ts';
import { generateMetrics } from './generateMetrics.ts';
import { generateOpenApi } from './generateOpenApi.ts';

const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/configuration.md': generateConfiguration,
  'docs/metrics.md': generateMetrics,
  'docs/webhooks.md': generateEventCatalogue,
  'docs/openapi.json': generateOpenApi,
  'clients/python/tearsheet_client/models.py': generatePythonModels,
  'clients/python/tearsheet_client/_operations.py': generatePythonOperations,
  'clients/typescript/src/generated/models.ts': generateTypeScriptModels,
  'clients/typescript/src/generated/operations.ts': generateTypeScriptOperations,
  'crds/tearsheet.dev_screenshotjobs.yaml': generateCrd,
  'charts/tearsheet/templates/crd.yaml': generateCrdTemplate,
  'charts/tearsheet/values.schema.json': generateChartSchema,
  'charts/tearsheet/README.md': generateChartReadme,
};

const check = process.argv.includes('--check');
for (const [file, generate] of Object.entries(GENERATED)) {
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
